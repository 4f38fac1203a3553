import BackdropDepth
import BackdropImaging

/// A recording that the Record3D app exported as "EXR + JPG": `rgb/0.jpg`, `depth/0.exr` in metres, `metadata.json`; and the content of an
/// extracted `.r3d`: `rgbd/0.jpg`, `0.depth`, `0.conf`, `metadata`.
struct Record3DFolder: RecordingFolderKind {
  func matches(_ folder: FolderListing) -> Bool {
    metadata(folder) != nil && (folder.has("rgbd") || folder.has("rgb", "depth"))
  }

  private func metadata(_ folder: FolderListing) -> String? {
    ["metadata.json", "metadata"].first { folder.has($0) && FileKind(folder.file($0)) == .file }
  }

  func layout(of folder: FolderListing, _ options: RecordingOptions) throws(BackdropError) -> RecordingLayout {
    let isUnpacked = folder.has("rgbd")
    let pictures = try folder.folder(isUnpacked ? "rgbd" : "rgb").stems(["jpg", "jpeg", "png"])
    let depths = try folder.folder(isUnpacked ? "rgbd" : "depth").stems([isUnpacked ? "depth" : "exr"])
    let confidences = isUnpacked ? try folder.folder("rgbd").stems(["conf"]) : [:]
    let path = folder.file(metadata(folder) ?? "metadata")
    let frames = max(pictures.count, depths.count)
    let metadata = try Record3DMetadata.read(
      try InputFile.read(path, limit: Record3DMetadata.byteLimit(frames: frames)), frames: frames, path: path,
      limits: options.limits)
    var result = RecordingLayout()
    let announced = metadata.fps ?? options.framesPerSecond
    let rate = announced > 0 && announced <= 1000 ? announced : 30
    result.framesPerSecond = rate
    result.hasPoses = metadata.poses?.isEmpty == false
    var fault: BackdropError?
    try result.pair(pictures, depths, in: folder.path) { entry, stem in
      guard let number = Int(stem), number >= 0 else { return }
      entry.time = metadata.time(of: number, framesPerSecond: rate)
      entry.confidence = confidences[stem]
      do throws(BackdropError) {
        entry.facts = .known(camera: try metadata.camera(of: number, path), pose: metadata.pose(of: number))
      } catch { fault = error }
      if isUnpacked {
        entry.depthForm = .lzfse(DepthEncoding(.float32), metadata.dw ?? metadata.w, metadata.dh ?? metadata.h)
      }
    }
    if let fault { throw fault }
    result.countTimes(options)
    return result
  }
}
