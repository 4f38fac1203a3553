import Foundation

@testable import BackdropCodecs
@testable import BackdropFFmpeg
@testable import BackdropImaging
@testable import BackdropVideo

extension FuzzTarget {
  /// Plain pictures, colour profiles, archives and uncompressed video.
  static let pictures = [
    FuzzTarget(
      "jpeg", maximumLength: 1 << 14, words: ["\\xFF\\xEE\\x00\\x0EAdobe\\x00d", "ICC_PROFILE\\x00\\x01\\x01", "CMYK"],
      seeds: {
        [
          try JPEG.encode(color(24, 16)), try JPEG.encode(gray(17, 9)), inkJPEG(isMarked: false),
          inkJPEG(isMarked: true),
        ]
      }
    ) {
      _ = try Picture.decode($0.span, limits: limits)
    },
    FuzzTarget(
      "file-content", maximumLength: 256,
      words: [
        "II*\\x00", "MM\\x00*", "CR\\x02", "IIII", "HEAPCCDR", "ftyp", "crx ", "mif1", "heic", "8BPS", "qoif",
        "P6\\x0A", "RIFF", "WEBP",
      ],
      seeds: {
        ["II*\0\u{10}\0\0\0CR\u{2}\0", "\0\0\0\u{18}ftypcrx \0\0\0\u{1}crx isom", "P6\n2 1\n255\n123456"].map {
          Array($0.utf8)
        }
      },
      read: { bytes in
        guard let refusal = FileContent(bytes.span).refusal else { throw BackdropError(.badData, "no known kind") }
        precondition(refusal.hint != nil, "a refusal without a hint")
      }),
    FuzzTarget(
      "png", maximumLength: 1 << 13,
      words: ["IHDR", "IDAT", "PLTE", "tRNS", "iCCP", "cICP", "sRGB", "gAMA", "cHRM", "eXIf", "IEND"],
      seeds: {
        [try PNG.encode(color(12, 8)), try PNG.encode(gray(9, 5)), try PNG.encode(color(4, 4).converted(to: .rgba8))]
      },
      read: { bytes in
        attempt { _ = try PNG.header(of: bytes.span, limits: limits) }
        _ = try PNG.decode(bytes, limits: limits)
      }),
    FuzzTarget(
      "webp", maximumLength: 1 << 13,
      words: ["RIFF", "WEBP", "VP8X", "VP8 ", "VP8L", "ALPH", "ICCP", "EXIF", "XMP ", "ANIM", "ANMF"],
      seeds: {
        var marked = color(9, 7)
        marked.color.space = .adobeRGB
        let metadata = PictureMetadata(exif: Array("II*\0".utf8) + [8, 0, 0, 0, 0, 0], xmp: Array("<x/>".utf8))
        return [
          try WebP.encode(color(12, 8)), try WebP.encode(color(12, 8), isLossless: true),
          try WebP.encode(marked, metadata: metadata),
        ]
      },
      read: { bytes in
        attempt { _ = try WebP.header(of: bytes.span, limits: limits) }
        _ = try PictureFormat.webp.decode(bytes.span, limits: limits)
      }),
    FuzzTarget(
      "animation-plays", maximumLength: 1 << 12, words: ["NETSCAPE2.0", "acTL", "ANIM", "VP8X", "IHDR"],
      seeds: {
        try AnimationKind.allCases.map { kind in
          var settings = AnimationSettings(width: 12, height: 8, timeBase: Rational(1, 10))
          settings.plays = 3
          var writer = try kind.writer(settings)
          try writer.append(color(12, 8), from: 0, to: 1)
          return writer.whole()
        }
      },
      read: { bytes in
        guard AnimationPlays.count(in: bytes) != nil else { throw BackdropError(.badData, "no animation") }
      }),
    FuzzTarget(
      "avif", maximumLength: 1 << 13,
      words: [
        "ftyp", "avif", "avis", "mif1", "meta", "hdlr", "pict", "pitm", "iinf", "infe", "iloc", "iref", "iprp", "ipco",
        "ipma", "ispe", "av1C", "av01", "colr", "prof", "nclx", "auxC", "pixi", "irot", "imir", "clap", "grid", "dimg",
        "auxl", "cdsc", "idat", "mdat", "Exif", "moov", "trak",
      ],
      seeds: {
        var marked = color(16, 16)
        marked.color.space = .adobeRGB
        return [
          try AVIF.encode(color(16, 16)), try AVIF.encode(gray(17, 9)),
          try AVIF.encode(marked.converted(to: .rgba8), isLossless: true),
        ]
      },
      read: { bytes in
        attempt { _ = try AVIF.header(of: bytes.span, limits: limits) }
        _ = try PictureFormat.avif.decode(bytes.span, limits: limits)
      }),
    FuzzTarget(
      "icc", maximumLength: 4096,
      words: [
        "acsp", "RGB ", "GRAY", "CMYK", "XYZ ", "mntr", "rXYZ", "gXYZ", "bXYZ", "rTRC", "gTRC", "bTRC", "kTRC", "curv",
        "para", "desc", "mluc", "A2B0",
      ], seeds: profileSeeds, read: readProfile),
    FuzzTarget("zip", maximumLength: 4096, words: zipWords, seeds: zipSeeds) { bytes in
      try FuzzFile.with(bytes, "a.zip") { path in
        let archive = try ZipArchive.open(path)
        for entry in archive.entries.values.prefix(20) { attempt { _ = try archive.read(entry, limit: 1 << 18) } }
      }
    },
    FuzzTarget(
      "exr", maximumLength: 4096,
      words: ["channels\\x00", "chlist\\x00", "compression\\x00", "dataWindow\\x00", "box2i\\x00"],
      seeds: { [exrSeed] }, read: { _ = try EXR.decode($0.span, limits: limits) }),
    FuzzTarget(
      "lzfse", maximumLength: 4096, words: ["bvx-", "bvxn", "bvx1", "bvx2", "bvx$"],
      seeds: { [prefixed(64, LZFSE.stored(Array(0..<64)))] + lzvnSeeds },
      read: { bytes in
        // The first two bytes are the expected length.
        guard bytes.count >= 2 else { throw BackdropError(.badData, "too short") }
        _ = try LZFSE.decode(Array(bytes[2...]).span, count: Int(bytes[0]) | Int(bytes[1]) << 8)
      }),
    FuzzTarget(
      "y4m", maximumLength: 4096,
      words: [
        "YUV4MPEG2 ", " W", " H", " F25:1", " Ip", " It", " A1:1", " C420jpeg", " C422", " C444", " Cmono", " C420p10",
        " XCOLORRANGE=FULL", "FRAME\\x0A", "FRAME Ip\\x0A",
      ], seeds: y4mSeeds, read: readY4M),
  ]

