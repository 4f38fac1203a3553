import BackdropCodecs
import BackdropDepth
import BackdropImaging

/// A ScanNet scan as its exporter (SensReader) writes it: `color/0.jpg`, `depth/0.png` in millimetres, `pose/0.txt` from the camera to the
/// world, and the two cameras in `intrinsic/`.
///
/// Depth is not registered: `extrinsic_*.txt` gives both cameras one position, but their lenses differ.
struct ScanNetFolder: RecordingFolderKind {
  func matches(_ folder: FolderListing) -> Bool {
    folder.has("color", "depth", "intrinsic") && FileKind(folder.file("intrinsic/intrinsic_depth.txt")) == .file
  }

  func layout(of folder: FolderListing, _ options: RecordingOptions) throws(BackdropError) -> RecordingLayout {
    var result = RecordingLayout()
    let poses = folder.has("pose") ? try folder.folder("pose").stems(["txt"]) : [:]
    result.hasPoses = !poses.isEmpty
    try result.pair(
      try folder.folder("color").stems(["jpg", "jpeg", "png"]), try folder.folder("depth").stems(["png"]),
      in: folder.path
    ) { entry, stem in
      entry.time = Double(entry.number - 1) / max(options.framesPerSecond, 1e-3)
      if let file = poses[stem] { entry.facts = .matrix(file) }
    }
    do throws(BackdropError) {
      result.cameras = try cameras(folder, result, options)
      result.camera = result.cameras?.depth.intrinsics
    } catch {
      result.warnings.append(error)
    }
    return result
  }

  /// Reads both cameras; their sizes come from the first frame's pictures.
  private func cameras(
    _ folder: FolderListing, _ layout: RecordingLayout, _ options: RecordingOptions
  ) throws(BackdropError) -> CameraPair? {
    for side in ["color", "depth"] where FileKind(folder.file("intrinsic/extrinsic_\(side).txt")) == .file {
      let path = folder.file("intrinsic/extrinsic_\(side).txt")
      guard Extrinsics(matrix: try NumberText.matrix(path, 4)) == .identity else {
        throw BackdropError(
          .badData, "the cameras of this scan have different positions; Backdrop ignores them", path: path)
      }
    }
    let colorName = folder.file("intrinsic/intrinsic_color.txt")
    guard FileKind(colorName) == .file, let first = layout.entries.first else { return nil }
    let color = try Picture.load(first.color, limits: options.limits)
    let depth = try Picture.load(first.depth, limits: options.limits)
    return CameraPair(
      depth: try model(folder.file("intrinsic/intrinsic_depth.txt"), depth),
      color: try model(colorName, color), extrinsics: .identity)
  }

  private func model(_ path: String, _ picture: Image) throws(BackdropError) -> CameraModel {
    let m = try NumberText.matrix(path, 4)
    return CameraModel(
      try CameraFile.checked(
        Intrinsics(fx: m[0], fy: m[5], cx: m[2] + 0.5, cy: m[6] + 0.5, width: picture.width, height: picture.height),
        path))
  }
}
