import BackdropImaging
import Foundation
import TestSupport
import Testing

@testable import BackdropCodecs

@Suite struct PNGChunkTests {
  /// The beginning of an ICC profile for a colour space, followed by noise.
  static func profile(_ space: String, _ count: Int = 600) -> [UInt8] {
    var random = SeededRandom(seed: 8)
    var bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
    bytes.replaceSubrange(16..<20, with: Array(space.utf8))
    return bytes
  }

  /// EXIF with orientation 1.
  static let exif: [UInt8] = [
    0x4D, 0x4D, 0, 42, 0, 0, 0, 8, 0, 1, 1, 0x12, 0, 3, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0, 0, 0,
  ]

  /// A picture with any profile.
  static func image(_ format: PixelFormat, _ profile: [UInt8], seed: UInt64 = 1) -> Image {
    var random = SeededRandom(seed: seed)
    var image = Image.noise(format, 9, 7, &random)
    image.color.space = ColorSpace(ColorProfile(profile))
    return image
  }

  static func header(_ file: [UInt8]) throws -> PictureHeader { try PictureFormat.png.header(of: file.span) }
  static func profile(of file: [UInt8]) throws -> [UInt8]? { try Self.header(file).colorSpace.profile?.bytes }

  @Test(arguments: [(PixelFormat.rgb8, "RGB "), (.rgba8, "RGB "), (.gray8, "GRAY"), (.gray16, "GRAY")])
  func comeBack(format: PixelFormat, space: String) throws {
    let image = Self.image(format, Self.profile(space))
    let file = try PNG.encode(image, metadata: PictureMetadata(exif: Self.exif))
    #expect(try Self.profile(of: file) == Self.profile(space))
    #expect(try PNG.decode(file).color.space == image.color.space)
    #expect(PNG.metadata(of: file.span).exif == Self.exif)
    var plain = image
    plain.color.space = .sRGB
    let bare = try PNG.encode(plain)
    #expect(try PNG.decode(file).packedBytes == PNG.decode(bare).packedBytes)
    #expect(try Self.profile(of: bare) == nil && PNG.metadata(of: bare.span) == PictureMetadata())
    #expect(try PNG.decode(bare).color.space == .sRGB)
  }

  /// The encoder leaves out profiles for another kind of picture and invalid EXIF, because readers complain about them.
  @Test func whatReadersRefuseIsLeftOut() throws {
    for (format, profile, exif) in [
      (PixelFormat.rgb8, Self.profile("GRAY"), [1, 2, 3]), (.gray8, Self.profile("RGB "), Array("Exif\0\0MM".utf8)),
      (.rgb8, [UInt8](repeating: 0, count: 19), [UInt8]()),
    ] {
      let file = try PNG.encode(Self.image(format, profile), metadata: PictureMetadata(exif: exif))
      #expect(try Self.profile(of: file) == nil && PNG.metadata(of: file.span).exif == nil)
    }
  }

  /// A truncated picture is refused; a damaged profile is ignored.
  @Test func damage() throws {
    var file = try PNG.encode(Self.image(.rgb8, Self.profile("RGB ")))
    #expect(PNG.metadata(of: Array(file.prefix(40)).span) == PictureMetadata())
    file[60] ^= 0xFF
    #expect(try Self.profile(of: file) == nil)
    #expect(PNG.metadata(of: [UInt8]().span) == PictureMetadata())
    #expect(throws: BackdropError.self) { try Self.header([]) }
  }

  /// The chunk of the highest precedence counts (PNG specification, third edition, section 4.3).
  @Test func colourChunks() throws {
    func file(_ chunks: [(String, [UInt8])]) throws -> [UInt8] {
      var bytes = try PNG.encode(Image(.rgb8, width: 2, height: 2))
      for (name, content) in chunks.reversed() {
        bytes.insert(contentsOf: MadePNG.chunk(name, content), at: 33)
      }
      return bytes
    }
    func space(_ chunks: [(String, [UInt8])]) throws -> ColorSpace {
      let bytes = try file(chunks)
      let space = try Self.header(bytes).colorSpace
      #expect(try PNG.decode(bytes).color.space == space)
      return space
    }
    // Chromaticities of Display P3 and gammas in 1/100000.
    let p3 = [31270, 32900, 68000, 32000, 26500, 69000, 15000, 6000].flatMap(MadePNG.word)
    #expect(try space([("sRGB", [0])]) == .sRGB)
    #expect(try space([("gAMA", MadePNG.word(45455))]) == .sRGB)
    #expect(try space([("gAMA", MadePNG.word(100_000))]) == ColorSpace(.bt709, .linear))
    #expect(try space([("gAMA", MadePNG.word(45455)), ("cHRM", p3)]) == .displayP3)
    #expect(try space([("sRGB", [0]), ("gAMA", MadePNG.word(100_000)), ("cHRM", p3)]) == .sRGB)
    #expect(try space([("cICP", [12, 13, 0, 1]), ("sRGB", [0])]) == .displayP3)
    #expect(try space([("cICP", [9, 16, 0, 1])]) == ColorSpace(.bt2020, .pq))
    // Not R′G′B′ at full range, or truncated: the next chunk counts.
    #expect(try space([("cICP", [12, 13, 1, 1]), ("sRGB", [0])]) == .sRGB)
    #expect(try space([("cICP", [12, 13, 0]), ("gAMA", MadePNG.word(45455))]) == .sRGB)
    #expect(try space([("gAMA", MadePNG.word(1))]) == .sRGB)
  }

  @Test func highDynamicRangeHasCodePoints() throws {
    var image = Image(.rgb8, width: 3, height: 2)
    for transfer in [ColorSpace.Transfer.pq, .hlg] {
      image.color.space = ColorSpace(.bt2020, transfer)
      #expect(try PNG.decode(PNG.encode(image)).color.space == image.color.space)
    }
  }
}
