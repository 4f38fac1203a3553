import BackdropImaging

/// A camera maker's private data in EXIF (tag 0x927C). Forms, headers and tags follow ExifTool's tables.
struct MakerNote: Sendable {
  private(set) var bytes: [UInt8]
  private let form: Form?
  /// The bytes that the search for pictures may still examine: values may overlap, so a small note could take hours.
  private var searchable: Int

  /// The layout of a note: a directory as in TIFF, after a header.
  struct Form: Sendable {
    var maker: Maker
    var order: ByteReader.Order
    /// The start of the directory in the note.
    var directory: Int
    /// The base of offsets, as a position in the note; negative if they count from the EXIF structure's start.
    var base: Int
  }

  /// The makers whose tags differ.
  enum Maker: Sendable {
    case apple, canon, casio, ericsson, minolta, nikon, olympus, pentax, ricoh, samsung, sanyo, sigma, sony, other
  }

  /// A longer note of an unknown form may contain samples of a picture without a header.
  private static let unknownLimit = 4096

  /// - Parameter make: EXIF's name of the camera's maker.
  init(_ entry: EXIFDirectory.Entry, make: [UInt8], _ order: ByteReader.Order) {
    bytes = entry.value
    form = Self.form(bytes, offset: entry.offset ?? 0, make: make, order)
    searchable = 4 * bytes.count + 65_536
  }

  // MARK: - Forms

  private static func form(_ bytes: [UInt8], offset: Int, make: [UInt8], _ order: ByteReader.Order) -> Form? {
    func mark(_ at: Int) -> ByteReader.Order {
      guard bytes.count >= at + 2 else { return order }
      return bytes[at] == 0x49 && bytes[at + 1] == 0x49 ? .little : bytes[at] == 0x4D ? .big : order
    }
    // The header's text and the bytes after it, and the directory's layout after both.
    // Debian's Swift 6.2.3 merges literals that are equal up to a zero.
    let headers: [(text: StaticString, rest: [UInt8], form: Form)] = [
      ("Apple iOS", [0], Form(maker: .apple, order: mark(12), directory: 14, base: 0)),
      ("Nikon", [0, 2], Form(maker: .nikon, order: mark(10), directory: 18, base: 10)),
      ("Nikon", [0], Form(maker: .nikon, order: order, directory: 8, base: -offset)),
      ("OLYMPUS", [0], Form(maker: .olympus, order: mark(8), directory: 12, base: 0)),
      ("OM SYSTEM", [0], Form(maker: .olympus, order: mark(12), directory: 16, base: 0)),
      ("OLYMP", [0], Form(maker: .olympus, order: order, directory: 8, base: -offset)),
      ("EPSON", [0], Form(maker: .olympus, order: order, directory: 8, base: -offset)),
      ("MINOL", [0], Form(maker: .olympus, order: order, directory: 8, base: -offset)),
      ("FUJIFILM", [], Form(maker: .other, order: .little, directory: 12, base: 0)),
      ("Panasonic", [0], Form(maker: .other, order: order, directory: 12, base: -offset)),
      ("LEICA", [0], Form(maker: .other, order: order, directory: 8, base: -offset)),
      ("Ricoh", [0], Form(maker: .ricoh, order: order, directory: 8, base: -offset)),
      ("GE", [0, 0], Form(maker: .other, order: mark(10), directory: 18, base: 0)),
      ("SIGMA", [0], Form(maker: .sigma, order: order, directory: 10, base: -offset)),
      ("SEMC MS", [0], Form(maker: .ericsson, order: order, directory: 20, base: 12)),
      ("AOC", [0], Form(maker: .pentax, order: mark(4), directory: 6, base: -offset)),
      ("PENTAX ", [0], Form(maker: .pentax, order: mark(8), directory: 10, base: 0)),
      ("SONY ", [], Form(maker: .sony, order: order, directory: 12, base: -offset)),
      ("QVC", [0, 0, 0], Form(maker: .casio, order: order, directory: 6, base: -offset)),
      ("SANYO", [0], Form(maker: .sanyo, order: order, directory: 8, base: -offset)),
    ]
    let known = headers.first {
      bytes.starts(with: $0.text.bytes) && bytes.dropFirst($0.text.utf8CodeUnitCount).starts(with: $0.rest)
    }
    if let form = known?.form { return form.isDirectory(in: bytes) ? form : nil }
    let makers: [(StaticString, Maker)] = [
      ("Canon", .canon), ("Minolta", .minolta), ("MINOLTA", .minolta), ("KONICA", .minolta),
      ("NIKON", .nikon), ("SONY", .sony), ("SAMSUNG", .samsung), ("samsung", .samsung), ("PENTAX", .pentax),
      ("Asahi", .pentax),
    ]
    let maker = makers.first { make.starts(with: $0.0.bytes) }?.1 ?? .other
    let plain = Form(maker: maker, order: order, directory: 0, base: maker == .samsung ? 0 : -offset)
    return plain.isDirectory(in: bytes) ? plain : nil
  }

