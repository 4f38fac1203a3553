import BackdropImaging
import Foundation
import TestSupport
import Testing

@testable import BackdropCodecs

/// WebP and AVIF on their own; `StillKindTests` compares them with other programs.
@Suite struct WebPAndAVIFTests {
  static let kinds: [PictureFormat] = [.webp, .avif]

  static func decoded(_ bytes: [UInt8], limits: ImageLimits = .standard) throws -> Image {
    try Picture.decode(bytes.span, limits: limits)
  }

  /// Soft colours with some texture and a ramp of alpha.
  static func cutout(_ width: Int = 97, _ height: Int = 61) -> Image {
    var random = SeededRandom(seed: 5)
    var image = smoothImage(width, height)
    for y in 0..<height {
      var row = image.mutableRow(y)
      for x in 0..<width {
        for channel in 0..<3 {
          row[4 * x + channel] = UInt8(clamping: Int(row[4 * x + channel]) + Int.random(in: -6...6, using: &random))
        }
        row[4 * x + 3] = UInt8(x * 255 / (width - 1))
      }
    }
    image.alpha = .straight
    return image
  }

  static func psnr(_ a: Image, _ b: Image) -> Double {
    let (a, b) = (a.converted(to: .rgb8).packedBytes, b.converted(to: .rgb8).packedBytes)
    let sum = zip(a, b).reduce(0.0) { $0 + pow(Double($1.0) - Double($1.1), 2) }
    return 10 * log10(255 * 255 / max(1e-9, sum / Double(a.count)))
  }

  @Test(arguments: kinds) func withoutLossEveryPixelStays(kind: PictureFormat) throws {
    let image = Self.cutout()
    let back = try Self.decoded(Picture.encode(image, as: kind, isLossless: true))
    #expect(back.alpha == .straight && back.format == .rgba8 && back.packedBytes == image.packedBytes)
    let opaque = smoothImage(31, 17)
    let whole = try Self.decoded(Picture.encode(opaque, as: kind, isLossless: true))
    #expect(whole.alpha == .opaque && whole.packedBytes == opaque.packedBytes)
  }

  @Test(arguments: kinds) func alphaIsExactAndQualityOrdersSizes(kind: PictureFormat) throws {
    let image = Self.cutout()
    var sizes: [Int] = []
    for quality in [30, 60, 95] {
      let bytes = try Picture.encode(image, as: kind, quality: quality)
      let back = try Self.decoded(bytes)
      let alpha = { (image: Image) in stride(from: 3, to: image.packedBytes.count, by: 4).map { image.packedBytes[$0] }
      }
      #expect(alpha(back) == alpha(image), "at \(quality)")
      sizes.append(bytes.count)
    }
    #expect(sizes == sizes.sorted() && Set(sizes).count == 3)
  }

  /// A quality number means the same as for JPEG, within 3 dB, and the file is smaller.
  @Test(arguments: kinds, [95, 75, 50]) func qualityIsJPEGs(kind: PictureFormat, quality: Int) throws {
    var image = Self.cutout(320, 240)
    image.alpha = .opaque
    let known = try JPEG.encode(image, quality: quality)
    let bytes = try Picture.encode(image, as: kind, quality: quality)
    let (reference, found) = (
      Self.psnr(image, try JPEG.decode(known)), Self.psnr(image, try Self.decoded(bytes))
    )
    #expect(abs(found - reference) < 3, "\(found) dB, JPEG \(reference) dB")
    #expect(bytes.count < known.count)
  }

  @Test(arguments: kinds) func premultipliedComesOutStraight(kind: PictureFormat) throws {
    var image = Self.cutout(9, 4)
    for y in 0..<4 {
      var row = image.mutableRow(y)
      for x in 0..<9 { for c in 0..<3 { row[4 * x + c] = UInt8(Int(row[4 * x + c]) * Int(row[4 * x + 3]) / 255) } }
    }
    image.alpha = .premultiplied
    let back = try Self.decoded(Picture.encode(image, as: kind, isLossless: true))
    // The same rule as for PNG, implemented separately.
    #expect(try back.packedBytes == PNG.decode(PNG.encode(image)).packedBytes)
  }

  @Test func grayStaysGrayInAVIF() throws {
    let plane = Plane<UInt8>(width: 33, height: 21) { x, y in UInt8(x * 7 + y) }
    let image = Image(gray: plane)
    let back = try Self.decoded(AVIF.encode(image, isLossless: true))
    #expect(back.format == .gray8 && back.packedBytes == image.packedBytes)
    let color = try Self.decoded(WebP.encode(image, isLossless: true))
    #expect(color.format == .rgba8 && color.converted(to: .gray8).packedBytes == image.packedBytes)
  }

