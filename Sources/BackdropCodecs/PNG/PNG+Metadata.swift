import BackdropImaging
import CZlib

extension PNG {
  /// Keywords of texts that contain data for programs.
  fileprivate enum Keyword {
    static let xmp = "XML:com.adobe.xmp"
    /// ImageMagick's form of metadata, in hexadecimal digits.
    static let profile = "Raw profile type "
    /// Texts in the thumbnails of desktops, which name the original file.
    static let thumbnail = "Thumb::"
  }
  /// More texts than any program writes.
  private static let textLimit = 1000

  /// A file's metadata, before and after its pixels (PNG specification, third edition, section 11.3): EXIF, XMP, texts, density; also EXIF
  /// and IPTC's texts in ImageMagick's form. No pixel is decoded, and no checksum is verified.
  ///
  /// Leaves out damaged chunks, so that the picture stays readable.
  static func metadata(of bytes: Span<UInt8>) -> PictureMetadata {
    bytes.withUnsafeBytes { metadata(of: $0) { _ in true } }
  }

  /// The orientation in EXIF.
  static func orientation(of file: UnsafeRawBufferPointer) -> Orientation {
    let found = metadata(of: file) { $0.hasPrefix(Keyword.profile) }
    return found.exif?.withUnsafeBytes { EXIF.orientation(inTIFF: $0) } ?? .up
  }

  /// As ``metadata(of:)``, but with only the texts of some keywords.
  private static func metadata(of file: UnsafeRawBufferPointer, wants: (String) -> Bool) -> PictureMetadata {
    var result = PictureMetadata()
    var budget = cacheLimit
    for chunk in PNGChunks(file) {
      guard chunk.isWhole else { break }
      guard chunk.content.count <= chunkLimit, chunk.name != "IDAT" else { continue }
      let content = file[chunk.content]
      if chunk.name == "eXIf" {
        if let exif = PictureMetadata.tiff(Array(content)) { result.exif = exif }
      } else if chunk.name == "pHYs" {
        result.readDensity(content)
      } else if let kind = TextChunk(rawValue: chunk.name), result.texts.count < textLimit,
        let text = kind.text(content, wants: wants, &budget)
      {
        result.add(text)
      }
    }
    return result
  }

  /// The three kinds of text chunks (section 11.3.3).
  private enum TextChunk: String {
    case plain = "tEXt", compressed = "zTXt", international = "iTXt"

    /// Keyword and text; `nil` for a damaged one.
    func text(_ content: Slice<UnsafeRawBufferPointer>, wants: (String) -> Bool, _ budget: inout Int) -> PictureText? {
      guard let end = content.firstIndex(of: 0), (1...79).contains(end - content.startIndex) else { return nil }
      let keyword = String(decoding: content[..<end], as: UTF8.self)
      guard wants(keyword) else { return nil }
      var rest = content[(end + 1)...]
      var isCompressed = false
      switch self {
      case .plain: break
      case .compressed:
        guard rest.first == 0 else { return nil }
        (isCompressed, rest) = (true, rest.dropFirst())
      case .international:
        guard rest.count >= 2, let flag = rest.first, flag <= 1 else { return nil }
        (isCompressed, rest) = (flag == 1, rest.dropFirst(2))
        // The language, and the keyword in it.
        for _ in 0..<2 {
          guard let end = rest.firstIndex(of: 0) else { return nil }
          rest = rest[(end + 1)...]
        }
      }
      guard isCompressed else { return PictureText(keyword: keyword, Array(rest)) }
      return PNG.inflated(rest, &budget).map { PictureText(keyword: keyword, $0) }
    }
  }

  /// The content of a zlib stream (RFC 1950); `nil` if it is damaged, or over the limit of a chunk or of the whole file.
  private static func inflated(_ content: Slice<UnsafeRawBufferPointer>, _ budget: inout Int) -> [UInt8]? {
    let source = UnsafeRawBufferPointer(rebasing: content)
    var size = max(4096, 4 * source.count)
    while true {
      size = min(size, chunkLimit, budget)
      guard size > 0, let start = source.baseAddress else { return nil }
      var count = UInt(size)
      var status: Int32 = 0
      let result = [UInt8](unsafeUninitializedCapacity: size) { target, written in
        status = uncompress(target.baseAddress, &count, start.assumingMemoryBound(to: UInt8.self), UInt(source.count))
        written = status == Z_OK ? Int(count) : 0
      }
      budget -= status == Z_OK ? result.count : size
      if status == Z_OK { return result }
      guard status == Z_BUF_ERROR, size < chunkLimit else { return nil }
      size *= 4
    }
  }

  /// Chunks of texts, XMP and density, with lengths and checksums.
  static func chunks(of metadata: PictureMetadata) -> [UInt8] {
    var result: [UInt8] = []
    if let density = metadata.pixelsPerMetre {
      result += chunk("pHYs", long(Int(density.x)) + long(Int(density.y)) + [1])
    }
    for text in metadata.texts where (1...79).contains(text.keyword.utf8.count) {
      let keyword = Array(text.keyword.utf8) + [0]
      if text.bytes.allSatisfy({ $0 < 0x80 }) || String(validating: text.bytes, as: UTF8.self) == nil {
        result += chunk("tEXt", keyword + text.bytes.filter { $0 != 0 })
      } else {
        result += chunk("iTXt", keyword + [0, 0, 0, 0] + text.bytes.filter { $0 != 0 })
      }
    }
    // XMP, part 3, section 1.1.5.
    if let xmp = metadata.xmp { result += chunk("iTXt", Array(Keyword.xmp.utf8) + [0, 0, 0, 0, 0] + xmp) }
    return result
  }
}

extension PictureMetadata {
  /// A `pHYs` chunk in metres (section 11.3.4.3).
  fileprivate mutating func readDensity(_ content: Slice<UnsafeRawBufferPointer>) {
    let bytes = Array(content)
    guard bytes.count == 9, bytes[8] == 1 else { return }
    func number(_ at: Int) -> UInt32 { bytes[at..<at + 4].reduce(0) { $0 << 8 | UInt32($1) } }
    guard number(0) > 0, number(4) > 0 else { return }
    pixelsPerMetre = PixelsPerMetre(x: number(0), y: number(4))
  }

  /// Stores a text according to its keyword.
  fileprivate mutating func add(_ text: PictureText) {
    guard text.keyword != PNG.Keyword.xmp else {
      xmp = xmp ?? text.bytes
      return
    }
    guard !text.keyword.hasPrefix(PNG.Keyword.thumbnail) else { return }
    guard text.keyword.hasPrefix(PNG.Keyword.profile) else { return texts.append(text) }
    guard let content = Self.rawProfile(text.bytes) else { return }
    switch text.keyword.dropFirst(PNG.Keyword.profile.count) {
    case "exif", "APP1":
      let packet = JPEGStructure.Segment.xmpMark
      if content.starts(with: packet) {
        xmp = xmp ?? Array(content.dropFirst(packet.count))
      } else {
        exif = exif ?? Self.tiff(content)
      }
    case "xmp": xmp = xmp ?? content
    case "iptc", "8bim": imageResources = imageResources ?? content
    default: return
    }
  }

  /// ImageMagick's text form: a line break, a name, a line break, the number of bytes, a line break, their digits.
  private static func rawProfile(_ text: [UInt8]) -> [UInt8]? {
    let lines = text.split(separator: UInt8(ascii: "\n"), maxSplits: 2)
    guard lines.count == 3 else { return nil }
    let digits = lines[2].compactMap(\.hexDigit)
    return stride(from: 0, to: digits.count - 1, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
  }
}
