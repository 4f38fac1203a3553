import BackdropCodecs
import BackdropDepth
import BackdropImaging
import Foundation
import TestSupport
import Testing

@testable import BackdropPhotos

/// Depth of up to 16 bits in HEIC files, as lossless JPEG.
@Suite struct HEICLosslessJPEGTests {
  /// Encodes lossless grey (ITU-T T.81, annex H): each sample minus its left neighbour, with Huffman codes of five bits.
  static func losslessJPEG(_ plane: Plane<UInt16>, bits: Int) -> [UInt8] {
    var writer = ByteWriter()
    for (value, size) in [
      (0xFFD8, 2), (0xFFC3, 2), (11, 2), (bits, 1), (plane.height, 2), (plane.width, 2), (1, 1), (1, 1), (0x11, 1),
      (0, 1),
    ] {
      writer.number(UInt64(value), size: size)
    }
    writer.uint16(0xFFC4)
    writer.uint16(36)
    writer.uint8(0)
    writer.data((1...16).map { $0 == 5 ? 17 : 0 })
    writer.data((0...16).map { UInt8($0) })
    for (value, size) in [(0xFFDA, 2), (8, 2), (1, 1), (1, 1), (0, 1), (1, 1), (0, 1), (0, 1)] {
      writer.number(UInt64(value), size: size)
    }
    var (store, count) = (0, 0)
    func put(_ value: Int, _ bits: Int) {
      store = store << bits | value
      count += bits
      while count >= 8 {
        let byte = store >> (count - 8) & 255
        writer.uint8(byte)
        if byte == 255 { writer.uint8(0) }
        count -= 8
        store &= (1 << count) - 1
      }
    }
    for (y, x) in product(0..<plane.height, 0..<plane.width) {
      let guess = x > 0 ? Int(plane[x - 1, y]) : y > 0 ? Int(plane[0, y - 1]) : 1 << (bits - 1)
      var difference = (Int(plane[x, y]) - guess) & 0xFFFF
      if difference > 32_768 { difference -= 65_536 }
      let length = Int.bitWidth - abs(difference).leadingZeroBitCount
      put(difference == 32_768 ? 16 : length, 5)
      if length > 0 && difference != 32_768 {
        put(difference > 0 ? difference : difference + 1 << length - 1, length)
      }
    }
    if count > 0 { put(1 << (8 - count) - 1, 8 - count) }
    writer.uint16(0xFFD9)
    return writer.bytes
  }

  static func codes(bits: Int) -> Plane<UInt16> {
    var random = SeededRandom(seed: 9)
    var plane = Plane<UInt16>(repeating: 0, width: 32, height: 24)
    let greatest = 1 << bits - 1
    for (y, x) in product(0..<24, 0..<32) {
      plane[x, y] = UInt16(min(greatest, (x * 60 + y * 23) * greatest / 2500 + Int.random(in: 0...9, using: &random)))
    }
    // FFmpeg's decoder does not support a difference of exactly 32768, which T.81 encodes without bits.
    (plane[0, 0], plane[31, 23]) = (1, UInt16(greatest))
    return plane
  }

  /// A photo with such a picture as its depth; `coded` may be anything.
  static func photo(_ coded: [UInt8], bits: Int, width: Int = 32, height: Int = 24) throws -> [UInt8] {
    var draft = HEICDraft()
    try draft.setPrimary(MadePhoto.picture())
    let id = try draft.add(
      "jpeg", HEICDraft.Content(coded),
      [
        .init(.size(width: width, height: height), isEssential: false), .init(.bits([bits]), isEssential: false),
        .init(.auxiliaryType(AuxiliaryKind.depth.urn, subtype: []), isEssential: true),
      ], isHidden: true)
    draft.references.append(ItemReference("auxl", from: id, to: [draft.primary]))
    let depth = DepthProperties(.depth, .uint16, first: 0.5, last: 10, accuracy: .absolute)
    try draft.setXMP(AuxiliaryXMP(kind: .depth, depth: depth).packet, of: id)
    return try draft.encoded()
  }

  @Test(.enabled(if: HEICTool.canEncode, "needs an HEVC encoder"), arguments: [16, 14, 12])
  func everyCode(bits: Int) throws {
    let codes = Self.codes(bits: bits)
    let photo = try DepthPhoto.read(Self.photo(Self.losslessJPEG(codes, bits: bits), bits: bits))
    #expect(photo.faults.isEmpty, "\(photo.faults)")
    let depth = try #require(try photo.depth())
    let samples = depth.samples.plane(as: UInt16.self)
    for y in 0..<24 { for x in 0..<32 { #expect(samples[x, y] == codes[x, y]) } }
    // A HEIC copy keeps the encoded bytes, and a JPEG copy stores all 16 bits as PNG.
    let again = try #require(try DepthPhoto.read(photo.heic()).depth())
    #expect(again.samples.packedBytes == depth.samples.packedBytes)
    let dynamic = try #require(try DepthPhoto.read(photo.jpeg(PhotoFileOptions(form: .dynamicDepth))).depth())
    let (one, other) = (depth.depth.metres, dynamic.depth.metres)
    for y in 0..<24 { for x in 0..<32 { #expect(abs(one[x, y] - other[x, y]) < 0.001) } }
  }

  @Test(.enabled(if: HEICTool.canEncode, "needs an HEVC encoder")) func damage() throws {
    let whole = Self.losslessJPEG(Self.codes(bits: 16), bits: 16)
    for (bytes, width) in [
      (Array(whole[..<200]), 32), (whole, 33), ([1, 2, 3], 32), (try JPEG.encode(MadePhoto.picture(32, 24)), 32),
    ] {
      let photo = try DepthPhoto.read(Self.photo(bytes, bits: 16, width: width))
      let error = #expect(throws: BackdropError.self) { try photo.depth() }
      #expect(error.map { [.badData, .unsupported].contains($0.kind) } ?? false, "\(error)")
      // The damage does not affect the picture.
      #expect(try photo.image().width == 64)
    }
  }

  /// FFmpeg's decoder supports 8, 9, 10 and 12 bits, and refuses 16-bit HEVC; the error names it.
  @Test func otherCodings() throws {
    var made = MadeHEIC()
    made.properties = [.size(width: 16, height: 16)]
    made.items = [MadeHEIC.Item(id: 1, type: "j2k1", pieces: [[1, 2, 3]], properties: [(1, false)])]
    let file = try HEICFile(made.bytes())
    let error = refusal { try file.decode(file.primary) }
    #expect(error?.kind == .unsupported && error?.message.contains("not HEVC or JPEG") == true)
  }
}
