import BackdropCodecs
import BackdropImaging
import CTIFF

/// The picture of a TIFF file, decoded by libtiff: grey, a palette, R′G′B′, inks, Y′CbCr or CIELAB, in strips, tiles or planes,
/// with or without alpha. Of several pages it is the first that is not a smaller version of another one.
public struct TIFFPicture: PhotoPicture {
  /// The whole file.
  public let bytes: [UInt8]
  /// Pixels in a row, as stored.
  public let width: Int
  /// Rows, as stored.
  public let height: Int
  /// What its profile says; of inks and CIELAB, which become sRGB, that.
  public let colorSpace: ColorSpace
  /// How it must be turned to be upright.
  public let orientation: Orientation
  /// EXIF and XMP.
  public let metadata: PhotoMetadata
  /// Bits of a stored sample.
  public var bitsPerSample: Int { page.bits }
  private let page: TIFFPage

  private static let subfile = 254, extraSamples = 338, subdirectories = 330, rawVersion = 50_706

  /// Reads the directory only.
  ///
  /// - Throws: `badData` for a damaged one, `unsupported` for a kind that is not read, `overLimit` for a size beyond `limits`.
  public init(_ bytes: [UInt8], limits: ImageLimits = .standard) throws(BackdropError) {
    self = try TIFFFile.open(bytes) { file throws(BackdropError) in try TIFFPicture(file, bytes, limits) }
  }

  private init(_ file: TIFFFile, _ bytes: [UInt8], _ limits: ImageLimits) throws(BackdropError) {
    let found = file.page
    // BigTIFF has directories of another kind, whose EXIF nobody here reads.
    let isClassic = bytes[2...3].contains(42)
    let tiff = isClassic ? try TIFFReader(bytes) : nil
    var saysExtra = true
    if let tiff {
      saysExtra = try tiff.content(of: Self.extraSamples, at: Int(clamping: found.offset)) != nil
      // Of DNG files the first picture is a preview, or one of the sensor's own samples.
      let first = tiff.firstDirectory
      let isPreview = try (tiff.value(of: Self.subfile, at: first) ?? 0) & 1 == 1
      let hasMore = try tiff.content(of: Self.subdirectories, at: first) != nil
      let hasVersion = try tiff.content(of: Self.rawVersion, at: first) != nil
      if hasVersion || isPreview && hasMore { throw TIFFFile.isRaw }
    }
    let page = try TIFFPage(found, saysExtra: saysExtra, limits: limits)
    try file.checkChunks()
    func copy(_ start: UnsafePointer<UInt8>?, _ count: UInt32) -> [UInt8]? {
      start.map { Array(UnsafeBufferPointer(start: $0, count: Int(count))) }
    }
    let isGray = if case .gray = page.colors { true } else { false }
    let profile = copy(found.profile, found.profile_count)
    switch page.colors {
    case .inks, .lab: colorSpace = .sRGB
    default:
      // Grey with alpha is decoded to colours, which a grey profile says nothing of.
      colorSpace = profile.map { ColorSpace(icc: $0, forGray: isGray && page.alpha == nil) } ?? .sRGB
    }
    orientation = Orientation(rawValue: Int(found.orientation)) ?? .up
    metadata = PhotoMetadata(
      exif: isClassic ? TIFFMetadata.exif(of: bytes) : nil, xmp: copy(found.xmp, found.xmp_count))
    (self.bytes, self.page, width, height) = (bytes, page, page.width, page.height)
  }

  /// The pixels, decoded now.
  ///
  /// - Throws: `badData` if they are damaged.
  public func decoded(as format: PixelFormat?) throws(BackdropError) -> Image {
    // A part, and what some of the library's decoders keep beside it.
    var image = try TIFFFile.open(bytes, most: 16 * width * height) { file throws(BackdropError) in
      try TIFFDecoder(file, page).decode()
    }
    image.color.space = colorSpace
    return format.map { image.converted(to: $0) } ?? image
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
