import BackdropDepth
import BackdropImaging

/// Reads the values of a ROS message in order: packed as in ROS 1, or as the CDR of ROS 2, which begins with four bytes, aligns each
/// number to its size and ends texts with a zero.
struct BagMessageReader {
  let bytes: [UInt8]
  let isCDR: Bool
  private(set) var position = 0

  init(_ bytes: [UInt8], isCDR: Bool = false) {
    (self.bytes, self.isCDR) = (bytes, isCDR)
    if isCDR { position = 4 }
  }

  static func damaged() -> BackdropError { BackdropError(.badData, "a message ends too early") }

  private mutating func advance(_ count: Int, aligned: Bool = false) throws(BackdropError) -> Int {
    if aligned && isCDR { position += (count - (position - 4) % count) % count }
    guard count >= 0 && count <= bytes.count - position else { throw Self.damaged() }
    position += count
    return position - count
  }

  mutating func byte() throws(BackdropError) -> UInt8 { bytes[try advance(1)] }
  mutating func word() throws(BackdropError) -> UInt32 { bytes.word32(try advance(4, aligned: true)) }
  mutating func float() throws(BackdropError) -> Double { Double(Float(bitPattern: try word())) }
  mutating func double() throws(BackdropError) -> Double {
    Double(bitPattern: bytes.word64(try advance(8, aligned: true)))
  }

  mutating func doubles(_ count: Int) throws(BackdropError) -> [Double] {
    guard count <= 1000 else { throw Self.damaged() }
    var result: [Double] = []
    for _ in 0..<count { result.append(try double()) }
    return result
  }

  /// The range of a length-prefixed part.
  mutating func part() throws(BackdropError) -> Range<Int> {
    let count = Int(try word())
    let start = try advance(count)
    return start..<start + count
  }

  mutating func text() throws(BackdropError) -> String {
    let part = try part()
    guard part.count <= 4096 else { throw Self.damaged() }
    return String(decoding: isCDR && bytes[part].last == 0 ? bytes[part].dropLast() : bytes[part], as: UTF8.self)
  }
}

/// The header of each message (`std_msgs/Header`).
struct BagHeader {
  /// The size of the time in bytes.
  static let byteCount = 12
  /// The time in seconds, by the clock of the camera or of its computer.
  let stamp: Double
  /// librealsense puts a version in place of ROS's frame name: messages of version "1" have the depth units after the picture.
  let name: String

  init(_ reader: inout BagMessageReader) throws(BackdropError) {
    stamp = try Self.time(&reader)
    name = try reader.text()
  }

  static func time(_ reader: inout BagMessageReader) throws(BackdropError) -> Double {
    if !reader.isCDR { _ = try reader.word() }
    let seconds = Double(try reader.word())
    return seconds + Double(try reader.word()) / 1e9
  }
}

/// A stream's camera (`sensor_msgs/CameraInfo`); its principal point is measured from the centre of the first pixel.
enum BagCamera {
  /// Reads the camera; `nil` if it is not calibrated.
  static func read(_ message: [UInt8]) throws(BackdropError) -> CameraModel? {
    var reader = BagMessageReader(message)
    _ = try BagHeader(&reader)
    let height = Int(try reader.word()), width = Int(try reader.word())
    let model = try reader.text()
    let d = try reader.doubles(Int(try reader.word()))
    let k = try reader.doubles(9)
    guard k[0] > 0, k[4] > 0 else { return nil }
    return try Self.model(
      try CameraFile.checked(
        Intrinsics(fx: k[0], fy: k[4], cx: k[2] + 0.5, cy: k[5] + 0.5, width: width, height: height)), model, d)
  }

  static func model(_ camera: Intrinsics, _ model: String, _ d: [Double]) throws(BackdropError) -> CameraModel {
    guard d.contains(where: { $0 != 0 }), d.count >= 5 else { return CameraModel(camera) }
    switch model {
    case "Brown Conrady", "Modified Brown Conrady", "plumb_bob":
      return CameraModel(camera, lens: .brownConrady(k1: d[0], k2: d[1], p1: d[2], p2: d[3], k3: d[4]))
    case "Inverse Brown Conrady":
      return CameraModel(camera, lens: .inverseBrownConrady(k1: d[0], k2: d[1], p1: d[2], p2: d[3], k3: d[4]))
    case "rational_polynomial": return CameraModel(camera, lens: .rational(RationalDistortion(d)))
    case "None": return CameraModel(camera)
    default:
      throw BackdropError(
        .unsupported, "Backdrop does not know the lens model '\(model.prefix(40))' and ignores the lens's distortion")
    }
  }

  /// Reads the transformation from the reference to a stream (`geometry_msgs/Transform`).
  static func extrinsics(_ message: [UInt8]) throws(BackdropError) -> Extrinsics? {
    var reader = BagMessageReader(message)
    return Extrinsics(position: try reader.doubles(3), quaternion: try reader.doubles(4))
  }
}
