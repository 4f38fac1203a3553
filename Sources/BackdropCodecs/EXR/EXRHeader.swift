import BackdropImaging

struct EXRHeader {
  /// The storage of a sample.
  enum Kind: Int {
    case whole, half, float

    var byteCount: Int { self == .half ? 2 : 4 }

    func sample(_ raw: UnsafeRawBufferPointer, _ at: Int) -> Float {
      switch self {
      case .whole: Float(UInt32(littleEndian: raw.loadUnaligned(fromByteOffset: at, as: UInt32.self)))
      case .half: EXRHeader.float(half: UInt16(littleEndian: raw.loadUnaligned(fromByteOffset: at, as: UInt16.self)))
      case .float: Float(bitPattern: UInt32(littleEndian: raw.loadUnaligned(fromByteOffset: at, as: UInt32.self)))
      }
    }
  }

  /// A channel, and the number of bytes before it in each pixel.
  struct Channel {
    var name: String
    var kind: Kind
    var offset: Int
  }

  private(set) var channels: [Channel] = []
  private(set) var width = 0, height = 0, top = 0
  private(set) var bytesPerPixel = 0
  private var compression = -1
  private static let packings = ["none", "RLE", "ZIPS", "ZIP", "PIZ", "PXR24", "B44", "B44A", "DWAA", "DWAB"]
  private static let none = 0, zips = 2, zip = 3

  var linesPerBlock: Int { compression == Self.zip ? 16 : 1 }

  /// The channel with the distances.
  var best: Channel? {
    ["Z", "R", "Y", "V", "A"].compactMap { name in channels.first { $0.name == name } }.first ?? channels.first
  }

  init(_ reader: inout EXR.Reader) throws(BackdropError) {
    guard try reader.number(4) == 0x0131_2F76 else {
      throw BackdropError(.badData, "this is not an OpenEXR file", hint: "export or copy the file again")
    }
    let version = try reader.number(4)
    guard version & 0xFF == 2, version & 0x1A00 == 0 else {
      throw BackdropError(
        .unsupported, "Backdrop does not read OpenEXR files with tiles, deep samples or several parts",
        hint: "save it again in scan lines")
    }
    while true {
      let name = try reader.text()
      if name.isEmpty { break }
      _ = try reader.text()
      let count = try reader.number(4)
      guard count >= 0 && count <= reader.rest else { throw EXR.damaged("it ends too early") }
      let end = reader.position + count
      switch name {
      case "channels": try readChannels(&reader, end)
      case "compression": compression = try reader.number(1)
      case "dataWindow":
        let (left, first, right, last) = (
          try reader.number(4), try reader.number(4), try reader.number(4), try reader.number(4)
        )
        (width, height, top) = (right - left + 1, last - first + 1, first)
      default: break
      }
      reader.position = end
    }
    guard [Self.none, Self.zips, Self.zip].contains(compression) else {
      let name = Self.packings.indices.contains(compression) ? Self.packings[compression] : "\(compression)"
      throw BackdropError(
        .unsupported, "Backdrop does not read OpenEXR files with \(name) compression",
        hint: "save it again with ZIP compression")
    }
  }

  private mutating func readChannels(_ reader: inout EXR.Reader, _ end: Int) throws(BackdropError) {
    channels = []
    bytesPerPixel = 0
    while reader.position < end {
      let name = try reader.text()
      if name.isEmpty { break }
      guard let kind = Kind(rawValue: try reader.number(4)), channels.count < 64 else {
        throw EXR.damaged("a channel of no known kind")
      }
      _ = try reader.number(4)
      guard try reader.number(4) == 1, try reader.number(4) == 1 else {
        throw BackdropError(
          .unsupported, "Backdrop does not read OpenEXR files with subsampled channels",
          hint: "save it again with all samples")
      }
      channels.append(Channel(name: name, kind: kind, offset: bytesPerPixel))
      bytesPerPixel += kind.byteCount
    }
  }

  func unpacked(_ packed: [UInt8], _ count: Int) throws(BackdropError) -> [UInt8] {
    // A block that compression would enlarge is stored uncompressed.
    if packed.count == count { return packed }
    guard compression != Self.none, packed.count > 6 else { throw EXR.damaged("a block has another length") }
    // Skip zlib's header of two bytes and its checksum of four.
    let deflated = packed.span.extracting(2..<packed.count - 4)
    guard var mixed = try Inflating(count: count).result(deflated) else {
      throw EXR.damaged("a block does not unpack")
    }
    for index in 1..<max(count, 1) { mixed[index] = mixed[index] &+ mixed[index - 1] &- 128 }
    var result = [UInt8](repeating: 0, count: count)
    let middle = (count + 1) / 2
    for index in 0..<count { result[index] = mixed[index % 2 == 0 ? index / 2 : middle + index / 2] }
    return result
  }

  /// Converts IEEE 754 binary16 without an instruction of newer processors.
  private static func float(half bits: UInt16) -> Float {
    let sign = UInt32(bits & 0x8000) << 16
    let rest = UInt32(bits & 0x7FFF)
    if rest >= 0x7C00 { return Float(bitPattern: sign | 0x7F80_0000 | (rest & 0x3FF) << 13) }
    return Float(bitPattern: sign | (rest << 13)) * 0x1p112
  }
}
