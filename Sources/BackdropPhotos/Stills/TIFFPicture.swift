import BackdropCodecs
import BackdropFFmpeg
import BackdropImaging
import CFFmpeg

/// The first picture of a TIFF file (TIFF 6.0): grey, colour or a palette of 1 to 16 bits in strips, as it is or packed by
/// PackBits, LZW or deflate, with or without alpha.
public struct TIFFPicture: PhotoPicture {
  /// The whole file.
  public let bytes: [UInt8]
  /// Pixels in a row, as stored.
  public let width: Int
  /// Rows, as stored.
  public let height: Int
  /// What its profile says.
  public let colorSpace: ColorSpace
  /// How it must be turned to be upright.
  public let orientation: Orientation
  /// EXIF and XMP.
  public let metadata: PhotoMetadata
  private let extra: Extra

  /// What a channel beyond the colours is (section 18).
  private enum Extra {
    case none, alpha, premultiplied, unknown

    /// What the tag says; a channel that it says nothing of is alpha to all programs.
    init(_ code: Int?) {
      switch code {
      case nil, 2: self = .alpha
      case 1: self = .premultiplied
      default: self = .unknown
      }
    }
  }

  private enum Tag {
    static let subfile = 254, width = 256, height = 257, bits = 258, packing = 259, photometric = 262, orientation = 274
    static let samples = 277, offsets = 273, rowsPerStrip = 278, counts = 279, tileWidth = 322, extra = 338, kind = 339
    /// Those that say how pixels are stored, a palette, a prediction and planes among them.
    static let ofPixels: Set = [
      width, height, bits, packing, photometric, 266, offsets, samples, rowsPerStrip, counts, 284, 317, 320, kind,
    ]
    static let xmp = 700, profile = 34_675, rawVersion = 50_706
  }

  /// Reads the directory only.
  ///
  /// - Throws: `badData` for a damaged one, `unsupported` for a kind that is not read, `overLimit` for a size beyond `limits`.
  public init(_ bytes: [UInt8], limits: ImageLimits = .standard) throws(BackdropError) {
    let tiff = try TIFFReader(bytes)
    let directory = tiff.firstDirectory
    func number(_ tag: Int) throws(BackdropError) -> Int? { try tiff.value(of: tag, at: directory) }
    guard let width = try number(Tag.width), let height = try number(Tag.height) else {
      throw Self.damaged("it has no size")
    }
    try Self.refuseRaw(tiff, bytes)
    try limits.check(width: width, height: height)
    let samples = try number(Tag.samples) ?? 1
    let photometric = try number(Tag.photometric) ?? 1
    try Self.check(tiff, samples: samples, photometric: photometric)
    try Self.checkStrips(tiff, bytes, height: height, planes: samples)
    let isGray = photometric <= 1
    let usual = photometric == 2 ? 3 : 1
    extra = samples <= usual ? .none : Extra(try number(Tag.extra))
    let profile = try tiff.content(of: Tag.profile, at: directory).map { Array(bytes[$0]) }
    // Grey with alpha is decoded to colours, which a grey profile says nothing of.
    colorSpace = profile.map { ColorSpace(icc: $0, forGray: isGray && samples == 1) } ?? .sRGB
    orientation = try number(Tag.orientation).flatMap(Orientation.init(rawValue:)) ?? .up
    metadata = PhotoMetadata(
      exif: TIFFMetadata.exif(of: tiff), xmp: try tiff.content(of: Tag.xmp, at: directory).map { Array(bytes[$0]) })
    (self.bytes, self.width, self.height) = (bytes, width, height)
  }

  /// The pixels, decoded now.
  ///
  /// - Throws: `badData` if they are damaged.
  public func decoded(as format: PixelFormat?) throws(BackdropError) -> Image {
    // The decoder, asked to pass over no damage, takes tags that it does not know for some.
    let plain = try TIFFReader(bytes).file(keeping: Tag.ofPixels)
    var image = try StillDecoder.decode(plain, by: AV_CODEC_ID_TIFF, width: width, height: height, title: "TIFF")
    image.color.space = colorSpace
    if image.alpha == .straight {
      switch extra {
      case .none, .unknown: image = image.withoutAlpha()
      case .alpha: break
      case .premultiplied: image.alpha = .premultiplied
      }
    }
    return format.map { image.converted(to: $0) } ?? image
  }

