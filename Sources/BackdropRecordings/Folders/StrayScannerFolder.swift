import BackdropDepth
import BackdropImaging

/// A recording of the Stray Scanner app, in the layout that kekeblom/StrayVisualizer reads: colour as `rgb.mp4`, `depth/000000.png` in
/// millimetres, `confidence/000000.png` (0 to 2), the camera of the video in `camera_matrix.csv`, and `odometry.csv` with time, frame,
/// position and quaternion of each frame, from the camera (x right, y down, z forwards) to the world.
struct StrayScannerFolder: RecordingFolderKind {
  func matches(_ folder: FolderListing) -> Bool { folder.has("rgb.mp4", "depth", "odometry.csv") }

  func layout(of folder: FolderListing, _ options: RecordingOptions) throws(BackdropError) -> RecordingLayout {
    var result = RecordingLayout()
    result.video = folder.file("rgb.mp4")
    let depths = Self.numbered(try folder.folder("depth").stems(["png"]))
    guard !depths.isEmpty else {
      throw BackdropError(
        .badData, "the recording has no depth pictures", path: folder.file("depth"), hint: .copyRecordingAgain)
    }
    let confidences = folder.has("confidence") ? Self.numbered(try folder.folder("confidence").stems(["png"])) : [:]
    do throws(BackdropError) {
      if folder.has("camera_matrix.csv") {
        let path = folder.file("camera_matrix.csv")
        let m = try NumberText.matrix(path, 3)
        // The size of the video is read when the video is opened. ARKit measures from the image's corner, so no half pixel is added.
        var camera = try CameraFile.checked(
          Intrinsics(fx: m[0], fy: m[4], cx: m[2], cy: m[5], width: 1, height: 1), path)
        (camera.width, camera.height) = (0, 0)
        result.camera = camera
      }
    } catch {
      result.warnings.append(error)
    }
    let rows = try odometry(folder)
    result.hasPoses = !rows.isEmpty
    for (number, depth) in depths.sorted(by: { $0.key < $1.key }) {
      var entry = RecordingEntry(number: number + 1, time: .nan, color: folder.file("rgb.mp4"), depth: depth)
      entry.confidence = confidences[number]
      if let row = rows[number] {
        entry.time = row[0]
        // Newer versions of the app also write the camera of each frame.
        var camera = result.camera
        if row.count >= 13, row[9...12].allSatisfy({ $0 > 0 && $0 < 1e6 }) {
          camera = Intrinsics(fx: row[9], fy: row[10], cx: row[11], cy: row[12], width: 0, height: 0)
        }
        entry.facts = .known(
          camera: camera, pose: Extrinsics(position: Array(row[2...4]), quaternion: Array(row[5...8])))
      }
      result.entries.append(entry)
    }
    result.countTimes(options)
    return result
  }

  /// The rows of `odometry.csv`, keyed by frame number.
  private func odometry(_ folder: FolderListing) throws(BackdropError) -> [Int: [Double]] {
    var result: [Int: [Double]] = [:]
    for row in try NumberText.rows(folder.file("odometry.csv"), limit: NumberText.listLimit)
    where row.count >= 9 && row[0].isFinite && row[1] >= 0 && row[1] < 1e9 { result[Int(row[1])] = row }
    return result
  }

  private static func numbered(_ files: [String: String]) -> [Int: String] {
    var result: [Int: String] = [:]
    for (stem, path) in files {
      if let number = Int(stem), number >= 0, number < 1_000_000_000 { result[number] = path }
    }
    return result
  }
}
