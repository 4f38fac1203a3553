import BackdropCodecs
import BackdropDepth
import BackdropImaging

/// Reads the numbers of a ROS message one after the other.
struct BagMessageReader {
  let bytes: [UInt8]
  private(set) var position = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  static func damaged() -> BackdropError { BackdropError(.badData, "a message is cut off") }

  private mutating func take(_ count: Int) throws(BackdropError) -> Int {
    guard count >= 0 && count <= bytes.count - position else { throw Self.damaged() }
    position += count
    return position - count
  }

  mutating func byte() throws(BackdropError) -> UInt8 { bytes[try take(1)] }
  mutating func word() throws(BackdropError) -> UInt32 { bytes.word32(try take(4)) }
  mutating func float() throws(BackdropError) -> Double { Double(Float(bitPattern: try word())) }
  mutating func double() throws(BackdropError) -> Double { Double(bitPattern: bytes.word64(try take(8))) }

  mutating func doubles(_ count: Int) throws(BackdropError) -> [Double] {
    guard count <= 1000 else { throw Self.damaged() }
    var result: [Double] = []
    for _ in 0..<count { result.append(try double()) }
    return result
  }

  /// The place of so many bytes as a length says.
  mutating func part() throws(BackdropError) -> Range<Int> {
    let count = Int(try word())
    let start = try take(count)
    return start..<start + count
  }

  mutating func text() throws(BackdropError) -> String {
    let part = try part()
    guard part.count <= 4096 else { throw Self.damaged() }
    return String(decoding: bytes[part], as: UTF8.self)
  }
}

/// The head of each message (`std_msgs/Header`).
struct BagHeader {
  /// Bytes that hold the time.
  static let byteCount = 12
  /// Seconds, by the clock of the camera or of its computer.
  let stamp: Double
  /// librealsense writes a version where ROS has the frame's name: "1" has the depth units behind the picture.
  let name: String

  init(_ reader: inout BagMessageReader) throws(BackdropError) {
    stamp = try Self.time(&reader)
    name = try reader.text()
  }

  static func time(_ reader: inout BagMessageReader) throws(BackdropError) -> Double {
    _ = try reader.word()
    let seconds = Double(try reader.word())
    return seconds + Double(try reader.word()) / 1e9
  }
}

/// A picture (`sensor_msgs/Image`).
struct BagImage {
  let stamp: Double
  let width: Int, height: Int
  let encoding: String
  let isBigEndian: Bool
  let bytesPerRow: Int
  /// Where its samples are in the message.
  let samples: Range<Int>
  /// Metres of a unit; `nil` where the message does not tell.
  let depthUnit: Double?
  let message: [UInt8]

  init(_ message: [UInt8], limits: ImageLimits) throws(BackdropError) {
    var reader = BagMessageReader(message)
    let header = try BagHeader(&reader)
    height = Int(try reader.word())
    width = Int(try reader.word())
    try limits.check(width: width, height: height)
    encoding = try reader.text().lowercased()
    isBigEndian = try reader.byte() != 0
    bytesPerRow = Int(try reader.word())
    samples = try reader.part()
    var unit: Double?
    if header.name == "1", message.count - reader.position >= 4 { unit = try reader.float() }
    depthUnit = unit.flatMap { $0 > 0 && $0 < 1 ? $0 : nil }
    (stamp, self.message) = (header.stamp, message)
  }

  /// Whether it holds distances: librealsense calls them mono16, ROS 16UC1.
  var isDepth: Bool { ["mono16", "16uc1", "z16"].contains(encoding) }

  func depth(_ metresPerUnit: Double, _ camera: Intrinsics?, isRegistered: Bool, _ limits: ImageLimits)
    throws(BackdropError)
    -> DepthMap
  {
    guard isDepth else {
      throw BackdropError(.unsupported, "depth of the format \(encoding) is not read", hint: "record with depth as Z16")
    }
    return try DepthMap(
      decoding: message.span.extracting(samples),
      as: DepthEncoding(.uint16, metresPerUnit: metresPerUnit, isBigEndian: isBigEndian), width: width, height: height,
      bytesPerRow: bytesPerRow, intrinsics: camera, isRegistered: isRegistered, limits: limits)
  }

