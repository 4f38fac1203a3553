import BackdropCodecs
import BackdropImaging
import CTIFF

/// The picture of a TIFF file, decoded by libtiff: grey, a palette, R′G′B′, inks, Y′CbCr or CIELAB, in strips, tiles or planes, with or
/// without alpha. Of several pages it is the first that is not a reduced version of another.
package struct TIFFPicture: PhotoPicture {
  package let bytes: [UInt8]
  fileprivate let heading: Heading
  private let limits: ImageLimits

  package struct Heading: Sendable {
    var width: Int, height: Int
    var bits: Int
    /// The colour space of its profile; sRGB for inks and CIELAB, which become sRGB.
    var colorSpace: ColorSpace
    var orientation: Orientation
    var metadata: PhotoMetadata
  }

  package var width: Int { heading.width }
  package var height: Int { heading.height }
  package var colorSpace: ColorSpace { heading.colorSpace }
  package var bitsPerSample: Int { heading.bits }

  private static let subfile = 254, extraSamples = 338, subdirectories = 330, rawVersion = 50_706

  /// Loads libtiff in advance, so that decoding opens no files.
  package static func openLibrary() { _ = bd_tiff_is_there() }

  /// Reads the directory only.
  package init(_ bytes: [UInt8], limits: ImageLimits = .standard) throws(BackdropError) {
    heading = try TIFFHeading(limits: limits).result(bytes.span) { () throws(BackdropError) in
      try Heading(of: bytes, limits)
    }
    (self.bytes, self.limits) = (bytes, limits)
  }

  /// Whether it is not a BigTIFF, whose EXIF this library does not read.
  fileprivate static func isClassic(_ bytes: [UInt8]) -> Bool { bytes[2...3].contains(42) }

  /// The kind of the page's samples.
  fileprivate static func page(
    of file: TIFFFile, _ bytes: [UInt8], _ limits: ImageLimits
  ) throws(BackdropError) -> TIFFPage {
    let found = file.page
    let tiff = isClassic(bytes) ? try TIFFReader(bytes) : nil
    var saysExtra = true
    if let tiff {
      saysExtra = try tiff.content(of: extraSamples, at: Int(clamping: found.offset)) != nil
      // A DNG file's first picture is a preview, or the sensor's own samples.
      let isPreview = try (tiff.value(of: subfile) ?? 0) & 1 == 1
      let hasMore = try tiff.content(of: subdirectories) != nil
      let hasVersion = try tiff.content(of: rawVersion) != nil
      if hasVersion || isPreview && hasMore { throw TIFFFile.isRaw }
    }
    return try TIFFPage(found, saysExtra: saysExtra, limits: limits)
  }

  package func decoded(as format: PixelFormat?) throws(BackdropError) -> Image {
    try TIFFDecoding(format: format, limits: limits).result(bytes.span) { () throws(BackdropError) in
      try decodedHere(as: format)
    }
  }

  /// The pixels, decoded in this process.
  func decodedHere(as format: PixelFormat?) throws(BackdropError) -> Image {
    // This allows for a part, and for the additional memory of some of libtiff's decoders.
    var image = try TIFFFile.open(bytes, most: 16 * width * height) { file throws(BackdropError) in
      try TIFFDecoder(file, Self.page(of: file, bytes, limits)).decode()
    }
    image.color.space = colorSpace
    return format.map { image.converted(to: $0) } ?? image
  }
}

extension TIFFPicture.Heading {
  /// Reads the directory in this process.
  init(of bytes: [UInt8], _ limits: ImageLimits) throws(BackdropError) {
    self = try TIFFFile.open(bytes) { file throws(BackdropError) in try Self(file, bytes, limits) }
  }

  private init(_ file: TIFFFile, _ bytes: [UInt8], _ limits: ImageLimits) throws(BackdropError) {
    let found = file.page
    let page = try TIFFPicture.page(of: file, bytes, limits)
    try file.checkChunks()
    func copy(_ start: UnsafePointer<UInt8>?, _ count: UInt32) -> [UInt8]? {
      start.map { Array(UnsafeBufferPointer(start: $0, count: Int(count))) }
    }
    let isGray = if case .gray = page.colors { true } else { false }
    let profile = copy(found.profile, found.profile_count)
    switch page.colors {
    case .inks, .lab: colorSpace = .sRGB
    default:
      // Grey with alpha is decoded to colours, to which a grey profile does not apply.
      colorSpace = profile.map { ColorSpace(icc: $0, forGray: isGray && page.alpha == nil) } ?? .sRGB
    }
    orientation = Orientation(rawValue: Int(found.orientation)) ?? .up
    metadata = PhotoMetadata(
      exif: TIFFPicture.isClassic(bytes) ? TIFFMetadata.exif(of: bytes) : nil, xmp: copy(found.xmp, found.xmp_count))
    (width, height, bits) = (page.width, page.height, page.bits)
  }
}

/// TIFF pictures with their colour profile, EXIF and XMP.
struct TIFFContainer: PhotoContainer {
  var name: String { "tiff" }
  var fileExtensions: [String] { ["tif", "tiff"] }
  var holdsDepth: Bool { false }
  var holdsAlpha: Bool { true }

  func matches(_ head: Span<UInt8>) -> Bool { FileContent(head) == .tiff }

  func read(_ bytes: [UInt8], limits: ImageLimits) throws(BackdropError) -> DepthPhoto {
    let picture = try TIFFPicture(bytes, limits: limits)
    let heading = picture.heading
    return DepthPhoto(picture: picture, orientation: heading.orientation, metadata: heading.metadata, container: self)
  }
}
