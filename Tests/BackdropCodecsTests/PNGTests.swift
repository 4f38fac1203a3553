import BackdropCodecs
import BackdropImaging
import TestSupport
import Testing

/// An image of random samples.
func randomImage(
  _ format: PixelFormat, _ width: Int, _ height: Int, alpha: AlphaKind = .opaque, seed: UInt64
) throws -> Image {
  var random = SeededRandom(seed: seed)
  let count = Image.packedByteCount(format, width: width, height: height)
  var bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
  if format.hasAlpha && alpha == .opaque {
    for i in stride(from: 3, to: count, by: 4) { bytes[i] = 255 }
  }
  var image = try Image(format, width: width, height: height, packed: bytes.span, color: .jpeg)
  image.alpha = alpha
  return image
}

@Suite struct PNGTests {
  static let sizes = [(1, 1), (1, 9), (2, 2), (3, 1), (5, 7), (16, 8), (17, 3), (33, 20)]

  @Test("What was encoded comes back", arguments: [PixelFormat.gray8, .gray16, .rgb8, .rgba8, .bgra8], sizes)
  func roundTrip(format: PixelFormat, size: (Int, Int)) throws {
    for alpha in format.hasAlpha ? [AlphaKind.opaque, .straight] : [.opaque] {
      let image = try randomImage(format, size.0, size.1, alpha: alpha, seed: 7)
      for compression in PNG.Compression.allCases {
        let back = try PNG.decode(PNG.encode(image, compression: compression))
        #expect(back.width == size.0 && back.height == size.1)
        #expect(back.alpha == alpha)
        if format == .gray8 || format == .gray16 {
          #expect(back.format == format && back.packedBytes == image.packedBytes)
        } else {
          #expect(back.format == .rgba8)
          #expect(back.converted(to: format).packedBytes == image.packedBytes)
        }
      }
    }
  }

  @Test("FFmpeg reads the same samples", .enabled(if: MediaTool.isPresent, "needs ffmpeg"))
  func independentReader() throws {
    let folder = TemporaryFolder()
    for (format, name) in [
      (PixelFormat.gray8, "gray"), (.gray16, "gray16le"), (.rgb8, "rgb24"), (.rgba8, "rgba"), (.bgra8, "bgra"),
    ] {
      let image = try randomImage(format, 19, 11, alpha: format.hasAlpha ? .straight : .opaque, seed: 3)
      let path = folder.file("\(name).png")
      try Picture.save(image, to: OutputFile(path, overwrite: false))
      #expect(try MediaTool.pixels(path, name) == image.packedBytes, "\(name)")
    }
  }

  @Test("FFmpeg's files are read", .enabled(if: MediaTool.isPresent, "needs ffmpeg"))
  func independentWriter() throws {
    let folder = TemporaryFolder()
    let source = "testsrc2=size=31x17,format=rgba64le,colorchannelmixer=aa=0.6"
    for (stored, read) in [
      ("gray", "gray"), ("gray16be", "gray16le"), ("rgb24", "rgba"), ("rgba", "rgba"), ("ya8", "rgba"),
      ("pal8", "rgba"), ("monob", "gray"),
    ] {
      let path = folder.file("\(stored).png")
      try MediaTool.make("-f lavfi -i \(source) -frames:v 1 -pix_fmt \(stored)", path)
      #expect(try PNG.decode(InputFile.read(path)).packedBytes == MediaTool.pixels(path, read), "\(stored)")
    }
  }

  /// The legal pairs of PNG specification, table 11.1.
  static let kinds: [(PNGBuilder.ColorType, Int)] =
    [1, 2, 4, 8, 16].map { (.grey, $0) } + [1, 2, 4, 8].map { (.palette, $0) }
    + [PNGBuilder.ColorType.rgb, .greyAlpha, .rgba].flatMap { [($0, 8), ($0, 16)] }

  @Test("Every colour type, depth and interlacing", arguments: kinds, [false, true])
  func everyKind(kind: (PNGBuilder.ColorType, Int), isInterlaced: Bool) throws {
    let (type, depth) = kind
    for (width, height) in Self.sizes {
      for isTransparent in type == .greyAlpha || type == .rgba ? [false] : [false, true] {
        var random = SeededRandom(seed: UInt64(width * 100 + height))
        let top = (1 << depth) - 1
        let channels = PNGBuilder(width: 1, height: 1, colorType: type, bitDepth: depth) { _, _ in [] }.channels
        var values: [[Int]] = []
        for _ in 0..<width * height {
          values.append((0..<channels).map { _ in Int.random(in: 0...top, using: &random) })
        }
        var builder = PNGBuilder(
          width: width, height: height, colorType: type, bitDepth: depth, isInterlaced: isInterlaced
        ) { values[$1 * width + $0] }
        if type == .palette {
          builder.palette = (0...top).map { (i: Int) -> [UInt8] in [UInt8(i), UInt8(i * 7 % 256), UInt8(255 - i)] }
          if isTransparent { builder.transparency = (0...top / 2).map { UInt8($0 * 5 % 256) } }
        } else if isTransparent {
          builder.transparency = values[0].flatMap { [UInt8($0 >> 8), UInt8($0 & 255)] }
        }
        let image = try PNG.decode(builder.bytes)

        func eight(_ value: Int) -> UInt8 { UInt8((Double(value) * 255 / Double(top)).rounded()) }
        let isGrey = type == .grey && !isTransparent
        var expected: [UInt8] = []
        for pixel in values {
          switch type {
          case .grey where isGrey && depth == 16:
            expected += withUnsafeBytes(of: UInt16(pixel[0])) { Array($0) }
          case .grey where isGrey: expected.append(eight(pixel[0]))
          case .grey:
            let grey = eight(pixel[0])
            expected += [grey, grey, grey, pixel == values[0] ? 0 : 255]
          case .palette:
            let alpha = pixel[0] < builder.transparency.count ? builder.transparency[pixel[0]] : 255
            expected += builder.palette[pixel[0]] + [alpha]
          case .rgb:
            expected += pixel.map(eight)
            expected.append(isTransparent && pixel == values[0] ? 0 : 255)
          case .greyAlpha:
            let grey = eight(pixel[0])
            expected += [grey, grey, grey, eight(pixel[1])]
          case .rgba: expected += pixel.map(eight)
          }
        }
        #expect(image.format == (isGrey ? (depth == 16 ? .gray16 : .gray8) : .rgba8))
        #expect(image.alpha == (isTransparent || type == .greyAlpha || type == .rgba ? .straight : .opaque))
        #expect(image.packedBytes == expected, "\(type) \(depth) \(width)×\(height) transparent \(isTransparent)")
      }
    }
  }

