import BackdropHTTP
import BackdropImaging

/// Translates the requests of clients of rembg's server (rembg 2.0: `POST /api/remove`, a form with `file`).
enum RembgRequest {
  /// The ignored settings of rembg, which choose networks or refine the matte; Backdrop does both by itself.
  private static let passedOver: Set = ["model", "a", "af", "ab", "ae", "ppm", "extras"]

  /// - Throws: `wrongArgument` for invalid fields, `unsupported` for addresses of pictures and for bodies that are not
  ///   forms.
  static func read(_ request: Request, type: String) throws(BackdropError) -> MediaRequest {
    guard request.method == .POST else {
      throw BackdropError(
        .unsupported, "the service fetches no pictures from other servers",
        hint: "send the picture itself: curl -F file=@me.jpg ADDRESS/api/remove")
    }
    guard let body = request.file, let boundary = MultipartForm.boundary(ofType: type) else {
      throw BackdropError(
        .unsupported, "rembg's clients send forms", hint: "send the picture as a form: curl -F file=@me.jpg")
    }
    var (input, isMask, background): (SentFile?, Bool, String?) = (nil, false, nil)
    var settings = request.query.map { (name: $0.name, value: $0.value) }
    for part in try MultipartForm(body, boundary: boundary).parts {
      if part.name == "file" {
        input = SentFile(part, of: body)
      } else {
        settings.append((part.name, part.text ?? ""))
      }
    }
    for (name, value) in settings where !passedOver.contains(name) {
      switch name {
      case "om": isMask = ["true", "1", "on", "yes"].contains(value.lowercased())
      case "bgc": background = try color(value)
      default: throw BackdropError(.wrongArgument, "rembg's server has no setting '\(name)'", hint: "leave it out")
      }
    }
    guard let input, !input.range.isEmpty else {
      throw BackdropError(.wrongArgument, "the form has no picture", hint: "send it as the field 'file'")
    }
    // Networks of rembg also find things.
    let options: [(name: String, value: String?)] =
      [("subject", "any")] + (isMask ? [] : [("background", background ?? "none")])
    return MediaRequest(isMask ? .matte : .replace, input, options: options, format: "png")
  }

  /// Converts `R,G,B` or `R,G,B,A`, each 0…255, to `#RRGGBB` or `#RRGGBBAA`; `nil` for an empty text.
  private static func color(_ text: String) throws(BackdropError) -> String? {
    guard !text.isEmpty else { return nil }
    let numbers = text.split(separator: ",").map { Int($0.trimmed) ?? -1 }
    guard (3...4).contains(numbers.count), numbers.allSatisfy({ (0...255).contains($0) }) else {
      throw BackdropError(.wrongArgument, "'\(text)' is not a colour of rembg", hint: "write bgc=255,255,255,255")
    }
    return "#" + numbers.map { String($0 + 256, radix: 16).dropFirst() }.joined()
  }
}