  // MARK: - Pictures

  /// The tags that contain pictures, or their positions.
  private struct Pictures {
    var tags: Set<Int> = []
    /// Pairs of tags for a picture's position and its length.
    var locations: [(start: Int, length: Int)] = []
    /// Tags of nested directories.
    var directories: Set<Int> = []
    /// Tags of nested directories that only describe a picture.
    var previews: Set<Int> = []

    /// - Parameter inner: the tag that references a directory inside a note; `nil` for the note's own.
    init(_ maker: Maker, inner: Int?) {
      switch (maker, inner) {
      // The preview, and the position of data after the picture.
      case (.canon, nil): tags = [0x0083, 0x00B6]
      case (.casio, nil): (tags, locations) = ([0x2000], [(4, 3)])
      case (.ericsson, nil), (.nikon, 0x0011), (.samsung, _?): locations = [(0x0201, 0x0202)]
      case (.minolta, nil): (tags, locations) = ([0x0081], [(0x0088, 0x0089)])
      case (.nikon, nil): (previews, directories) = ([0x0011], [0x0E10])
      case (.samsung, nil): previews = [0x0035]
      case (.olympus, nil):
        (tags, locations) = ([0x0081, 0x0100, 0x0280], [(0x0088, 0x0089), (0x0F04, 0x0F05)])
        directories = [0x2010, 0x2020, 0x2030, 0x2031, 0x2040, 0x2050, 0x3000, 0x4000, 0x5000]
      // Whether a preview is valid, its position and its length.
      case (.olympus, 0x2020): (tags, locations) = ([0x0100], [(0x0101, 0x0102)])
      case (.pentax, nil): (tags, locations) = ([0x0002], [(4, 3)])
      case (.ricoh, nil): directories = [0x4001]
      case (.sanyo, nil): tags = [0x0100]
      case (.sigma, nil): locations = [(0x001A, 0x001B), (0x001C, 0x001D)]
      // The preview, and the position of data after the picture.
      case (.sony, nil): (tags, directories) = ([0x2001, 0x2044], [0xB028])
      default: break
      }
    }
  }

  /// Removes the tags of pictures together with the pictures' bytes, and the tags of data that the note does not contain.
  ///
  /// - Parameter dropsGainMap: whether to remove Apple's headroom and gain as well, because their gain map is removed.
  /// - Returns: whether the search finds no picture in the note afterwards.
  mutating func removePictures(dropsGainMap: Bool) -> Bool {
    guard let form else {
      // The position and length of Samsung's preview.
      if bytes.starts(with: "STMN".utf8) { blank(8, 8) }
      return bytes.count <= Self.unknownLimit && !PictureSignature.isFound(in: bytes, alsoTIFF: true)
    }
    var extra: Set<Int> = []
    // HDRHeadroom and HDRGain.
    if form.maker == .apple && dropsGainMap { extra = [0x0021, 0x0030] }
    clean(form, at: form.directory, inner: nil, extra)
    return !PictureSignature.isFound(in: bytes)
  }

