import BackdropCodecs
import BackdropDepth
import BackdropImaging

/// A picture (`sensor_msgs/Image`).
struct BagImage {
  let stamp: Double
  let width: Int, height: Int
  let encoding: String
  let isBigEndian: Bool
  let bytesPerRow: Int
  /// The range of its samples in the message.
  let samples: Range<Int>
  /// Whether the samples are a picture file.
  let isFile: Bool
  /// Metres per unit; `nil` if the message does not give it.
  let depthUnit: Double?
  let message: [UInt8]

  init(_ message: [UInt8], type: String, limits: ImageLimits) throws(BackdropError) {
    guard type != Self.packedType else {
      self = try Self.packed(message, limits)
      return
    }
    var reader = BagMessageReader(message, isCDR: type != "sensor_msgs/Image")
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
    (stamp, self.message, isFile) = (header.stamp, message, false)
  }

  private init(_ stamp: Double, _ encoding: String, _ size: (Int, Int, Int)?, _ message: [UInt8], _ samples: Range<Int>)
  {
    (width, height, bytesPerRow) = size ?? (0, 0, 0)
    (self.stamp, self.encoding, isBigEndian, depthUnit) = (stamp, encoding, false, nil)
    (self.message, self.samples, isFile) = (message, samples, size == nil)
  }

  /// A camera's frame, from its encoding in lower case, its width, height and bytes per row, and its samples.
  init(_ encoding: String, _ size: (Int, Int, Int), _ bytes: [UInt8]) {
    self.init(0, encoding, size, bytes, 0..<bytes.count)
  }

  static let packedType = "sensor_msgs/msg/CompressedImage"
  static let types: Set = ["sensor_msgs/Image", "sensor_msgs/msg/Image", packedType]

  /// A picture file, or samples compressed with Zstandard. The format is `16UC1; compressedDepth png`, `rgb8; png compressed bgr8` or
  /// `YUYV; zstd; 80x60 step=160`.
  private static func packed(_ message: [UInt8], _ limits: ImageLimits) throws(BackdropError) -> BagImage {
    var reader = BagMessageReader(message, isCDR: true)
    let header = try BagHeader(&reader)
    let parts = try reader.text().lowercased().split(separator: ";").map { $0.trimmed }
    let data = try reader.part()
    let encoding = parts.first ?? ""
    guard parts.count > 2, parts[1] == "zstd" else {
      // Three unused numbers come before a depth picture.
      let skipped = parts.count > 1 && parts[1].hasPrefix("compresseddepth") ? min(12, data.count) : 0
      return BagImage(header.stamp, encoding, nil, message, data.lowerBound + skipped..<data.upperBound)
    }
    let numbers = parts[2].split { !$0.isNumber }.compactMap { Int($0) }
    guard numbers.count == 3, numbers[2] > 0, numbers[2] <= 1 << 20 else { throw BagMessageReader.damaged() }
    try limits.check(width: numbers[0], height: numbers[1])
    // A pixel has at most four bytes.
    try limits.check(width: max(numbers[2] / 4, 1), height: numbers[1])
    let bytes = try ChunkUnpacking(.zstd, count: numbers[2] * numbers[1]).result(message.span.extracting(data))
    return BagImage(header.stamp, encoding, (numbers[0], numbers[1], numbers[2]), bytes, 0..<bytes.count)
  }

  /// Whether it contains distances: librealsense calls the encoding mono16, ROS 16UC1.
  var isDepth: Bool { ["mono16", "16uc1", "z16"].contains(encoding) }

  func depth(_ metresPerUnit: Double, _ camera: Intrinsics?, isRegistered: Bool, _ limits: ImageLimits)
    throws(BackdropError)
    -> DepthMap
  {
    guard isDepth else {
      throw BackdropError(
        .unsupported, "Backdrop does not read depth in the format \(encoding)", hint: "record with depth as Z16")
    }
    if isFile {
      let image = try PictureFormat.png.decode(message.span.extracting(samples), limits: limits)
      guard image.format == .gray16 else { throw BackdropError(.badData, "a depth picture has not 16 bits") }
      return try DepthMap(
        units: image.plane(0, as: UInt16.self), unitsPerMetre: 1 / metresPerUnit, intrinsics: camera,
        isRegistered: isRegistered)
    }
    return try DepthMap(
      decoding: message.span.extracting(samples),
      as: DepthEncoding(.uint16, metresPerUnit: metresPerUnit, isBigEndian: isBigEndian), width: width, height: height,
      bytesPerRow: bytesPerRow, intrinsics: camera, isRegistered: isRegistered, limits: limits)
  }

  func picture(_ limits: ImageLimits) throws(BackdropError) -> Image {
    if isFile { return try Picture.decode(message.span.extracting(samples), limits: limits) }
    if encoding == "mjpeg" { return try JPEG.decode(Array(message[samples]), limits: limits) }
    let forms: [String: (format: PixelFormat, bytes: Int, swaps: Swap)] = [
      "rgb8": (.rgb8, 3, .none), "bgr8": (.rgb8, 3, .blue(3)), "rgba8": (.rgba8, 4, .none), "bgra8": (.bgra8, 4, .none),
      "yuyv": (.yuyv, 2, .none), "yuv422": (.yuyv, 2, .pairs), "uyvy": (.yuyv, 2, .pairs), "8uc1": (.gray8, 1, .none),
      "mono8": (.gray8, 1, .none), "y8": (.gray8, 1, .none), "8uc3": (.rgb8, 3, .blue(3)),
    ]
    guard let form = forms[encoding] else {
      throw BackdropError(
        .unsupported, "Backdrop does not read colour in the format \(encoding.prefix(20))",
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