  static func prefixed(_ count: Int, _ bytes: [UInt8]) -> [UInt8] {
    [UInt8(count & 255), UInt8(count >> 8)] + bytes
  }

  // MARK: - Seeds

  /// A JPEG of four components, 8×8 pixels without coefficients, with or without Adobe's marker.
  private static func inkJPEG(isMarked: Bool) -> [UInt8] {
    func segment(_ marker: UInt8, _ payload: [UInt8]) -> [UInt8] {
      [0xFF, marker, 0, UInt8(payload.count + 2)] + payload
    }
    func table(_ kind: UInt8) -> [UInt8] { segment(0xC4, [kind, 1] + [UInt8](repeating: 0, count: 16)) }
    let components: [UInt8] = [1, 2, 3, 4]
    let frame: [UInt8] = [8, 0, 8, 0, 8, 4] + components.flatMap { [$0, 0x11, 0] }
    let scan: [UInt8] = [4] + components.flatMap { [$0, 0] } + [0, 63, 0]
    let mark = isMarked ? segment(0xEE, Array("Adobe\0d\0\0\0\0\u{2}".utf8)) : []
    let divisors = segment(0xDB, [0] + [UInt8](repeating: 1, count: 64))
    return MadeArchive.joined(
      [0xFF, 0xD8], mark, divisors, segment(0xC0, frame), table(0), table(0x10), segment(0xDA, scan),
      [0, 0xFF, 0xD9])
  }

