import BackdropCodecs
import BackdropImaging
import Foundation
import TestSupport
import Testing

/// A smooth colour picture: red grows to the right, green downwards, blue falls along the diagonal.
func smoothImage(_ width: Int, _ height: Int) -> Image {
  Image.drawn(.rgba8, width, height, color: .jpeg) { x, y in
    let (red, green) = (255 * x / max(1, width - 1), 255 * y / max(1, height - 1))
    let blue = 255 - 255 * (x + y) / max(1, width + height - 2)
    return [red, green, blue, 255]
  }
}

func psnr(_ a: [UInt8], _ b: [UInt8]) -> Double {
  let sum = zip(a, b).reduce(0.0) { $0 + (Double($1.0) - Double($1.1)) * (Double($1.0) - Double($1.1)) }
  return sum == 0 ? .infinity : 10 * log10(255 * 255 * Double(a.count) / sum)
}

@Suite struct JPEGTests {
  static let sizes = [(1, 1), (1, 9), (2, 2), (7, 5), (16, 16), (17, 33), (64, 48)]

  @Test(
    "What was encoded comes back, nearly",
    arguments: [PixelFormat.rgba8, .bgra8, .rgb8, .gray8, .i420, .nv12, .yuyv], sizes)
  func roundTrip(format: PixelFormat, size: (Int, Int)) throws {
    let image = smoothImage(size.0, size.1).converted(to: format)
    for subsampling in JPEG.Subsampling.allCases {
      let file = try JPEG.encode(image, quality: 98, subsampling: subsampling)
      let back = try JPEG.decode(file)
      #expect(back.width == size.0 && back.height == size.1)
      #expect(back.format == (format == .gray8 ? .gray8 : .rgba8))
      #expect(back.alpha == .opaque && back.orientation == .up)
      let reference = image.converted(to: back.format)
      // Halved chroma cannot follow the steep ramps at tiny sizes.
      if size.0 * size.1 > 500 || size.0 * size.1 == 1 || (subsampling == .full && !format.isYUV) {
        #expect(psnr(back.packedBytes, reference.packedBytes) > 34, "\(format) \(size) \(subsampling)")
      }
    }
  }

  @Test("Every result format shows the same picture", arguments: PixelFormat.allCases)
  func requestedFormat(format: PixelFormat) throws {
    for subsampling in JPEG.Subsampling.allCases {
      let file = try JPEG.encode(smoothImage(37, 21), subsampling: subsampling)
      let image = try JPEG.decode(file, as: format)
      #expect(image.format == format && image.color == .jpeg)
      // libjpeg-turbo upsamples chroma with the same triangle filter as Backdrop's conversion.
      let keepsSamples = subsampling == .half && (format == .i420 || format == .nv12)
      let decoded = try JPEG.decode(file)
      let reference = keepsSamples ? decoded : decoded.converted(to: format).converted(to: .rgba8)
      #expect(psnr(image.converted(to: .rgba8).packedBytes, reference.packedBytes) > 38)
    }
  }

  @Test("4:2:0 samples go in and out without conversion")
  func planes() throws {
    let image = smoothImage(35, 23).converted(to: .i420)
    let once = try JPEG.decode(JPEG.encode(image, quality: 100), as: .i420)
    // At quality 100 all divisors are 1, so only the two cosine transforms round.
    let largest = zip(image.packedBytes, once.packedBytes).map { abs(Int($0) - Int($1)) }.max() ?? 0
    #expect(largest <= 2)
  }

  @Test("FFmpeg sees the same picture", .enabled(if: MediaTool.isPresent, "needs ffmpeg"))
  func independentReader() throws {
    let folder = TemporaryFolder()
    let image = smoothImage(45, 31)
    let path = folder.file("a.jpg")
    try Picture.save(image, to: OutputFile(path, overwrite: false), quality: 95)
    #expect(psnr(try MediaTool.pixels(path, "rgba"), image.packedBytes) > 34)
    // Both decoders must agree on the stored samples.
    let planes = try JPEG.decode(InputFile.read(path), as: .i420)
    let theirs = psnr(try MediaTool.pixels(path, "yuvj420p"), planes.packedBytes)
    #expect(theirs > 48)
  }

