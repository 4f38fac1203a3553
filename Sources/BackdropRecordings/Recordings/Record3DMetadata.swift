import BackdropDepth
import BackdropImaging

/// The file `metadata` in a Record3D recording. There is no published format; this follows the files of the app (record3d.app, versions
/// of 2020 to 2025).
struct Record3DMetadata: Codable {
  /// Size of the colour pictures.
  var w, h: Int
  /// Size of the depth maps; older versions of the app do not write it.
  var dw, dh: Int?
  /// Frames per second.
  var fps: Double?
  /// The camera matrix of the colour pictures, column by column.
  var K: [Double]
  /// The time of each frame in seconds.
  var frameTimestamps: [Double]?
  /// `fx, fy, cx, cy` of each frame, which change with the lens's focus.
  var perFrameIntrinsicCoeffs: [[Double]]?
  /// The pose of each frame's camera: a quaternion x, y, z, w, then a position.
  var poses: [[Double]]?

  /// ARKit's low, medium and high confidence (`ARConfidenceLevel`) in the scale of ``ConfidenceMap``.
  static let confidences: [UInt8] = [0, 128, 255]

  /// The nearest of ARKit's levels.
  static func level(_ confidence: UInt8) -> UInt8 { confidence < 64 ? 0 : confidence < 192 ? 1 : 2 }

  /// The maximum size in bytes of the metadata for this many frames. The app writes 12 numbers for each, in some 300 bytes.
  static func byteLimit(frames: Int) -> Int { 1 << 16 + 4096 * frames }
  /// The maximum number of values, lists and objects in the metadata for this many frames.
  private static func valueLimit(frames: Int) -> Int { 4096 + 64 * frames }

  /// - Parameter frames: the number of frames in the archive, which limits the metadata's length.
  static func read(
    _ bytes: [UInt8], frames: Int, path: String, limits: ImageLimits
  ) throws(BackdropError) -> Record3DMetadata {
    // A value of two bytes takes a hundred times that memory once decoded.
    guard jsonValueCount(bytes) <= valueLimit(frames: frames) else {
      throw BackdropError(
        .overLimit, "the metadata has more than \(valueLimit(frames: frames)) values for \(frames) frames", path: path,
        hint: "export it again from Record3D, as .r3d")
    }
    let result: Record3DMetadata = try JSONReader.decode(
      bytes,
      failure: BackdropError(
        .badData, "Backdrop does not understand the recording's metadata", path: path,
        hint: "export it again from Record3D, as .r3d"))
    do throws(BackdropError) {
      try limits.check(width: result.w, height: result.h)
      if let dw = result.dw, let dh = result.dh { try limits.check(width: dw, height: dh) }
    } catch {
      var error = error.at(path)
      error.hint = error.hint ?? Hint("export it again from Record3D, as .r3d")
      throw error
    }
    guard result.K.count == 9 else {
      throw BackdropError(
        .badData, "the camera matrix has \(result.K.count) numbers, not 9", path: path,
        hint: "export it again from Record3D, as .r3d")
    }
    _ = try result.camera(path)
    return result
  }

  /// The camera of the whole recording.
  func camera(_ path: String) throws(BackdropError) -> Intrinsics {
    try CameraFile.checked(Intrinsics(fx: K[0], fy: K[4], cx: K[6], cy: K[7], width: w, height: h), path)
  }

  /// The camera of a frame, counted from 0.
  func camera(of frame: Int, _ path: String) throws(BackdropError) -> Intrinsics {
    guard let all = perFrameIntrinsicCoeffs, frame < all.count, all[frame].count >= 4 else { return try camera(path) }
    let k = all[frame]
    return try CameraFile.checked(Intrinsics(fx: k[0], fy: k[1], cx: k[2], cy: k[3], width: w, height: h), path)
  }

  /// The pose of a frame, counted from 0, with ARKit's axes converted to those of pictures.
  func pose(of frame: Int) -> Extrinsics? {
    guard let poses, frame < poses.count, poses[frame].count == 7 else { return nil }
    let numbers = poses[frame]
    return Extrinsics(position: Array(numbers[4...6]), quaternion: Array(numbers[0...3]))?.turnedFromGraphics
  }

  /// The time of a frame, counted from 0, in seconds since the start.
  func time(of frame: Int, framesPerSecond: Double) -> Double {
    guard let times = frameTimestamps, frame < times.count, let first = times.first,
      (times[frame] - first).isFinite, abs(times[frame] - first) < 1e9
    else { return Double(frame) / framesPerSecond }
    return times[frame] - first
  }
}
