import BackdropImaging

/// The data of a browser's camera or microphone: a header of 16 bytes, then a JPEG picture, or samples of one channel.
///
/// The header, little endian: `BDPC` or `BDSN`; the age of the picture or the first sample in seconds as a Float32; samples per second as a
/// UInt32, 0 for pictures; 4 bytes of 0. Samples are Int16.
enum DeviceMessage: Equatable {
  case picture([UInt8], age: Double)
  case sound([Float], rate: Double, age: Double)

  /// The size of the header in bytes.
  static let headSize = 16
  /// The maximum number of samples in a message: a quarter of a second at 96 kHz.
  static let maximumSamples = 24_000
  /// The maximum age in seconds; older data comes from a page that was suspended.
  static let maximumAge = 5.0

  init(_ bytes: [UInt8]) throws(BackdropError) {
    func number(_ offset: Int) -> UInt32 { (0..<4).reduce(0) { $0 | UInt32(bytes[offset + $1]) << (8 * UInt32($1)) } }
    guard bytes.count > Self.headSize else { throw Self.unknown }
    let age = Double(Float(bitPattern: number(4)))
    guard age.isFinite, (0...Self.maximumAge).contains(age) else { throw Self.unknown }
    switch Array(bytes[0..<4]) {
    case Array("BDPC".utf8): self = .picture(Array(bytes[Self.headSize...]), age: age)
    case Array("BDSN".utf8):
      let (rate, count) = (Double(number(8)), (bytes.count - Self.headSize) / 2)
      guard (8000...96000).contains(rate), count <= Self.maximumSamples, bytes.count % 2 == 0 else {
        throw Self.unknown
      }
      let samples = (0..<count).map { index in
        let offset = Self.headSize + 2 * index
        return Float(Int16(bitPattern: UInt16(bytes[offset]) | UInt16(bytes[offset + 1]) << 8)) / 32768
      }
      self = .sound(samples, rate: rate, age: age)
    default: throw Self.unknown
    }
  }

  private static let unknown = BackdropError(.badData, "the studio does not understand the picture or sound")
}