  /// Refuses the files of cameras, whose first picture is a preview.
  private static func refuseRaw(_ tiff: TIFFReader, _ bytes: [UInt8]) throws(BackdropError) {
    let directory = tiff.firstDirectory
    let isPreview = try (tiff.value(of: Tag.subfile, at: directory) ?? 0) & 1 == 1
    let isCanon = bytes.count > 10 && bytes[8...9].elementsEqual("CR".utf8)
    let hasVersion = try tiff.content(of: Tag.rawVersion, at: directory) != nil
    let isMosaic = try tiff.value(of: Tag.photometric, at: directory) == 32_803
    guard isPreview || isCanon || hasVersion || isMosaic else { return }
    throw BackdropError(.unsupported, "this is a camera's raw file", hint: "develop it to a TIFF, PNG or JPEG first")
  }

  private static func check(_ tiff: TIFFReader, samples: Int, photometric: Int) throws(BackdropError) {
    let directory = tiff.firstDirectory
    func refuse(_ what: String) -> BackdropError {
      BackdropError(
        .unsupported, "this TIFF has \(what)",
        hint: "write it in RGB or grey of 8 or 16 bits, in strips, packed by LZW, deflate or not at all")
    }
    let bits = try tiff.value(of: Tag.bits, at: directory) ?? 1
    switch photometric {
    case 0...3: break
    case 5: throw refuse("inks (CMYK)")
    case 6: throw refuse("Y′CbCr samples")
    case 8...10: throw refuse("CIELAB samples")
    default: throw refuse("samples of kind \(photometric)")
    }
    guard try (tiff.value(of: Tag.kind, at: directory) ?? 1) == 1 else {
      throw refuse("samples that are no whole numbers")
    }
    guard [8, 16].contains(bits) || samples == 1 && [1, 2, 4].contains(bits) else {
      throw refuse("\(bits) bits a sample")
    }
    guard (photometric == 2 ? 3...4 : 1...2).contains(samples) else { throw refuse("\(samples) samples a pixel") }
    guard try tiff.content(of: Tag.tileWidth, at: directory) == nil else { throw refuse("tiles") }
    let packing = try tiff.value(of: Tag.packing, at: directory) ?? 1
    guard [1, 5, 8, 32_773, 32_946].contains(packing) else { throw refuse("a packing of kind \(packing)") }
  }

  /// Refuses a file that ends before its strips do.
  private static func checkStrips(_ tiff: TIFFReader, _ bytes: [UInt8], height: Int, planes: Int) throws(BackdropError)
  {
    let directory = tiff.firstDirectory
    let most = height * max(1, planes)
    guard let offsets = try tiff.values(of: Tag.offsets, at: directory, most: most),
      let counts = try tiff.values(of: Tag.counts, at: directory, most: most), offsets.count == counts.count
    else { throw damaged("it has no strips") }
    for (offset, count) in zip(offsets, counts) where offset > bytes.count || count > bytes.count - offset {
      throw BackdropError(.badData, "the TIFF ends early", hint: "fetch or copy the file again")
    }
  }

  private static func damaged(_ what: String) -> BackdropError {
    BackdropError(.badData, "the TIFF is damaged: \(what)", hint: "fetch or copy the file again")
  }
}

extension Image {
  /// The colours of R′G′B′A alone.
  fileprivate func withoutAlpha() -> Image {
    var result = self
    for y in 0..<height {
      var row = result.mutableRow(y)
      for x in stride(from: 3, to: row.count, by: 4) { row[x] = 255 }
    }
    result.alpha = .opaque
    return result
  }
}

/// TIFF pictures with their colour profile, EXIF and XMP.
struct TIFFContainer: PhotoContainer {
  var name: String { "tiff" }
  var endings: [String] { ["tif", "tiff"] }
  var holdsDepth: Bool { false }
  var holdsAlpha: Bool { true }

  func matches(_ head: Span<UInt8>) -> Bool { FileContent(head) == .tiff }

  func read(_ bytes: [UInt8], limits: ImageLimits) throws(BackdropError) -> DepthPhoto {
    let picture = try TIFFPicture(bytes, limits: limits)
    return DepthPhoto(
      picture: picture, orientation: picture.orientation, metadata: picture.metadata, container: self)
  }
}
