import BackdropDepth
import BackdropImaging

/// A sequence of Microsoft's 7-Scenes: `frame-000000.color.png`, `.depth.png` in millimetres with 65535 for missing measurements,
/// `.pose.txt` from the camera to the world (its README: focal length 585, principal point 320, 240).
struct SevenScenesFolder: RecordingFolderKind {
  func matches(_ folder: FolderListing) -> Bool {
    folder.names.contains { $0.hasPrefix("frame-") && $0.hasSuffix(".color.png") }
  }

  func layout(of folder: FolderListing, _ options: RecordingOptions) throws(BackdropError) -> RecordingLayout {
    var result = RecordingLayout()
    result.camera = Intrinsics(fx: 585, fy: 585, cx: 320.5, cy: 240.5, width: 640, height: 480)
    result.hasPoses = folder.names.contains { $0.hasSuffix(".pose.txt") }
    result.warnings.append(
      BackdropError(
        .badData, "7-Scenes does not align depth to its pictures; they are some pixels apart", path: folder.path))
    func files(_ suffix: String) -> [String: String] {
      var found: [String: String] = [:]
      for name in folder.names where name.hasPrefix("frame-") && name.hasSuffix(suffix) {
        found[String(name.dropLast(suffix.count))] = folder.file(name)
      }
      return found
    }
    try result.pair(files(".color.png"), files(".depth.png"), in: folder.path) { entry, stem in
      // Sequences are complete, at 30 frames a second.
      entry.time = Double(entry.number - 1) / max(options.framesPerSecond, 1e-3)
      if folder.has(stem + ".pose.txt") { entry.facts = .matrix(folder.file(stem + ".pose.txt")) }
    }
    return result
  }
}
