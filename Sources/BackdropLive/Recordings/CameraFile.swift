import BackdropDepth
import BackdropImaging
import Foundation

/// Reads the intrinsics that lie beside a recording.
enum CameraFile {
  /// The camera of a recording, from the first of the known files that is there.
  ///
  /// - Throws: `badData` if that file is not understood.
  static func find(in folder: String, firstStem: String?) throws(BackdropError) -> Intrinsics? {
    let names = [
      "camera.json", "camera_primesense.json", "camera_intrinsic.json", "intrinsics.json", "intrinsic.json",
      "calibration.json",
    ]
    for name in names where FileKind(folder + "/" + name) == .file { return try json(folder + "/" + name) }
    if FileKind(folder + "/camera.txt") == .file { return try text(folder + "/camera.txt") }
    for name in ["camera.xml"] + (firstStem.map { [$0 + "_camera.xml"] } ?? [])
    where FileKind(folder + "/" + name) == .file {
      return try xml(folder + "/" + name)
    }
    return nil
  }

  /// Open3D's camera file, Apple's calibration as apps save it (both column by column), or our own.
  private struct File: Decodable {
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
    let bytes = try InputFile.read(path, limit: 1 << 20)
    let file: File
    do {
      file = try JSONDecoder().decode(File.self, from: Data(bytes))
    } catch {
      throw unknown(path)
    }
    let width = file.width ?? file.intrinsicReferenceDimensionWidth
    let height = file.height ?? file.intrinsicReferenceDimensionHeight
    guard let width, let height else { throw unknown(path) }
    if let matrix = file.intrinsicMatrix ?? file.intrinsic, matrix.count == 9 {
      return try checked(matrix[0], matrix[4], matrix[6], matrix[7], width, height, path)
    }
    guard let fx = file.fx, let fy = file.fy, let cx = file.cx, let cy = file.cy else { throw unknown(path) }
    return try checked(fx, fy, cx, cy, width, height, path)
  }

  /// `fx fy cx cy [width height]`; without a size it is 640×480, the only one of the TUM benchmark.
  private static func text(_ path: String) throws(BackdropError) -> Intrinsics {
    let bytes = try InputFile.read(path, limit: 1 << 16)
    let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n").filter { !$0.hasPrefix("#") }
    let numbers = lines.joined(separator: " ").split { $0.isWhitespace || $0 == "," }.map { Double($0) ?? .nan }
    guard numbers.count == 4 || numbers.count == 6, numbers.allSatisfy({ $0.isFinite && abs($0) < 1e9 }) else {
      throw unknown(path)
    }
    let (width, height) = numbers.count == 6 ? (Int(numbers[4]), Int(numbers[5])) : (640, 480)
    return try checked(numbers[0], numbers[1], numbers[2], numbers[3], width, height, path)
  }

  /// The 3×3 matrix named `intrinsic` of an OpenCV storage file, row by row. The size is not in it: the principal point
  /// is taken to be the middle.
  private static func xml(_ path: String) throws(BackdropError) -> Intrinsics {
    let bytes = try InputFile.read(path, limit: 1 << 20)
    let text = String(decoding: bytes, as: UTF8.self)
    guard let start = text.range(of: "<intrinsic"),
      let open = text.range(of: "<data>", range: start.upperBound..<text.endIndex),
      let close = text.range(of: "</data>", range: open.upperBound..<text.endIndex)
    else { throw unknown(path) }
    let numbers = text[open.upperBound..<close.lowerBound].split { $0.isWhitespace }.map {
      // OpenCV writes `525.` for a whole number.
      Double($0.hasSuffix(".") ? $0 + "0" : $0) ?? .nan
    }
    guard numbers.count == 9, numbers.allSatisfy({ $0.isFinite && abs($0) < 1e6 }) else { throw unknown(path) }
    let (width, height) = (Int((numbers[2] * 2).rounded()), Int((numbers[5] * 2).rounded()))
    return try checked(numbers[0], numbers[4], numbers[2], numbers[5], width, height, path)
  }

  static func checked(
    _ fx: Double, _ fy: Double, _ cx: Double, _ cy: Double, _ width: Int, _ height: Int, _ path: String
  ) throws(BackdropError) -> Intrinsics {
    guard
      fx > 0 && fy > 0 && fx < 1e9 && fy < 1e9 && abs(cx) < 1e9 && abs(cy) < 1e9
        && (1...1_000_000).contains(width) && (1...1_000_000).contains(height)
    else {
      throw BackdropError(
        .badData, "impossible intrinsics: fx \(fx), fy \(fy), cx \(cx), cy \(cy) at \(width)×\(height)", path: path,
        hint: "focal lengths and sizes are above zero; correct them, or record again")
    }
    return Intrinsics(fx: fx, fy: fy, cx: cx, cy: cy, width: width, height: height)
  }

  private static func unknown(_ path: String) -> BackdropError {
    BackdropError(.badData, "this camera file holds no intrinsics that are understood", path: path)
  }
}
