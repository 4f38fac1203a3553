import BackdropImaging
import BackdropLooks
import BackdropVideo

extension Job.Plan {
  /// Whether the background is left out.
  var isTransparent: Bool { background == JobBackground.none }

  /// Refuses a transparent background where the look needs one, or where the output cannot keep alpha.
  func checkTransparency() throws(BackdropError) {
    guard isTransparent, let output else { return }
    _ = try Cutout(look, width: 1, height: 1)
    let naming = try JobOutput.Naming(output)
    try naming.checkAlpha(output)
    if case .video = naming, options.codec == nil {
      _ = try VideoSettings.codec(forPath: output, keepingAlpha: true)
    }
  }
}
