import BackdropCodecs
import BackdropImaging
import TestSupport
import Testing

@testable import BackdropPhotos

/// Damaged or malicious files, each with its expected error.
@Suite struct BadPhotoTests {
  /// Reads a photo and decodes all its parts; throws the error of the first omitted part.
  static func readAll(_ bytes: [UInt8]) throws(BackdropError) {
    let photo = try DepthPhoto.read(bytes)
    if let fault = photo.faults.first { throw fault }
    _ = try photo.image()
    _ = try photo.depth()?.disparity
    for kind in photo.mattes { _ = try photo.matte(kind) }
    for image in photo.auxiliaries { _ = try image.samples() }
    _ = try photo.original?.decoded(as: nil)
    _ = photo.metadata.shot
  }

  /// A small file of each form.
  private static func corpus() throws -> [[UInt8]] {
    let photo = try MadePhoto.photo()
    return try [
      photo.jpeg(), photo.jpeg(PhotoFileOptions(form: .dynamicDepth)),
      MadePhoto.gDepth(MadePhoto.gray(32, 24), confidence: MadePhoto.gray(32, 24)),
    ]
  }

  func refuse(
    _ bytes: [UInt8], _ kind: BackdropError.Kind, _ says: String, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let error = #expect(throws: BackdropError.self, sourceLocation: sourceLocation) { try Self.readAll(bytes) }
    #expect(error?.kind == kind, "\(String(describing: error))", sourceLocation: sourceLocation)
    #expect(error?.message.contains(says) == true, "\(String(describing: error))", sourceLocation: sourceLocation)
    #expect(error?.message.contains("\n") == false, sourceLocation: sourceLocation)
  }

  @Test func goodOnesAreGood() throws {
    for bytes in try Self.corpus() { try Self.readAll(bytes) }
  }

