import BackdropCodecs
import BackdropImaging

/// XMP that is too long for one segment of a JPEG file (XMP, part 3: Storage in Files, section 1.1.3.1).
enum ExtendedXMP {
  static let identifierName = XMLName("http://ns.adobe.com/xmp/note/", "HasExtendedXMP")
  /// The longest piece that fits into a segment.
  private static let pieceSize = 65_400

  /// A packet's name for its extension; `nil` if it has none.
  static func identifier(in packet: XMPPacket) -> String? { packet.properties[identifierName]?.text }

  /// Assembles the pieces of an extension, in any order.
  static func assemble(
    _ identifier: String, of structure: JPEGStructure, in bytes: [UInt8]
  ) throws(BackdropError) -> [UInt8] {
    var pieces: [(offset: Int, content: Range<Int>)] = []
    var length: Int?
    var total = 0
    for payload in structure.payloads(0xE1, mark: JPEGStructure.Segment.extendedXMPMark, in: bytes) {
      var reader = ByteReader(bytes, in: payload)
      // A piece with another identifier belongs to an earlier version of the file.
      guard String(decoding: try reader.data(32), as: UTF8.self) == identifier else { continue }
      let claimed = try reader.uint32()
      guard length ?? claimed == claimed else {
        throw damaged("its pieces give different lengths, \(length ?? 0) and \(claimed)")
      }
      length = claimed
      let offset = try reader.uint32()
      pieces.append((offset, reader.position..<payload.upperBound))
      total += reader.left
    }
    guard let length else { throw damaged("all of its pieces are missing") }
    // The existing data limits the allocation, not the claimed length.
    guard total >= length else { throw damaged("it has \(total) of \(length) bytes") }
    var result: [UInt8] = []
    result.reserveCapacity(length)
    for piece in pieces.sorted(by: { $0.offset < $1.offset }) {
      guard piece.offset == result.count else {
        throw damaged(
          piece.offset > result.count
            ? "bytes \(result.count)…\(piece.offset) are missing" : "pieces overlap at byte \(piece.offset)")
      }
      guard piece.offset + piece.content.count <= length else { throw damaged("a piece lies outside the whole") }
      result += bytes[piece.content]
    }
    guard result.count == length else { throw damaged("it has \(result.count) of \(length) bytes") }
    return result
  }

  /// The segments of an extension, and the property that names it.
  static func segments(_ packet: [UInt8]) throws(BackdropError) -> (link: XMPProperty, segments: [[UInt8]]) {
    let identifier = MD5.digest(packet).map { ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true) }.joined()
    let segments = try stride(from: 0, to: packet.count, by: pieceSize).map { offset throws(BackdropError) in
      var writer = ByteWriter()
      writer.data(JPEGStructure.Segment.extendedXMPMark)
      writer.data(identifier.utf8)
      writer.uint32(packet.count)
      writer.uint32(offset)
      writer.data(packet[offset..<min(offset + pieceSize, packet.count)])
      return try JPEGAssembly.segment(0xE1, writer.bytes)
    }
    return (XMPProperty(identifierName.namespace, identifierName.local, identifier), segments)
  }

  private static func damaged(_ what: String) -> BackdropError {
    BackdropError(damaged: "the extended XMP is damaged (\(what))")
  }
}