  @Test("Premultiplied colours are divided by alpha")
  func premultiplied() throws {
    let bytes: [UInt8] = [64, 32, 0, 128, 10, 10, 10, 10, 0, 0, 0, 0, 200, 100, 50, 255]
    var image = try Image(.rgba8, width: 4, height: 1, packed: bytes.span)
    image.alpha = .premultiplied
    // 64 · 255 / 128 = 127.5, 32 · 255 / 128 = 63.75
    let expected: [UInt8] = [128, 64, 0, 128, 255, 255, 255, 10, 0, 0, 0, 0, 200, 100, 50, 255]
    #expect(try PNG.decode(PNG.encode(image)).packedBytes == expected)
  }

  @Test("Float grey is refused with a hint")
  func float() {
    let error = refusal { try PNG.encode(Image(.grayFloat, width: 2, height: 2)) }
    #expect(error?.kind == .unsupported && error?.hint != nil)
  }

  // MARK: Bad files

  @Test("A header over the limits is refused before anything is allocated", arguments: [false, true])
  func hugeHeader(isGrey: Bool) {
    var builder = PNGBuilder(
      width: 1, height: 1, colorType: isGrey ? .grey : .rgba, bitDepth: 8
    ) { _, _ in isGrey ? [0] : [0, 0, 0, 0] }
    let small = builder.bytes
    builder.width = 40_000
    builder.height = 40_000
    let header = MadePNG.chunk(
      "IHDR", MadePNG.word(40_000) + MadePNG.word(40_000) + [8, builder.colorType.rawValue, 0, 0, 0])
    var file = small
    file.replaceSubrange(8..<8 + header.count, with: header)
    let error = refusal { try PNG.decode(file) }
    #expect(error?.kind == .overLimit)
    #expect(error?.message.contains("40000×40000") == true)
  }

  @Test("Cut off anywhere, a PNG is an error")
  func truncated() throws {
    for isInterlaced in [false, true] {
      var builder = PNGBuilder(width: 5, height: 4, colorType: .rgb, bitDepth: 8) { [$0, $1, 7] }
      builder.isInterlaced = isInterlaced
      for file in [builder.bytes, try PNG.encode(randomImage(.gray16, 6, 5, seed: 1))] {
        for count in 0..<file.count {
          let error = #expect(throws: BackdropError.self, "\(count) of \(file.count)") {
            try PNG.decode(Array(file[..<count]))
          }
          #expect(error?.kind == .badData)
          if count > 8 { #expect(error?.message == "the PNG ends early", "\(count) of \(file.count)") }
        }
      }
    }
  }

  @Test("A changed byte in any chunk is noticed")
  func checksums() throws {
    let file = try PNG.encode(randomImage(.rgb8, 6, 5, seed: 2))
    for position in file.indices {
      var damaged = file
      damaged[position] ^= 0x10
      #expect(throws: BackdropError.self, "byte \(position) of \(file.count)") { try PNG.decode(damaged) }
    }
  }

  @Test("Random damage is an error or a picture, never a crash")
  func mutations() throws {
    let limits = ImageLimits(side: 512, pixels: 1 << 16)
    var random = SeededRandom(seed: 11)
    for (index, kind) in Self.kinds.enumerated() {
      let (type, depth) = kind
      var builder = PNGBuilder(width: 9, height: 7, colorType: type, bitDepth: depth) { _, _ in [] }
      let channels = builder.channels
      builder.pixel = { x, y in (0..<channels).map { (x + y + $0) & ((1 << depth) - 1) } }
      builder.isInterlaced = index.isMultiple(of: 2)
      if type == .palette { builder.palette = (0..<1 << depth).map { [UInt8($0), 0, 9] } }
      let file = builder.bytes
      for _ in 0..<300 {
        var damaged = random.damaged(file)
        Self.mendChecksums(&damaged)
        do {
          let image = try PNG.decode(damaged, limits: limits)
          #expect(image.width <= 512 && image.height <= 512)
        } catch {
          #expect([.badData, .overLimit].contains(error.kind), "seed 11: \(error)")
        }
      }
    }
  }

  /// Corrects the chunk checksums, so that damage reaches the decoder.
  static func mendChecksums(_ file: inout [UInt8]) {
    var position = 8
    while position + 12 <= file.count {
      let length = file[position..<position + 4].reduce(0) { $0 << 8 | Int($1) }
      guard position + 12 + length <= file.count else { return }
      let crc = MadeArchive.crc32(Array(file[position + 4..<position + 8 + length]))
      file.replaceSubrange(position + 8 + length..<position + 12 + length, with: MadePNG.word(Int(crc)))
      position += 12 + length
    }
  }
}