  /// A photo truncated at any byte is refused or reports the missing parts: no part disappears silently.
  @Test func truncatedAnywhere() throws {
    for (number, bytes) in try Self.corpus().enumerated() {
      for count in stride(from: 0, to: bytes.count, by: max(1, bytes.count / 400)) {
        #expect(throws: BackdropError.self, "file \(number), \(count) of \(bytes.count) bytes") {
          try Self.readAll(Array(bytes[..<count]))
        }
      }
    }
  }

  @Test func indexOutsideOfTheFile() throws {
    let bytes = try MadePhoto.photo().jpeg()
    let structure = try JPEGStructure(bytes)
    let payload = try #require(structure.payloads(0xE2, mark: JPEGStructure.Segment.mpfMark, in: bytes).first)
    let list = payload.lowerBound + 8 + 2 + 3 * 12 + 4
    // The second entry's size, its offset; the count of images; the length of the list.
    for (offset, value) in [(list + 16 + 4, 0x7FFF_FFFF), (list + 16 + 8, 0xFFFF_FFFF), (list + 16 + 4, 0)] {
      refuse(Self.patched(bytes, at: offset, UInt32(value)), .badData, "image 2 of the photo is at bytes")
    }
    refuse(Self.patched(bytes, at: list + 16 + 8, 1000), .badData, "this is not a JPEG picture")
    refuse(Self.patched(bytes, at: payload.lowerBound + 8 + 2 + 12 + 8, 200), .badData, "the list of images has")
    refuse(Self.patched(bytes, at: payload.lowerBound + 8 + 2 + 12 + 8, 100_000), .overLimit, "lists 100000 images")
    refuse(Self.patched(bytes, at: payload.lowerBound + 8 + 2 + 24 + 8, 0x7FFF_0000), .badData, "lies outside")
    refuse(Self.patched(bytes, at: payload.lowerBound + 4, 0x7FFF_0000), .badData, "byte")
    refuse(Self.patched(bytes, at: payload.lowerBound, 0), .badData, "no TIFF header")
  }

  static func patched(_ bytes: [UInt8], at offset: Int, _ value: UInt32) -> [UInt8] {
    var result = bytes
    for index in 0..<4 { result[offset + index] = UInt8(truncatingIfNeeded: value >> UInt32(24 - 8 * index)) }
    return result
  }

  /// A photo whose depth has this packet.
  func photo(_ packet: [UInt8], _ image: Image = MadePhoto.gray(32, 24)) throws -> [UInt8] {
    let coded = try JPEG.encode(image)
    let depth = Array(coded[..<2]) + (try JPEGAssembly.xmpSegment(packet)) + Array(coded[2...])
    var photo = DepthPhoto(picture: try MadePhoto.jpegPicture())
    photo.auxiliaries = [AuxiliaryImage(.other("mpf:0"), try JPEGPicture(depth), xmp: packet)]
    return try photo.jpeg()
  }

  static let range = "apdi:AuxiliaryImageType=\"disparity\" apdi:FloatMinValue=\"1\" apdi:FloatMaxValue=\"2\""

  @Test func descriptions() throws {
    try Self.readAll(photo(MadePhoto.packet(Self.range)))
    refuse(try photo(MadePhoto.packet("apdi:AuxiliaryImageType=\"disparity\"")), .badData, "has no range")
    refuse(
      try photo(MadePhoto.packet("apdi:AuxiliaryImageType=\"depth\" apdi:FloatMinValue=\"1\"")), .badData,
      "the depth has no range")
    refuse(
      try photo(MadePhoto.packet(Self.range + " apdi:IntMinValue=\"7\" apdi:IntMaxValue=\"7\"")), .badData,
      "stored values")
    refuse(try photo(MadePhoto.packet(Self.range + " apdi:IntMaxValue=\"99999999\"")), .badData, "stored values")
    refuse(
      try photo(Array("<!DOCTYPE a [<!ENTITY b \"c\">]><a>&b;</a>".utf8)), .unsupported, "document type")
    refuse(try photo(MadePhoto.packet(Self.range, "<dc:a>&lol;</dc:a>")), .badData, "the entity &lol;")
    let nested = String(repeating: "<dc:a>", count: 100) + String(repeating: "</dc:a>", count: 100)
    refuse(try photo(MadePhoto.packet(Self.range, nested)), .overLimit, "64 deep")
    refuse(try photo(Array("<a/>".utf8)), .badData, "no RDF")
    refuse(try photo(Array("<a".utf8)), .badData, "XMP packet is damaged")
  }

  /// A depth image whose header claims no rows, or too many.
  @Test(arguments: [(0, 0), (0xFFFF, 0xFFFF), (0, 24)]) func impossibleSizes(_ width: Int, _ height: Int) throws {
    var bytes = try photo(MadePhoto.packet(Self.range))
    // The last frame header of the file belongs to the depth.
    let header = try #require(bytes.indices.last { bytes[$0...].starts(with: [0xFF, 0xC0, 0, 0x0B, 8]) })
    (bytes[header + 5], bytes[header + 6]) = (UInt8(height >> 8), UInt8(height & 255))
    (bytes[header + 7], bytes[header + 8]) = (UInt8(width >> 8), UInt8(width & 255))
    refuse(bytes, width == 0 ? .badData : .overLimit, width == 0 ? "no pixels" : "over the limit")
  }

  @Test func extendedXMP() throws {
    let rest = MadePhoto.packet(
      "GDepth:Data=\"\(MadePhoto.base64(try PNG.encode(MadePhoto.gray(32, 24))))\"")
    let fields = "GDepth:Format=\"RangeInverse\" GDepth:Near=\"1\" GDepth:Far=\"2\""
    func file(
      _ attributes: String = fields, piece: Int = 200, length: Int? = nil,
      _ change: (inout [(offset: Int, bytes: [UInt8])]) -> Void = { _ in }
    ) throws -> [UInt8] {
      try MadePhoto.jpeg(
        MadePhoto.extended(attributes, rest, piece: piece, length: length, change: change))
    }
    try Self.readAll(file())
    try Self.readAll(file { $0.shuffle() })
    refuse(try file { $0.remove(at: 1) }, .badData, "damaged (it has ")
    refuse(try file { $0[1].offset += 1 }, .badData, "missing")
    refuse(try file { $0[1].offset -= 1 }, .badData, "pieces overlap")
    refuse(try file { $0.append($0[0]) }, .badData, "pieces overlap")
    refuse(try file { $0 = [] }, .badData, "all of its pieces are missing")
    refuse(try file(length: 0xFFFF_FFFF), .badData, "damaged (it has ")
    refuse(try file(length: 10), .badData, "outside")
    refuse(try file(fields.replacing("GDepth:Near", with: "dc:Near")), .badData, "Near and Far")
    refuse(try file(fields.replacing("RangeInverse", with: "RangeOther")), .unsupported, "RangeOther")
    refuse(try file(fields + " GDepth:Units=\"furlong\""), .unsupported, "furlong")
    refuse(try file(fields.replacing("\"1\"", with: "\"0\"")), .badData, "RangeInverse cannot")
    refuse(try file(fields.replacing("\"1\"", with: "\"x\"")), .badData, "not a number")
    refuse(
      try MadePhoto.jpeg(MadePhoto.extended(fields, MadePhoto.packet("GDepth:Data=\"!\""))), .badData, "Base64")
    refuse(
      try MadePhoto.jpeg(MadePhoto.extended(fields, MadePhoto.packet("GDepth:Data=\"AAAA\""))), .badData,
      "neither PNG nor JPEG")
  }

  @Test func dynamicDepth() throws {
    let bytes = try MadePhoto.photo().jpeg(PhotoFileOptions(form: .dynamicDepth))
    func changed(_ old: String, _ new: String) throws -> [UInt8] {
      let structure = try JPEGStructure(bytes)
      let payload = try #require(structure.payloads(0xE1, mark: JPEGStructure.Segment.xmpMark, in: bytes).first)
      let packet = String(decoding: bytes[payload], as: UTF8.self)
      #expect(packet.contains(old))
      let start = payload.lowerBound - JPEGStructure.Segment.xmpMark.count - 4
      return Array(bytes[..<start]) + (try JPEGAssembly.xmpSegment(Array(packet.replacing(old, with: new).utf8)))
        + Array(bytes[payload.upperBound...])
    }
    try Self.readAll(changed("<Item:Length>0<", "<Item:Length>9<"))
    refuse(try changed("<Item:Padding>0<", "<Item:Padding>2147483647<"), .badData, "item 1 of the photo")
    refuse(try changed("<Item:Padding>0<", "<Item:Padding>-1<"), .badData, "item 1 of the photo")
    refuse(try changed("<Item:DataURI>android/depthmap", "<Item:DataURI>other"), .badData, "does not contain it")
    refuse(try changed("<DepthMap:Near>", "<DepthMap:Near>x"), .badData, "not a number")
  }
}
