/// The kind of a file by its first bytes; names are suitable for messages, with their article.
package enum FileContent: Equatable {
  /// A supported picture.
  case picture(PictureKind)
  /// A picture of an unsupported kind.
  case otherPicture(String)
  /// A video file, by its container; GIF counts as one, since it can move.
  case video(String)
  /// Neither a picture nor a video.
  case document(String)
  /// An unknown kind, which other readers may support.
  case unknown

  /// An HEIC picture, which photo readers support.
  package static let heic = FileContent.otherPicture("an HEIC picture")
  /// A BMP file, which picture readers support.
  package static let bmp = FileContent.otherPicture("a BMP picture")
  /// A TIFF file, which picture and depth readers support.
  package static let tiff = FileContent.otherPicture("a TIFF or camera raw picture")

  /// Examines a file's first bytes; twelve are enough, except for pictures in boxes, where more brands are checked.
  package init(_ bytes: Span<UInt8>) {
    func has(_ pattern: [UInt8], at start: Int = 0) -> Bool {
      guard bytes.count >= start + pattern.count else { return false }
      return pattern.indices.allSatisfy { bytes[start + $0] == pattern[$0] }
    }
    func says(_ text: String, at start: Int = 0) -> Bool { has(Array(text.utf8), at: start) }

    if has([0x89]) && says("PNG", at: 1) {
      self = .picture(.png)
    } else if has([0xFF, 0xD8]) {
      self = .picture(.jpeg)
    } else if says("GIF8") {
      self = .video("a GIF")
    } else if says("RIFF") && says("WEBP", at: 8) {
      self = .picture(.webp)
    } else if says("RIFF") && says("AVI", at: 8) {
      self = .video("an AVI video")
    } else if says("ftyp", at: 4) {
      self = Self.boxes(bytes)
    } else if has([0x1A, 0x45, 0xDF, 0xA3]) {
      self = .video("a Matroska or WebM video")
    } else if says("II") && (has([0x2A, 0], at: 2) || has([0x2B, 0, 8, 0], at: 2))
      || says("MM") && (has([0, 0x2A], at: 2) || has([0, 0x2B, 0, 8], at: 2))
    {
      // 43 is BigTIFF, which has offsets of 8 bytes.
      self = .tiff
    } else if has([0x76, 0x2F, 0x31, 0x01]) {
      self = .otherPicture("an OpenEXR picture")
    } else if has([0xFF, 0x0A]) || says("JXL ", at: 4) {
      self = .otherPicture("a JPEG XL picture")
    } else if says("8BPS") {
      self = .otherPicture("a Photoshop file")
    } else if Self.isBMP(bytes) {
      self = .bmp
    } else if says("%PDF") {
      self = .document("a PDF document")
    } else if says("<svg") || says("<?xml") {
      self = .document("an SVG or XML file")
    } else if says("YUV4MPEG2") {
      self = .video("a YUV4MPEG2 video")
    } else {
      self = .unknown
    }
  }

  /// Whether it is a BMP with a header of known length, or one without the file header, as on clipboards.
  private static func isBMP(_ bytes: Span<UInt8>) -> Bool {
    func number(_ at: Int) -> Int { (0..<4).reversed().reduce(0) { $0 << 8 | Int(bytes[at + $1]) } }
    guard bytes.count >= 26 else { return false }
    if bytes[0] == UInt8(ascii: "B") && bytes[1] == UInt8(ascii: "M") {
      return number(14) == 12 || (16...64).contains(number(14)) || number(14) == 108 || number(14) == 124
    }
    return [40, 108, 124].contains(number(0)) && bytes[12] == 1 && bytes[13] == 0 && bytes[15] == 0
      && [1, 4, 8, 16, 24, 32].contains(bytes[14])
  }

  /// The kind of a file of boxes, by its brands (ISO/IEC 14496-12, 4.3; ISO/IEC 23008-12, 10; AV1 Image File Format, 5): the major one, and
  /// if that only means pictures, the compatible ones.
  private static func boxes(_ bytes: Span<UInt8>) -> FileContent {
    func brand(_ at: Int) -> String {
      guard bytes.count >= at + 4 else { return "" }
      return String((at..<at + 4).map { Character(UnicodeScalar(bytes[$0])) })
    }
    let length = (0..<4).reduce(0) { $0 << 8 | Int(bytes[$1]) }
    let end = min(bytes.count, length, 16 + 4 * 64)
    let compatible = Set(stride(from: 16, to: max(16, end - 3), by: 4).map(brand))
    let major = brand(8)
    if coded.contains(major) { return .heic }
    if major == "avif" || major == "avis" { return .picture(.avif) }
    // A single box contains the picture and all its properties (ISO/IEC 23008-12, `mini`).
    if major == "mif3" { return .otherPicture("an HEIF picture in the short form") }
    let isVideo = ["isom", "iso2", "mp41", "mp42", "qt  ", "avc1", "M4V "].contains(major)
    guard containers.contains(major) || (!isVideo && !compatible.isDisjoint(with: containers)) else {
      return .video("an MP4 or MOV video")
    }
    if !compatible.isDisjoint(with: coded) { return .heic }
    return compatible.isDisjoint(with: ["avif", "avis"]) ? .otherPicture("an HEIC picture") : .picture(.avif)
  }

  /// Pictures coded by HEVC.
  private static let coded: Set<String> = ["heic", "heix", "heim", "heis", "hevc", "hevx", "hevm", "hevs"]
  /// Pictures of any coding.
  private static let containers: Set<String> = ["mif1", "mif2", "msf1", "miaf"]
}