  private mutating func clean(_ form: Form, at directory: Int, inner: Int?, _ extra: Set<Int>) {
    let pictures = Pictures(form.maker, inner: inner)
    let entries = form.entries(at: directory, in: bytes)
    func number(_ tag: Int) -> Int? { entries.first { $0.tag == tag }?.number(form.order, in: bytes) }
    var unwanted = pictures.tags.union(extra)
    for (start, length) in pictures.locations {
      // Some cameras use these tags for other values.
      guard let offset = number(start), let count = number(length) else { continue }
      unwanted.formUnion([start, length])
      let content = (form.base + offset..<form.base + offset + count).clamped(to: bytes.indices)
      // A file that was copied repeatedly may have positions from an earlier file, so check that a picture is there.
      if PictureSignature.isFound(in: bytes[content].prefix(16)) { blank(content.lowerBound, content.count) }
    }
    // The result has nothing of the file around the note. If most values seem to be there, the positions are from an earlier file, and
    // readers find the values from the first one.
    let distant = entries.filter { $0.length > 4 }
    let isMoved = 2 * distant.count { !$0.isInside } > distant.count
    var gone: Set<Int> = []
    for (index, entry) in entries.enumerated() {
      if pictures.directories.contains(entry.tag) || pictures.previews.contains(entry.tag) {
        // The value is either the directory itself or its position.
        let offset =
          entry.length > 4 ? entry.content.lowerBound : entry.number(form.order, in: bytes).map { form.base + $0 }
        if let offset, offset > 0, form.isDirectory(in: bytes, at: offset) {
          clean(form, at: offset, inner: entry.tag, [])
          guard pictures.previews.contains(entry.tag) else { continue }
          let described = form.entries(at: offset, in: bytes)
          for value in described { blank(value.content.lowerBound, value.content.count) }
          blank(offset, 2 + 12 * described.count + 4)
        } else if isMoved {
          continue
        }
      } else if !unwanted.contains(entry.tag) && (entry.isInside || isMoved)
        && (entry.length <= 4 || !holdsPicture(entry.content))
      {
        continue
      }
      blank(entry.content.lowerBound, entry.content.count)
      gone.insert(index)
    }
    if !gone.isEmpty { empty(gone, of: entries.count, at: directory, form) }
  }

  /// Whether a value holds a picture, or cannot be searched.
  private mutating func holdsPicture(_ content: Range<Int>) -> Bool {
    searchable -= content.count
    return searchable < 0 || PictureSignature.isFound(in: bytes[content])
  }

  /// Writes zeros over the part of a range that lies inside the note.
  private mutating func blank(_ start: Int, _ count: Int) {
    guard count > 0, start < bytes.count, start > -count else { return }
    for index in max(0, start)..<min(bytes.count, start + count) { bytes[index] = 0 }
  }

  /// Puts empty entries after the remaining ones. The directory keeps its length: programs derive the base of offsets from the position of
  /// the first value after it.
  private mutating func empty(_ gone: Set<Int>, of count: Int, at directory: Int, _ form: Form) {
    let start = directory + 2
    var entries: [UInt8] = []
    for index in 0..<count where !gone.contains(index) {
      entries += bytes[start + 12 * index..<start + 12 * (index + 1)]
    }
    var nothing = ByteWriter(order: form.order)
    nothing.entry(0xFFFF, 7, count: 4, 0)
    for _ in gone { entries += nothing.bytes }
    bytes.replaceSubrange(start..<start + 12 * count, with: entries)
  }
}

extension MakerNote.Form {
  struct Entry {
    var tag: Int
    /// The length of its value in bytes.
    var length: Int
    /// The range of its value in the note, limited to the note.
    var content: Range<Int>
    var isInside: Bool { content.count == length }
    /// The size of one of its values; `nil` for an invalid type.
    var size: Int?

    /// Its value, if it is a single number of 32 bits.
    func number(_ order: ByteReader.Order, in bytes: [UInt8]) -> Int? {
      guard size == 4, length == 4, isInside else { return nil }
      let digits = order == .big ? Array(bytes[content]) : bytes[content].reversed()
      return digits.reduce(0) { $0 << 8 | Int($1) }
    }
  }

  /// Whether a directory is at a position, by default the expected one: at least three quarters of its entries have valid types.
  func isDirectory(in bytes: [UInt8], at offset: Int? = nil) -> Bool {
    let entries = entries(at: offset ?? directory, in: bytes)
    return !entries.isEmpty && 4 * entries.count { $0.size == nil } <= entries.count
  }

  /// The entries of a directory; none if it is damaged.
  func entries(at directory: Int, in bytes: [UInt8]) -> [Entry] {
    do throws(BackdropError) {
      var reader = ByteReader(bytes, order: order)
      try reader.seek(to: directory)
      let count = try reader.uint16()
      guard (1...1000).contains(count) else { return [] }
      var result: [Entry] = []
      for _ in 0..<count {
        let tag = try reader.uint16()
        let (type, values) = (try reader.uint16(), try reader.uint32())
        let position = reader.position
        let offset = try reader.uint32()
        let size = EXIFDirectory.Entry.size(type)
        let length = values * (size ?? 0)
        let start = length <= 4 ? position : base + offset
        result.append(
          Entry(tag: tag, length: length, content: (start..<start + length).clamped(to: bytes.indices), size: size))
      }
      return result
    } catch { return [] }
  }
}
