import BackdropImaging

/// The kind of a file by its first bytes; names are suitable for messages, with their article.
package enum FileContent: Equatable {
  case picture(PictureFormat)
  /// A picture of an unsupported kind that FFmpeg converts.
  case otherPicture(String)
  /// A picture of an unsupported kind that FFmpeg does not read either.
  case rarePicture(String)
  /// The undeveloped picture of a camera's sensor.
  case raw(String)
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
  /// A TIFF file, which picture and depth readers support; many raw files have the same first bytes.
  package static let tiff = FileContent.otherPicture("a TIFF picture")

  /// Examines a file's first bytes; 64 are enough, except for pictures in boxes, where more brands are checked.
  package init(_ bytes: Span<UInt8>) {
    if let format = PictureFormat.all.first(where: { $0.codec.matches(bytes) }) {
      self = .picture(format)
    } else {
      self =
        FileSignature.content(of: bytes) ?? Self.brands(bytes) ?? (Self.isBMP(bytes) ? .bmp : nil)
        ?? Self.plainHeader(bytes) ?? .unknown
    }
  }

  package static let developing =
    "develop it first, for example in darktable or RawTherapee, and save it as a TIFF picture"

  /// What the file is, and how to make a readable picture of it; `nil` for readable pictures and unknown kinds.
  package var description: (title: String, hint: String)? {
    switch self {
    case .picture, .unknown: nil
    case .otherPicture(let title), .video(let title):
      (title, "convert it first, for example: ffmpeg -i INPUT -frames:v 1 picture.png")
    case .rarePicture(let title), .document(let title):
      (title, "save it as a PNG, JPEG or TIFF picture in a program that opens it")
    case .raw(let title): (title, Self.developing)
    }
  }

  /// The error for a file of a kind that no reader supports; `nil` for the others.
  package var refusal: BackdropError? {
    switch self {
    case .otherPicture, .rarePicture, .raw, .document:
      description.map { BackdropError(.unsupported, "Backdrop does not read \($0.title)", hint: $0.hint) }
    case .picture, .video, .unknown: nil
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

  /// A picture whose header has plausible numbers, but no signature: a PCX, SGI, TGA or Windows icon file.
  private static func plainHeader(_ bytes: Span<UInt8>) -> FileContent? {
    guard bytes.count >= 22 else { return nil }
    func short(_ at: Int) -> Int { Int(bytes[at]) | Int(bytes[at + 1]) << 8 }
    // The first picture of an icon or a cursor: reserved zero, at least its own header's 40 bytes or a PNG, after the list.
    if short(0) == 0, [1, 2].contains(short(2)), (1...256).contains(short(4)), bytes[9] == 0,
      short(14) | short(16) << 16 >= 40, short(18) | short(20) << 16 >= 6 + 16 * short(4)
    {
      return .otherPicture("a Windows icon (ICO)")
    }
    if bytes[0] == 10, [0, 2, 3, 4, 5].contains(bytes[1]), bytes[2] <= 1, [1, 2, 4, 8].contains(bytes[3]),
      short(4) <= short(8), short(6) <= short(10)
    {
      return .otherPicture("a PCX picture")
    }
    if bytes[0] == 1, bytes[1] == 0xDA, bytes[2] <= 1, [1, 2].contains(bytes[3]), bytes[4] == 0,
      (1...3).contains(bytes[5])
    {
      return .otherPicture("an SGI picture")
    }
    // Truevision TGA 2.0: the kind of picture, no palette or one of 15 to 32 bits, a size, bits of a pixel.
    let palette = bytes[1] == 0 ? short(3) == 0 && short(5) == 0 && bytes[7] == 0 : (15...32).contains(bytes[7])
    if bytes[1] <= 1, [1, 2, 3, 9, 10, 11].contains(bytes[2]), (bytes[2] & 7 == 1) == (bytes[1] == 1), palette,
      short(12) > 0, short(14) > 0, [8, 15, 16, 24, 32].contains(bytes[16]), bytes[17] & 0xC0 == 0
    {
      return .otherPicture("a TGA picture")
    }
    return nil
  }

  /// The kind of a file of boxes, by its brands (ISO/IEC 14496-12, 4.3; ISO/IEC 23008-12, 10; AV1 Image File Format, 5): the major one, and
  /// if that only means pictures, the compatible ones. `nil` for other files.
  static func brands(_ bytes: Span<UInt8>) -> FileContent? {
    guard FileSignature.Mark.at(4, "ftyp").isFound(in: bytes) else { return nil }
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
    if major == "crx " { return .raw("a Canon raw file (CR3)") }
    // A single box contains the picture and all its properties (ISO/IEC 23008-12, `mini`).
    if major == "mif3" { return .rarePicture("an HEIF picture in the short form") }
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
