import BackdropImaging
import BackdropLooks

extension Job.Plan {
  /// Refuses looks whose mattes are not those of a person before a background.
  func checkLook() throws(BackdropError) {
    guard look.matteSource == .depth else {
      throw BackdropError(
        .wrongArgument, "the look '\(look.id)' does not replace a background",
        hint: "write: backdrop apply \(look.id) INPUT -o OUTPUT")
    }
  }
}