  private static let profileSeeds: @Sendable () throws -> [[UInt8]] = {
    [
      ColorSpace(.displayP3).profileBytes(forGray: false), ColorSpace(.bt709, .gamma22).profileBytes(forGray: false),
      ColorSpace(.bt709, .srgb).profileBytes(forGray: true),
    ].compactMap { $0 }
  }

  static let zipWords = ["PK\\x03\\x04", "PK\\x01\\x02", "PK\\x05\\x06", "PK\\x06\\x06", "PK\\x06\\x07"]

  private static let zipSeeds: @Sendable () throws -> [[UInt8]] = {
    // "Deflated" into a stored block of RFC 1951.
    var deflated = MadeArchive.File("b", Array("hello".utf8))
    (deflated.packed, deflated.method) = ([1, 5, 0, 250, 255] + deflated.packed, 8)
    return [MadeArchive.bytes([MadeArchive.File("a", [1, 2, 3]), deflated, MadeArchive.File("c/d", [])])]
  }

  /// An LZVN block: a literal of four bytes, a match of them (length 4, distance 4), the end.
  private static let lzvnSeeds: [[UInt8]] = {
    let packed: [UInt8] = [0xE4, 1, 2, 3, 4, 0x08, 0x04, 0x06, 0, 0, 0, 0, 0, 0, 0]
    return [
      prefixed(
        8, Array("bvxn".utf8) + [8, 0, 0, 0, UInt8(packed.count), 0, 0, 0] + packed + Array("bvx$".utf8))
    ]
  }()

  private static let y4mSeeds: @Sendable () throws -> [[UInt8]] = {
    func stream(_ fields: String, _ byteCount: Int) -> [UInt8] {
      Array("YUV4MPEG2 \(fields)\n".utf8)
        + Array(repeating: Array("FRAME\n".utf8) + [UInt8](repeating: 99, count: byteCount), count: 2).joined()
    }
    return [
      stream("W4 H2 F25:1 Ip A1:1 C420jpeg", 12), stream("W4 H2 F30000:1001 C422 XCOLORRANGE=FULL", 16),
      stream("W3 H3 F25:1 C444", 27), stream("W3 H3 Cmono", 9),
    ]
  }

  // MARK: - Reading

  /// Reads a profile and converts a picture with it.
  private static let readProfile: @Sendable ([UInt8]) throws -> Void = { bytes in
    let profile = ColorProfile(bytes)
    _ = (profile.name, profile.kind)
    var image = color(3, 2)
    image.color.space = ColorSpace(profile)
    _ = image.converted(to: .sRGB)
    _ = ColorSpace(icc: bytes, forGray: true)
    if let fault = profile.fault { throw fault }
  }

  private static let readY4M: @Sendable ([UInt8]) throws -> Void = { bytes in
    try FuzzFile.with(bytes, "a.y4m") { path in
      let (descriptor, _) = try InputFile.open(path, isPlain: true)
      defer { close(descriptor) }
      let reader = try Y4MReader(DescriptorInput(descriptor: descriptor), limits: limits)
      for _ in 0..<3 { if try reader.next() == nil { break } }
    }
  }

  /// Two rows of three floats, uncompressed.
  private static let exrSeed: [UInt8] = {
    func number(_ value: Int, _ count: Int = 4) -> [UInt8] { (0..<count).map { UInt8(value >> (8 * $0) & 255) } }
    func attribute(_ name: String, _ type: String, _ data: [UInt8]) -> [UInt8] {
      Array(name.utf8) + [0] + Array(type.utf8) + [0] + number(data.count) + data
    }
    let channel = MadeArchive.joined(Array("R".utf8), [0], number(2), number(0), number(1), number(1), [0])
    var bytes = number(0x0131_2F76) + number(2) + attribute("channels", "chlist", channel)
    bytes += attribute("compression", "compression", [0])
    bytes += attribute("dataWindow", "box2i", number(0) + number(0) + number(2) + number(1)) + [0]
    let first = bytes.count + 16
    bytes += number(first, 8) + number(first + 20, 8)
    for row in 0..<2 { bytes += number(row) + number(12) + [UInt8](repeating: 64, count: 12) }
    return bytes
  }()
}
