import BackdropImaging

/// A video format in PipeWire's description (spa/param/format.h, spa/param/video/raw.h), and its layout in a buffer.
struct PipeWireFormat: Equatable {
  var encoding: CameraMode.Encoding
  var width: Int, height: Int
  /// Pictures per second; 0 for a variable rate.
  var rate: Double

  private enum Key {
    static let type: UInt32 = 1
    static let subtype: UInt32 = 2
    static let format: UInt32 = 0x20001
    static let modifier: UInt32 = 0x20002
    static let size: UInt32 = 0x20003
    static let rate: UInt32 = 0x20004
  }

  private static let video: UInt32 = 2
  private static let raw: UInt32 = 1
  private static let h264: UInt32 = 0x20001
  private static let jpegs: UInt32 = 0x20002
  private static let rawFormats: [(id: UInt32, encoding: CameraMode.Encoding)] = [
    (2, .i420), (23, .nv12), (4, .yuyv), (8, .bgra), (12, .bgra), (7, .rgba), (11, .rgba), (15, .rgb), (27, .depth16),
  ]

  // MARK: - Offers

  /// The formats in which a camera of this size has unambiguous row layouts, best first.
  ///
  /// Offered rows have the same length in all programs: GStreamer's programs round lengths up to multiples of four, including chroma's, and
  /// others do not.
  static func offers(width: Int, height: Int, rate: Double) -> [PipeWireFormat] {
    let isEven = height.isMultiple(of: 2)
    var encodings: [CameraMode.Encoding] = []
    if isEven && width.isMultiple(of: 8) { encodings.append(.i420) }
    if width.isMultiple(of: 2) { encodings.append(.yuyv) }
    if isEven && width.isMultiple(of: 4) { encodings.append(.nv12) }
    encodings.append(.bgra)
    return encodings.map { PipeWireFormat(encoding: $0, width: width, height: height, rate: rate) }
  }

  var offer: PodObject {
    // Each format is offered separately, because programs that list a camera's formats ignore choices of pixel formats.
    PodObject(
      PodObject.format, id: 3,
      [
        Key.type: .id(Self.video), Key.subtype: .id(Self.raw),
        Key.format: .id(Self.rawFormats.first { $0.encoding == encoding }?.id ?? 0),
        Key.size: .rectangle(UInt32(width), UInt32(height)), Key.rate: Self.fraction(rate),
      ])
  }

  /// The request to a camera: this encoding, nearest to a size and rate.
  static func request(_ encoding: CameraMode.Encoding, width: Int, height: Int, rate: Double) -> [PodObject] {
    let size = Pod.choice(
      .range, [.rectangle(UInt32(width), UInt32(height)), .rectangle(1, 1), .rectangle(16_384, 16_384)])
    let rate = Pod.choice(.range, [fraction(rate), .fraction(0, 1), .fraction(1000, 1)])
    let subtype = encoding == .mjpeg ? jpegs : encoding == .h264 ? h264 : raw
    let format = PodObject(
      PodObject.format, id: 3, [Key.type: .id(video), Key.subtype: .id(subtype), Key.size: size, Key.rate: rate])
    guard subtype == raw else { return [format] }
    return rawFormats.filter { $0.encoding == encoding }.map {
      var raw = format
      raw.properties.insert(PodObject.Property(key: Key.format, value: .id($0.id)), at: 2)
      return raw
    }
  }

  /// A rate as a fraction: an integer, a multiple of 1000/1001, or in thousandths.
  static func fraction(_ rate: Double) -> Pod {
    let rate = min(max(rate, 0.001), 1000)
    let whole = rate.rounded()
    if abs(rate - whole) < 0.0005 { return .fraction(UInt32(whole), 1) }
    if abs(rate * 1.001 - rate.rounded(.up)) < 0.0005 { return .fraction(UInt32(rate.rounded(.up)) * 1000, 1001) }
    return .fraction(UInt32((rate * 1000).rounded()), 1000)
  }

  /// The format as a camera's only mode.
  var mode: CameraMode { CameraMode(encoding: encoding, width: width, height: height, rates: rate > 0 ? [rate] : []) }

  /// All sizes and rates in an object, as modes of a camera; a range gives its preferred size.
  static func modes(_ object: PodObject) -> [CameraMode] {
    guard let first = PipeWireFormat(object) else { return [] }
    var sizes = [(first.width, first.height)]
    if case .choice(.enumeration, let values) = object[Key.size] {
      for case .rectangle(let width, let height) in values.dropFirst()
      where width > 0 && width <= 16_384 && height > 0 && height <= 16_384 {
        if !sizes.contains(where: { $0 == (Int(width), Int(height)) }) { sizes.append((Int(width), Int(height))) }
      }
    }
    var rates = (object[Key.rate].map { [$0.preferred] + $0.alternatives } ?? []).compactMap(rate)
    rates = Array(Set(rates.filter { $0 > 0 })).sorted(by: >)
    return sizes.map { CameraMode(encoding: first.encoding, width: $0.0, height: $0.1, rates: rates) }
  }

  private static func rate(_ pod: Pod?) -> Double? {
    guard case .fraction(let upper, let lower) = pod, lower > 0 else { return nil }
    return Double(upper) / Double(lower)
  }

  // MARK: - In memory

  /// The layout of a raw picture with a row stride of `stride` bytes for the first plane; `nil` for encoded pictures, and if rows would not
  /// fit.
  func layout(stride: Int? = nil) -> RawLayout? {
    encoding.pixelFormat.flatMap { RawLayout($0, width: width, height: height, stride: stride) }
  }

  /// The request for buffers of this format.
  func buffers(_ layout: RawLayout) -> PodObject {
    PodObject(
      PodObject.buffers, id: 5,
      [
        1: .choice(.range, [.int(8), .int(4), .int(16)]), 2: .int(1), 3: .int(Int32(clamping: layout.byteCount)),
        4: .int(Int32(clamping: layout.strides[0])), 6: .choice(.flags, [.int(6)]),
      ])
  }

  /// The request for timestamps with the buffers.
  static let header = PodObject(PodObject.meta, id: 6, [1: .id(1), 2: .int(32)])
}

extension PipeWireFormat {
  /// The format in an object; `nil` if it is unsupported.
  init?(_ object: PodObject) {
    guard object.kind == PodObject.format, object[Key.type]?.preferred == .id(Self.video),
      case .id(let subtype) = object[Key.subtype]?.preferred,
      case .rectangle(let width, let height) = object[Key.size]?.preferred, width > 0 && width <= 16_384,
      height > 0 && height <= 16_384
    else { return nil }
    switch subtype {
    case Self.raw:
      guard case .id(let format) = object[Key.format]?.preferred, object[Key.modifier] == nil,
        let known = Self.rawFormats.first(where: { $0.id == format })
      else { return nil }
      encoding = known.encoding
    case Self.jpegs: encoding = .mjpeg
    case Self.h264: encoding = .h264
    default: return nil
    }
    self.width = Int(width)
    self.height = Int(height)
    rate = Self.rate(object[Key.rate]?.preferred) ?? 0
  }
}
