import BackdropImaging

extension Job.Plan {
  /// Refuses light from behind out of range, or where there is nothing behind that could shine.
  func checkLight() throws(BackdropError) {
    guard lightWrap >= 0 && lightWrap <= 1 else {
      throw BackdropError(
        .wrongArgument, "light wrap \(lightWrap) is out of range: 0…1", hint: "0.3 is faint, 1 is bright")
    }
    let kind = background.map { $0.prefix { $0 != ":" } }
    guard lightWrap > 0, let kind, ["none", "blur", "bokeh"].contains(kind) else { return }
    throw BackdropError(
      .wrongArgument, "light wrap needs a background of its own, not \(kind)",
      hint: "leave --light-wrap out, or give a picture, a video or a colour")
  }
}
