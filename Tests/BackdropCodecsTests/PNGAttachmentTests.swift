import BackdropImaging
import Foundation
import TestSupport
import Testing

@testable import BackdropCodecs

@Suite struct PNGAttachmentTests {
  /// The beginning of an ICC profile for a colour space, and noise.
  static func profile(_ space: String, _ count: Int = 600) -> [UInt8] {
    var random = SeededRandom(seed: 8)
    var bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
    bytes.replaceSubrange(16..<20, with: Array(space.utf8))
    return bytes
  }

  /// EXIF with an orientation, 1.
  static let exif: [UInt8] = [
    0x4D, 0x4D, 0, 42, 0, 0, 0, 8, 0, 1, 1, 0x12, 0, 3, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0, 0, 0,
  ]

  @Test(arguments: [(PixelFormat.rgb8, "RGB "), (.rgba8, "RGB "), (.gray8, "GRAY"), (.gray16, "GRAY")])
  func comeBack(format: PixelFormat, space: String) throws {
    var random = SeededRandom(seed: 1)
    let image = Image.noise(format, 9, 7, &random)
    let wanted = PNG.Attachments(profile: Self.profile(space), exif: Self.exif)
    let file = try PNG.encode(image, attachments: wanted)
    #expect(try PNG.attachments(of: file) == wanted)
    #expect(try PNG.decode(file).packedBytes == PNG.decode(PNG.encode(image)).packedBytes)
    let none = PNG.Attachments()
    #expect(try PNG.attachments(of: PNG.encode(image)) == none)
  }

  /// A profile for another kind of picture, and EXIF that is none, would make readers complain.
  @Test func whatReadersRefuseIsLeftOut() throws {
    var random = SeededRandom(seed: 2)
    let (color, gray) = (Image.noise(.rgb8, 5, 4, &random), Image.noise(.gray8, 5, 4, &random))
    for (image, profile, exif) in [
      (color, Self.profile("GRAY"), [1, 2, 3]), (gray, Self.profile("RGB "), Array("Exif\0\0MM".utf8)),
      (color, [UInt8](repeating: 0, count: 19), [UInt8]()),
    ] {
      let file = try PNG.encode(image, attachments: PNG.Attachments(profile: profile, exif: exif))
      #expect(try PNG.attachments(of: file) == PNG.Attachments())
    }
  }

  /// A picture that is cut off is refused; a damaged profile is none.
  @Test func damage() throws {
    var file = try PNG.encode(
      Image(.rgb8, width: 2, height: 2), attachments: PNG.Attachments(profile: Self.profile("RGB ")))
    #expect(throws: BackdropError.self) { try PNG.attachments(of: Array(file.prefix(40))) }
    file[60] ^= 0xFF
    #expect(try PNG.attachments(of: file) == PNG.Attachments())
    #expect(throws: BackdropError.self) { try PNG.attachments(of: []) }
  }
}