  @Test(arguments: kinds, [ColorSpace.sRGB, .displayP3, .adobeRGB]) func colorsAreMarked(
    kind: PictureFormat, space: ColorSpace
  )
    throws
  {
    var image = smoothImage(16, 9)
    image.color.space = space
    let back = try Self.decoded(Picture.encode(image, as: kind, isLossless: true))
    #expect(back.color.space.matches(space), "\(back.color.space.name)")
  }

  /// The decoder refuses or decodes a truncated or changed file: it never crashes, and its error is one line.
  @Test(arguments: kinds, [false, true]) func cutOffAtEveryByte(kind: PictureFormat, isLossless: Bool) throws {
    var image = Self.cutout(24, 16)
    image.color.space = .adobeRGB
    let whole = try Picture.encode(image, as: kind, isLossless: isLossless)
    for count in 0..<whole.count {
      let error = #expect(throws: BackdropError.self, "\(count) of \(whole.count)") {
        try Self.decoded(Array(whole[..<count]))
      }
      #expect(error.map { [.badData, .unsupported].contains($0.kind) && !$0.message.contains("\n") } ?? false)
    }
  }

  @Test(arguments: kinds) func limitsHoldBeforeMemory(kind: PictureFormat) throws {
    let whole = try Picture.encode(smoothImage(40, 30), as: kind)
    for limits in [ImageLimits(side: 39, pixels: 9999), ImageLimits(side: 99, pixels: 1199)] {
      #expect(refusal { try Self.decoded(whole, limits: limits) }?.kind == .overLimit)
    }
  }

  /// Boxes that announce a small picture around a large one: the decoder must not decode the content at its true size.
  @Test func claimsOfAVIF() throws {
    var bytes = try Picture.encode(smoothImage(1024, 768), as: .avif)
    let name = Array("ispe".utf8)
    var count = 0
    for index in bytes.indices.dropLast(16) where bytes[index..<(index + 4)].elementsEqual(name) {
      bytes.replaceSubrange((index + 8)..<(index + 16), with: [0, 0, 0, 64, 0, 0, 0, 64])
      count += 1
    }
    #expect(count > 0)
    let error = refusal { try Self.decoded(bytes) }
    #expect(error?.kind == .badData || error?.kind == .overLimit, "\(String(describing: error))")
  }

  /// A header that claims the largest possible picture, in a file of a few bytes.
  @Test func claimsOfWebP() throws {
    var file = Array("RIFF\0\0\0\0WEBPVP8X".utf8) + [10, 0, 0, 0, 0, 0, 0, 0] + [UInt8](repeating: 255, count: 6)
    file[4] = UInt8(file.count - 8)
    #expect(refusal { try Self.decoded(file) }?.kind == .overLimit)
    // A canvas with the picture partly outside it.
    var inner = try WebP.encode(smoothImage(8, 8), isLossless: true)
    inner = Array(inner[12...])
    let frame: [UInt8] = [9, 0, 0, 0, 0, 0, 7, 0, 0, 7, 0, 0, 1, 0, 0, 0]
    func little(_ value: Int) -> [UInt8] { MadeArchive.word(value, 4) }
    var body = Array("WEBPVP8X".utf8) + little(10) + [2, 0, 0, 0, 15, 0, 0, 15, 0, 0]
    body += Array("ANMF".utf8) + little(16 + inner.count) + frame + inner
    let outside = refusal { try Self.decoded(Array("RIFF".utf8) + little(body.count) + body) }
    #expect(outside?.kind == .badData && outside?.message.contains("outside") == true)
    // If the picture fits, the rest of the canvas is transparent.
    body[body.count - inner.count - 16] = 2
    let placed = try Self.decoded(Array("RIFF".utf8) + little(body.count) + body)
    #expect(placed.width == 16 && placed.alpha == .straight)
    #expect(placed.row(0)[3] == 0 && placed.row(0)[4 * 4 + 3] == 255 && placed.row(8)[4 * 4 + 3] == 0)
  }

  @Test(arguments: kinds, [0, 101]) func qualitiesOutOfRange(kind: PictureFormat, quality: Int) {
    let error = refusal { try Picture.encode(smoothImage(4, 4), as: kind, quality: quality) }
    #expect(error?.kind == .wrongArgument && error?.hint?.text == "choose from 1 (worst) to 100 (best)")
  }

  @Test func sidesThatWebPDoesNotHave() throws {
    let error = refusal { try WebP.encode(Image(gray: Plane<UInt8>(repeating: 9, width: 16_384, height: 1))) }
    #expect(error?.kind == .overLimit && error?.message.contains("16383") == true)
  }
}
