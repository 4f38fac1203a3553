import BackdropImaging
import CTIFF

/// The samples of a TIFF page (TIFF 6.0), checked to be of a supported kind.
struct TIFFPage {
  /// The colours of a pixel's samples (PhotometricInterpretation).
  enum Colors: Equatable {
    /// One sample; 0 is white in some files.
    case gray(isInverted: Bool)
    case palette
    case rgb
    /// Cyan, magenta, yellow and black.
    case inks
    /// CIE L*a*b* of D50, with signed a* and b*, or as in ICC profiles.
    case lab(isICC: Bool)
    /// Y′CbCr in a compression other than JPEG's; libtiff converts it to colours.
    case subsampled

    /// Samples per pixel, without additional ones.
    var count: Int {
      switch self {
      case .gray, .palette: 1
      case .rgb, .lab, .subsampled: 3
      case .inks: 4
      }
    }
  }

  static let jpeg: UInt16 = 7
  /// None, CCITT's four, LZW, old and new JPEG, deflate twice, PackBits, LZMA, Zstandard, WebP.
  private static let packings: Set<UInt16> = [1, 2, 3, 4, 5, 6, 7, 8, 32_771, 32_773, 32_946, 34_925, 50_000, 50_001]

  let width: Int
  let height: Int
  let bits: Int
  let samples: Int
  let colors: Colors
  /// The index of the alpha sample.
  let alpha: Int?
  let isPremultiplied: Bool
  let isPlanar: Bool
  /// Whether libtiff converts Y′CbCr samples to R′G′B′.
  let asksForRGB: Bool

  /// - Parameter saysExtra: whether the file itself describes additional samples.
  init(_ page: bd_tiff_page, saysExtra: Bool, limits: ImageLimits) throws(BackdropError) {
    func refusal(_ what: String) -> BackdropError {
      BackdropError(.unsupported, "this TIFF has \(what)", hint: "save it as RGB or grey with 8 or 16 bits")
    }
    (width, height, bits, samples) = (Int(page.width), Int(page.height), Int(page.bits), Int(page.samples))
    try limits.check(width: width, height: height)
    isPlanar = page.planes == 2 && page.samples > 1
    let isJPEG = page.compression == Self.jpeg
    switch page.photometric {
    case 0, 1: colors = .gray(isInverted: page.photometric == 0)
    case 2: colors = .rgb
    case 3: colors = .palette
    case 5: colors = .inks
    case 6: colors = isJPEG ? .rgb : .subsampled
    case 8, 9: colors = .lab(isICC: page.photometric == 9)
    default: throw refusal("samples of kind \(page.photometric)")
    }
    asksForRGB = page.photometric == 6 && isJPEG
    guard Self.packings.contains(page.compression) else { throw refusal("compression of kind \(page.compression)") }
    // All programs show signed 8-bit samples as unsigned.
    guard page.sample_format == 1 || page.sample_format == 4 || page.sample_format == 2 && bits == 8 else {
      throw refusal(page.sample_format == 2 ? "signed samples" : "samples that are not whole numbers")
    }
    let allowed: Set<Int> =
      switch colors {
      case .gray, .rgb: [1, 2, 4, 8, 10, 12, 14, 16, 32]
      case .palette: [1, 2, 4, 8, 16]
      case .inks, .lab: [8, 16]
      case .subsampled: [8]
      }
    guard allowed.contains(bits) else { throw refusal("\(bits) bits per sample") }
    guard (colors.count...colors.count + 16).contains(samples), colors != .subsampled || samples == 3 else {
      throw refusal("\(samples) samples per pixel")
    }
    if colors == .inks && page.ink_set != 1 { throw refusal("inks other than cyan, magenta, yellow and black") }
    if asksForRGB && isPlanar { throw refusal("Y′CbCr samples in separate planes") }
    let kinds = (0..<Int(page.extra_count)).map { page.extra[$0] }
    let index = saysExtra ? kinds.firstIndex { $0 == 1 || $0 == 2 } : 0
    let (base, count) = (colors.count, samples)
    alpha = index.flatMap { base + $0 < count ? base + $0 : nil }
    isPremultiplied = saysExtra && index.map { kinds[$0] == 1 } ?? false
    // The data decoded at a time, besides the picture itself, must fit into a job's memory budget.
    let needed = page.chunk_bytes.multipliedReportingOverflow(by: isPlanar ? UInt64(samples) : 1)
    guard page.chunk_bytes > 0, !needed.overflow, needed.partialValue <= UInt64(12 * width * height + 64 << 20) else {
      throw BackdropError(.overLimit, "a part of the TIFF has \(page.chunk_bytes) bytes, too many")
    }
  }
}
