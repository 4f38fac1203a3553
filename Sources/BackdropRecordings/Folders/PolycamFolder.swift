import BackdropDepth
import BackdropImaging

/// The raw data of a Polycam capture, as PolyCam/polyform's README describes it: in `keyframes`, `images` (or better,
/// `corrected_images`), `depth` in millimetres, `confidence`, and `cameras` (`corrected_cameras`), each file named by its time in
/// microseconds.
struct PolycamFolder: RecordingFolderKind {
  func matches(_ folder: FolderListing) -> Bool {
    folder.has("keyframes")
      || (folder.has("depth", "cameras") && (folder.has("images") || folder.has("corrected_images")))
  }

  func layout(of folder: FolderListing, _ options: RecordingOptions) throws(BackdropError) -> RecordingLayout {
    let frames = folder.has("keyframes") ? try folder.folder("keyframes") : folder
    // Corrected images and cameras belong together; a capture too large to optimize on the phone has neither.
    let prefix = frames.has("corrected_images", "corrected_cameras") ? "corrected_" : ""
    func files(_ name: String, _ fileExtensions: Set<String>) throws(BackdropError) -> [String: String] {
      frames.has(name) ? try frames.folder(name).stems(fileExtensions) : [:]
    }
    let cameras = try files(prefix + "cameras", ["json"])
    let confidences = try files("confidence", ["png"])
    var result = RecordingLayout()
    result.hasPoses = !cameras.isEmpty
    try result.pair(try files(prefix + "images", ["jpg", "jpeg", "png"]), try files("depth", ["png"]), in: folder.path)
    { entry, stem in
      entry.time = Double(stem).map { $0 / 1e6 } ?? .nan
      entry.confidence = confidences[stem]
      if let file = cameras[stem] { entry.facts = .polycam(file) }
    }
    result.countTimes(options)
    return result
  }
}

/// A camera file in the folder `cameras`.
enum PolycamCamera {
  private struct File: Decodable {
    var fx, fy, cx, cy: Double
    var width, height: Int
    var t_00, t_01, t_02, t_03, t_10, t_11, t_12, t_13, t_20, t_21, t_22, t_23: Double?

    var matrix: [Double] { [t_00, t_01, t_02, t_03, t_10, t_11, t_12, t_13, t_20, t_21, t_22, t_23].compactMap { $0 } }
  }

  /// Reads the camera and its pose.
  static func read(_ path: String) throws(BackdropError) -> (camera: Intrinsics?, pose: Extrinsics?) {
    let file: File = try JSONReader.decode(InputFile.read(path, limit: 1 << 16), failure: CameraFile.unknown(path))
    let camera = try CameraFile.checked(
      Intrinsics(fx: file.fx, fy: file.fy, cx: file.cx, cy: file.cy, width: file.width, height: file.height), path)
    return (camera, Extrinsics(matrix: file.matrix)?.turnedFromGraphics)
  }
}
