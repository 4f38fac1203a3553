import BackdropDepth
import BackdropImaging

/// Reads and writes the camera file beside a recording.
///
/// Open3D, OpenCV and therefore the TUM benchmark measure the principal point from the centre of the first pixel (the middle of
/// 640×480 is 319.5, 239.5); ``Intrinsics`` and Apple's calibration measure it from that pixel's corner.
enum CameraFile {
  /// The centre of the first pixel.
  private static let middle = 0.5
  /// The name of a camera file in Open3D's tools.
  static let standardName = "camera_intrinsic.json"

  /// The camera of a recording, from the first known file that exists.
  ///
  /// - Returns: `nil` without such a file; a camera of size 0 if the file gives no size, which is then that of the pictures.
  static func find(in folder: String, firstStem: String?) throws(BackdropError) -> Intrinsics? {
    let names = [
      "camera.json", "camera_primesense.json", standardName, "intrinsics.json", "intrinsic.json", "calibration.json",
    ]
    for name in names where FileKind(folder + "/" + name) == .file { return try json(folder + "/" + name) }
    if FileKind(folder + "/camera.txt") == .file { return try text(folder + "/camera.txt") }
    for name in ["camera.xml"] + (firstStem.map { [$0 + "_camera.xml"] } ?? [])
    where FileKind(folder + "/" + name) == .file { return try xml(folder + "/" + name) }
    return nil
  }

  /// Open3D's camera file, Apple's calibration as apps save it (both with matrices in column order), or ``Intrinsics``.
  private struct File: Codable {
    var width, height: Int?
    var intrinsicMatrix: [Double]?
    var intrinsic: [Double]?
    var intrinsicReferenceDimensionWidth, intrinsicReferenceDimensionHeight: Int?
    var fx, fy, cx, cy: Double?

    enum CodingKeys: String, CodingKey {
      case width, height, intrinsic, fx, fy, cx, cy
      case intrinsicMatrix = "intrinsic_matrix"
      case intrinsicReferenceDimensionWidth, intrinsicReferenceDimensionHeight
    }
  }

  private static func json(_ path: String) throws(BackdropError) -> Intrinsics {
    let file: File = try JSONReader.decode(InputFile.read(path, limit: 1 << 20), failure: unknown(path))
    let width = file.width ?? file.intrinsicReferenceDimensionWidth
    let height = file.height ?? file.intrinsicReferenceDimensionHeight
    guard let width, let height else { throw unknown(path) }
    if let matrix = file.intrinsicMatrix, matrix.count == 9 {
      return try checked(
        Intrinsics(
          fx: matrix[0], fy: matrix[4], cx: matrix[6] + middle, cy: matrix[7] + middle, width: width, height: height),
        path)
    }
    if let matrix = file.intrinsic, matrix.count == 9 {
      return try checked(
        Intrinsics(fx: matrix[0], fy: matrix[4], cx: matrix[6], cy: matrix[7], width: width, height: height), path)
    }
    guard let fx = file.fx, let fy = file.fy, let cx = file.cx, let cy = file.cy else { throw unknown(path) }
    return try checked(Intrinsics(fx: fx, fy: fy, cx: cx, cy: cy, width: width, height: height), path)
  }

  /// Writes a camera in the format of Open3D's `camera_intrinsic.json`.
  static func standard(_ camera: Intrinsics) throws(BackdropError) -> [UInt8] {
    let file = File(
      width: camera.width, height: camera.height,
      intrinsicMatrix: [camera.fx, 0, 0, 0, camera.fy, 0, camera.cx - middle, camera.cy - middle, 1])
    do {
      return try JSONWriter().encode(file) + [UInt8(ascii: "\n")]
    } catch {
      throw BackdropError(.wrongArgument, "Backdrop cannot write the recording's camera: its intrinsics are not finite")
    }
  }

  /// Reads `fx fy cx cy [width height]`; the size defaults to 640×480, the TUM benchmark's only size.
  private static func text(_ path: String) throws(BackdropError) -> Intrinsics {
    let bytes = try InputFile.read(path, limit: 1 << 16)
    let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n").filter { !$0.hasPrefix("#") }
    let numbers = lines.joined(separator: " ").split { $0.isWhitespace || $0 == "," }.map { Double($0) ?? .nan }
    guard numbers.count == 4 || numbers.count == 6, numbers.allSatisfy({ $0.isFinite && abs($0) < 1e9 }) else {
      throw unknown(path)
    }
    let (width, height) = numbers.count == 6 ? (Int(numbers[4]), Int(numbers[5])) : (640, 480)
    return try checked(
      Intrinsics(
        fx: numbers[0], fy: numbers[1], cx: numbers[2] + middle, cy: numbers[3] + middle, width: width, height: height),
      path)
  }

  /// Reads the 3×3 matrix `intrinsic` of an OpenCV storage file, in row order. The file does not contain the size.
  private static func xml(_ path: String) throws(BackdropError) -> Intrinsics {
    let bytes = try InputFile.read(path, limit: 1 << 20)
    let text = String(decoding: bytes, as: UTF8.self)
    guard let start = text.firstRange(of: "<intrinsic"), let open = text[start.upperBound...].firstRange(of: "<data>"),
      let close = text[open.upperBound...].firstRange(of: "</data>")
    else { throw unknown(path) }
    let numbers = text[open.upperBound..<close.lowerBound].split { $0.isWhitespace }.map {
      // OpenCV writes `525.` for an integer.
      Double($0.hasSuffix(".") ? $0 + "0" : $0) ?? .nan
    }
    guard numbers.count == 9, numbers.allSatisfy({ $0.isFinite && abs($0) < 1e6 }) else { throw unknown(path) }
    var result = try checked(
      Intrinsics(fx: numbers[0], fy: numbers[4], cx: numbers[2] + middle, cy: numbers[5] + middle, width: 1, height: 1),
      path)
    (result.width, result.height) = (0, 0)
    return result
  }

  static func checked(_ camera: Intrinsics, _ path: String? = nil) throws(BackdropError) -> Intrinsics {
    let (fx, fy, cx, cy) = (camera.fx, camera.fy, camera.cx, camera.cy)
    guard
      fx > 0 && fy > 0 && fx < 1e9 && fy < 1e9 && abs(cx) < 1e9 && abs(cy) < 1e9
        && (1...1_000_000).contains(camera.width) && (1...1_000_000).contains(camera.height)
    else {
      throw BackdropError(
        .badData,
        "these intrinsics fit no camera: fx \(fx), fy \(fy), cx \(cx), cy \(cy) at \(camera.width)×\(camera.height)",
        path: path, hint: .correctCamera)
    }
    return camera
  }

  static func unknown(_ path: String) -> BackdropError {
    BackdropError(.badData, "this camera file holds no intrinsics that Backdrop understands", path: path)
  }
}
