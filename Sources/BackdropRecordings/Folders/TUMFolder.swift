import BackdropDepth
import BackdropImaging

/// The layout of the TUM RGB-D benchmark, and of the Bonn RGB-D Dynamic Dataset: `rgb.txt` and `depth.txt` with times, depth with 5000
/// units per metre, poses in `groundtruth.txt` (time, position, quaternion).
///
/// If no file gives the camera but the folder has its published name, the camera is the benchmark's: for TUM the recommended default
/// (vision.in.tum.de/data/datasets/rgbd-dataset/file_formats), for Bonn its only calibration.
struct TUMFolder: RecordingFolderKind {
  func matches(_ folder: FolderListing) -> Bool { folder.has("rgb.txt", "depth.txt") }

  func layout(of folder: FolderListing, _ options: RecordingOptions) throws(BackdropError) -> RecordingLayout {
    var result = RecordingLayout()
    result.unitsPerMetre = 5000
    result.looksForCamera = true
    result.camera = Self.publishedCamera(FileName(folder.path).whole)
    let colors = try TUMLists.parse(folder.file("rgb.txt"))
    let depths = try TUMLists.parse(folder.file("depth.txt"))
    let partners = try TUMLists.associate(colors.map(\.time), depths.map(\.time), tolerance: options.timeTolerance)
    var poses: TimedPoses?
    if folder.has("groundtruth.txt") {
      do throws(BackdropError) { poses = try TimedPoses(folder.file("groundtruth.txt")) } catch {
        result.warnings.append(error)
      }
    }
    for (index, color) in colors.enumerated() {
      if let partner = partners[index] {
        var entry = RecordingEntry(
          number: index + 1, time: color.time - colors[0].time, color: folder.file(color.file),
          depth: folder.file(depths[partner].file))
        if let pose = poses?.pose(at: color.time, tolerance: options.timeTolerance) {
          entry.facts = .known(camera: nil, pose: pose)
        }
        result.entries.append(entry)
      } else {
        result.skipped.append(
          index + 1,
          BackdropError(.badData, "it has no depth within \(options.timeTolerance) s", path: folder.file(color.file)))
      }
    }
    guard !result.entries.isEmpty else {
      throw BackdropError(
        .badData,
        "none of the \(colors.count) colour pictures has one of the \(depths.count) depth pictures within "
          + "\(options.timeTolerance) s", path: folder.path, hint: "give a larger tolerance")
    }
    return result
  }

  private static func publishedCamera(_ name: String) -> Intrinsics? {
    if name.hasPrefix("rgbd_bonn_") {
      return Intrinsics(fx: 542.822841, fy: 542.57687, cx: 316.09352, cy: 238.256098, width: 640, height: 480)
    }
    if name.hasPrefix("rgbd_dataset_freiburg") {
      return Intrinsics(fx: 525, fy: 525, cx: 320, cy: 240, width: 640, height: 480)
    }
    return nil
  }
}

/// Poses sorted by time.
struct TimedPoses {
  private let items: [(time: Double, pose: Extrinsics)]

  /// Reads lines of time, position and quaternion.
  init(_ path: String) throws(BackdropError) {
    let rows = try NumberText.rows(path, limit: NumberText.listLimit)
    let poses = rows.compactMap { row -> (time: Double, pose: Extrinsics)? in
      guard row.count == 8, row[0].isFinite,
        let pose = Extrinsics(position: Array(row[1...3]), quaternion: Array(row[4...7]))
      else { return nil }
      return (row[0], pose)
    }
    items = poses.sorted { $0.time < $1.time }
    guard !items.isEmpty else {
      throw BackdropError(.badData, "this file holds no poses that Backdrop understands", path: path)
    }
  }

  /// The pose nearest in time; `nil` if none is near.
  func pose(at time: Double, tolerance: Double) -> Extrinsics? {
    let next = items.partitioningIndex { $0.time >= time }
    let near = items[max(next - 1, 0)..<min(next + 1, items.count)]
    guard let best = near.min(by: { abs($0.time - time) < abs($1.time - time) }), abs(best.time - time) <= tolerance
    else { return nil }
    return best.pose
  }
}