  func picture(_ limits: ImageLimits) throws(BackdropError) -> Image {
    if encoding == "mjpeg" { return try JPEG.decode(Array(message[samples]), limits: limits) }
    let forms: [String: (format: PixelFormat, bytes: Int, swaps: Swap)] = [
      "rgb8": (.rgb8, 3, .none), "bgr8": (.rgb8, 3, .blue(3)), "rgba8": (.rgba8, 4, .none), "bgra8": (.bgra8, 4, .none),
      "yuyv": (.yuyv, 2, .none), "yuv422": (.yuyv, 2, .pairs), "uyvy": (.yuyv, 2, .pairs), "8uc1": (.gray8, 1, .none),
      "mono8": (.gray8, 1, .none), "y8": (.gray8, 1, .none), "8uc3": (.rgb8, 3, .blue(3)),
    ]
    guard let form = forms[encoding] else {
      throw BackdropError(
        .unsupported, "colour of the format \(encoding.prefix(20)) is not read",
        hint: "record with RGB8, BGR8, RGBA8, BGRA8, YUYV, UYVY or MJPEG")
    }
    let rowBytes = form.format == .yuyv ? (width + 1) / 2 * 4 : width * form.bytes
    guard bytesPerRow >= rowBytes, samples.count >= bytesPerRow * (height - 1) + rowBytes else {
      throw BackdropError(.badData, "a picture of \(width)×\(height) is cut off")
    }
    var packed: [UInt8]
    if bytesPerRow == rowBytes {
      packed = Array(message[samples.lowerBound..<samples.lowerBound + rowBytes * height])
    } else {
      packed = []
      packed.reserveCapacity(rowBytes * height)
      for y in 0..<height {
        let start = samples.lowerBound + y * bytesPerRow
        packed += message[start..<start + rowBytes]
      }
    }
    form.swaps.apply(&packed)
    return try Image(form.format, width: width, height: height, packed: packed.span, color: .jpeg)
  }

  /// Which bytes change places.
  private enum Swap {
    case none, pairs, blue(Int)

    func apply(_ bytes: inout [UInt8]) {
      switch self {
      case .none: break
      case .pairs: for index in stride(from: 0, to: bytes.count - 1, by: 2) { bytes.swapAt(index, index + 1) }
      case .blue(let size):
        for index in stride(from: 0, to: bytes.count - 2, by: size) { bytes.swapAt(index, index + 2) }
      }
    }
  }
}

/// A stream's camera (`sensor_msgs/CameraInfo`); its principal point is counted from the middle of the first pixel.
enum BagCamera {
  /// The camera; `nil` of one that nobody calibrated.
  static func read(_ message: [UInt8]) throws(BackdropError) -> CameraModel? {
    var reader = BagMessageReader(message)
    _ = try BagHeader(&reader)
    let height = Int(try reader.word()), width = Int(try reader.word())
    let model = try reader.text()
    let d = try reader.doubles(Int(try reader.word()))
    let k = try reader.doubles(9)
    guard k[0] > 0, k[4] > 0 else { return nil }
    let camera = try CameraFile.checked(k[0], k[4], k[2] + 0.5, k[5] + 0.5, width, height, nil)
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
        .unsupported, "the lens model '\(model.prefix(40))' is not known: its lens is taken to be straight")
    }
  }

  /// From the reference to a stream (`geometry_msgs/Transform`).
  static func place(_ message: [UInt8]) throws(BackdropError) -> Extrinsics? {
    var reader = BagMessageReader(message)
    return Extrinsics(position: try reader.doubles(3), quaternion: try reader.doubles(4))
  }
}