  @Test("FFmpeg's 4:2:2 and 4:4:4 files are read", .enabled(if: MediaTool.isPresent, "needs ffmpeg"))
  func independentWriter() throws {
    let folder = TemporaryFolder()
    for format in ["yuvj420p", "yuvj422p", "yuvj444p"] {
      let path = folder.file("\(format).jpg")
      try MediaTool.make("-f lavfi -i testsrc2=size=62x34 -frames:v 1 -pix_fmt \(format) -q:v 2", path)
      let image = try JPEG.decode(InputFile.read(path))
      // The two decoders interpolate chroma differently at the sharp edges of the test picture.
      let least = format == "yuvj444p" ? 45.0 : 20.0
      #expect(psnr(try MediaTool.pixels(path, "rgba"), image.packedBytes) > least, "\(format)")
    }
  }

  @Test("Quality outside 1…100 is refused", arguments: [0, -5, 101])
  func quality(value: Int) {
    #expect(refusal { try JPEG.encode(smoothImage(4, 4), quality: value) }?.kind == .wrongArgument)
  }

  @Test("CMYK becomes RGB: the remainder of each ink times the remainder of black")
  func ink() throws {
    let image = try JPEG.decode(InkPicture.bytes)
    #expect(image.width == 16 && image.height == 8 && image.format == .rgba8)
    for (x, expected) in [(2, InkPicture.left), (13, InkPicture.right)] {
      for channel in 0..<3 {
        #expect(abs(Int(image.row(4)[4 * x + channel]) - Int(expected[channel])) <= 3, "\(x) \(channel)")
      }
    }
  }

  // MARK: Bad files

  @Test("A header over the limits is refused before anything is allocated")
  func hugeHeader() throws {
    var file = try JPEG.encode(smoothImage(8, 8))
    let frame = try #require(file.indices.dropLast().first { file[$0] == 0xFF && file[$0 + 1] == 0xC0 })
    file.replaceSubrange(frame + 5..<frame + 9, with: [0x9C, 0x40, 0x9C, 0x40])
    let error = refusal { try JPEG.decode(file) }
    #expect(error?.kind == .overLimit && error?.message.contains("40000×40000") == true)
  }

  @Test("Cut off anywhere, a JPEG is an error", arguments: [PixelFormat?.none, .i420, .gray8])
  func truncated(format: PixelFormat?) throws {
    let file = try JPEG.encode(smoothImage(20, 12), quality: 80)
    for count in 0..<file.count {
      let error = #expect(throws: BackdropError.self, "\(count) of \(file.count)") {
        try JPEG.decode(Array(file[..<count]), as: format)
      }
      #expect(error?.kind == .badData)
      if count > 4 { #expect(error?.message == "the JPEG ends early", "\(count) of \(file.count)") }
    }
  }

  @Test("Coded data that stops before the end marker is an error")
  func missingData() throws {
    let file = try JPEG.encode(smoothImage(64, 64), quality: 90)
    let shortened = Array(file[..<(file.count * 2 / 3)]) + [0xFF, 0xD9]
    for format in [PixelFormat.rgba8, .i420] {
      let error = refusal { try JPEG.decode(shortened, as: format) }
      #expect(error?.kind == .badData && error?.message == "the JPEG ends early")
    }
  }

  @Test("Bytes after the end and between segments do no harm")
  func extraBytes() throws {
    let file = try JPEG.encode(smoothImage(16, 16))
    let plain = try JPEG.decode(file).packedBytes
    #expect(try JPEG.decode(file + [1, 2, 3, 0xFF]).packedBytes == plain)
    #expect(try JPEG.decode(Array(file[..<2]) + [7, 7, 7] + file[2...]).packedBytes == plain)
  }

  @Test("Random damage is an error or a picture, never a crash")
  func mutations() throws {
    let limits = ImageLimits(side: 512, pixels: 1 << 16)
    var random = SeededRandom(seed: 5)
    let picture = smoothImage(24, 17)
    let files = [
      try JPEG.encode(picture), try JPEG.encode(picture, subsampling: .full),
      try JPEG.encode(picture.converted(to: .gray8)), EXIFTests.withOrientation(6, isLittle: true, InkPicture.bytes),
    ]
    for (file, round) in product(files, 0..<800) {
      do {
        let image = try JPEG.decode(random.damaged(file), as: round.isMultiple(of: 2) ? nil : .i420, limits: limits)
        #expect(image.width <= 512 && image.height <= 512)
      } catch {
        #expect([.badData, .overLimit, .unsupported].contains(error.kind), "seed 5: \(error)")
      }
    }
  }
}
