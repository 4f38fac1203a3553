import BackdropImaging

/// A camera maker's private data in EXIF (tag 0x927C). Forms, headers and tags follow ExifTool's tables.
struct MakerNote: Sendable {
  /// The note.
  private(set) var bytes: [UInt8]
  /// Its position in the EXIF structure.
  private let place: Int
  private let form: Form?

  /// The layout of a note: a directory as in TIFF, after a header.
  struct Form: Sendable, Equatable {
    var maker: Maker
    var order: ByteReader.Order
    /// The start of the directory in the note.
    var directory: Int
    /// The base of offsets, as a position in the note; negative if they count from the EXIF structure's start.
    var base: Int
  }

  /// The makers whose tags differ.
  enum Maker: Sendable { case apple, canon, casio, minolta, nikon, olympus, pentax, samsung, sanyo, sony, other }

  /// A longer note of an unknown form may contain samples of a picture without a header.
  private static let unknownLimit = 4096

  /// - Parameters:
  ///   - entry: the note's entry.
  ///   - make: EXIF's name of the camera's maker.
  init(_ entry: EXIFDirectory.Entry, make: [UInt8], _ order: ByteReader.Order) {
    bytes = entry.value
    place = entry.place ?? 0
    form = Self.form(bytes, place: place, make: make, order)
  }

  // MARK: - Forms

  private static func form(
    _ bytes: [UInt8], place: Int, make: [UInt8], _ order: ByteReader.Order
  ) -> Form? {
    func has(_ text: StaticString) -> Bool { bytes.starts(with: text.bytes) }
    func mark(_ at: Int) -> ByteReader.Order {
      guard bytes.count >= at + 2 else { return order }
      return bytes[at] == 0x49 && bytes[at + 1] == 0x49 ? .little : bytes[at] == 0x4D ? .big : order
    }
    // The header, and the directory's layout after it.
    let headers: [(head: StaticString, form: Form)] = [
      ("Apple iOS\0", Form(maker: .apple, order: mark(12), directory: 14, base: 0)),
      ("Nikon\0\u{2}", Form(maker: .nikon, order: mark(10), directory: 18, base: 10)),
      ("Nikon\0", Form(maker: .nikon, order: order, directory: 8, base: -place)),
      ("OLYMPUS\0", Form(maker: .olympus, order: mark(8), directory: 12, base: 0)),
      ("OM SYSTEM\0", Form(maker: .olympus, order: mark(12), directory: 16, base: 0)),
      ("OLYMP\0", Form(maker: .olympus, order: order, directory: 8, base: -place)),
      ("EPSON\0", Form(maker: .olympus, order: order, directory: 8, base: -place)),
      ("MINOL\0", Form(maker: .olympus, order: order, directory: 8, base: -place)),
      ("FUJIFILM", Form(maker: .other, order: .little, directory: 12, base: 0)),
      ("Panasonic\0", Form(maker: .other, order: order, directory: 12, base: -place)),
      ("LEICA\0", Form(maker: .other, order: order, directory: 8, base: -place)),
      ("Ricoh\0", Form(maker: .other, order: order, directory: 8, base: -place)),
      ("GE\0\0", Form(maker: .other, order: mark(10), directory: 18, base: 0)),
      ("SIGMA\0", Form(maker: .other, order: order, directory: 10, base: -place)),
      ("AOC\0", Form(maker: .pentax, order: mark(4), directory: 6, base: -place)),
      ("PENTAX \0", Form(maker: .pentax, order: mark(8), directory: 10, base: 0)),
      ("SONY ", Form(maker: .sony, order: order, directory: 12, base: -place)),
      ("QVC\0\0\0", Form(maker: .casio, order: order, directory: 6, base: -place)),
      ("SANYO\0", Form(maker: .sanyo, order: order, directory: 8, base: -place)),
    ]
    if let known = headers.first(where: { has($0.head) })?.form { return known.isDirectory(in: bytes) ? known : nil }
    let makers: [(StaticString, Maker)] = [
      ("Canon", .canon), ("Minolta", .minolta), ("MINOLTA", .minolta), ("KONICA", .minolta),
      ("NIKON", .nikon), ("SONY", .sony), ("SAMSUNG", .samsung), ("samsung", .samsung), ("PENTAX", .pentax),
      ("Asahi", .pentax),
    ]
    let maker = makers.first { make.starts(with: $0.0.bytes) }?.1 ?? .other
    let plain = Form(maker: maker, order: order, directory: 0, base: maker == .samsung ? 0 : -place)
    return plain.isDirectory(in: bytes) ? plain : nil
  }

  // MARK: - Pictures

  /// The tags that contain pictures, or their positions.
  private struct Pictures {
    var tags: Set<Int> = []
    /// Pairs of tags for a picture's position and its length.
    var places: [(start: Int, length: Int)] = []
    /// Tags of nested directories.
    var directories: Set<Int> = []

    /// - Parameter inner: the tag that references a directory inside a note; `nil` for the note's own.
    init(_ maker: Maker, inner: Int?) {
      let preview = [(start: 0x0201, length: 0x0202)]
      switch (maker, inner) {
      case (.canon, nil): tags = [0x00B6]
      case (.casio, nil): (tags, places) = ([0x2000], [(4, 3)])
      case (.minolta, nil): (tags, places) = ([0x0081], [(0x0088, 0x0089)])
      case (.nikon, nil): directories = [0x0011]
      case (.samsung, nil): directories = [0x0035]
      case (.nikon, _?), (.samsung, _?): places = preview
      case (.olympus, nil):
        (tags, places) = ([0x0081, 0x0100, 0x0280], [(0x0088, 0x0089)])
        directories = [0x2010, 0x2020, 0x2030, 0x2031, 0x2040, 0x2050, 0x3000, 0x4000, 0x5000]
      // Whether a preview is valid, its position and its length.
      case (.olympus, 0x2020): (tags, places) = ([0x0100], [(0x0101, 0x0102)])
      case (.pentax, nil): (tags, places) = ([0x0002], [(4, 3)])
      case (.sanyo, nil): tags = [0x0100]
      case (.sony, nil): tags = [0x2001]
      default: break
      }
    }
  }

  /// Removes the tags of pictures together with the pictures' bytes.
  ///
  /// - Parameter dropsGainMap: whether to remove Apple's headroom and gain as well, because their gain map is removed.
  /// - Returns: whether the search finds no picture in the note afterwards.
  mutating func removePictures(dropsGainMap: Bool) -> Bool {
    guard let form else {
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
    func number(_ tag: Int) -> Int? {
      guard let content = entries.first(where: { $0.tag == tag })?.content, content.count == 4 else { return nil }
      let digits = form.order == .big ? Array(bytes[content]) : bytes[content].reversed()
      return digits.reduce(0) { $0 << 8 | Int($1) }
    }
    for (start, length) in pictures.places {
      guard let start = number(start), let length = number(length) else { continue }
      let content = (form.base + start..<form.base + start + length).clamped(to: bytes.indices)
      // A file that was copied repeatedly may have positions from an earlier file, so check that a picture is there.
      if PictureSignature.isFound(in: bytes[content].prefix(16)) { blank(content.lowerBound, content.count) }
    }
    let unwanted = pictures.tags.union(pictures.places.flatMap { [$0.start, $0.length] }).union(extra)
    var gone: Set<Int> = []
    for (index, entry) in entries.enumerated() {
      if pictures.directories.contains(entry.tag) {
        // The value is either the directory itself or its position.
        let place = entry.content.count > 4 ? entry.content.lowerBound : number(entry.tag).map { form.base + $0 }
        if let place, place > 0, place < bytes.count { clean(form, at: place, inner: entry.tag, []) }
      } else if unwanted.contains(entry.tag)
        || (entry.content.count > 4 && PictureSignature.isFound(in: bytes[entry.content]))
      {
        blank(entry.content.lowerBound, entry.content.count)
        gone.insert(index)
      }
    }
    if !gone.isEmpty { empty(gone, of: entries.count, at: directory, form) }
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
    nothing.uint16(0xFFFF)
    nothing.uint16(7)
    nothing.uint32(4)
    nothing.uint32(0)
    for _ in gone { entries += nothing.bytes }
    bytes.replaceSubrange(start..<start + 12 * count, with: entries)
  }
}

extension MakerNote.Form {
  /// An entry of a directory.
  struct Entry {
    var tag: Int
    /// The range of its value in the note, limited to the note.
    var content: Range<Int>
    /// Whether its type is valid.
    var isSound: Bool
  }

  /// Whether a directory is at the expected position: at least three quarters of its entries have valid types.
  func isDirectory(in bytes: [UInt8]) -> Bool {
    let entries = entries(at: directory, in: bytes)
    return !entries.isEmpty && 4 * entries.count { !$0.isSound } <= entries.count
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
        let place = reader.position
        let offset = try reader.uint32()
        let size = EXIFDirectory.Entry.size(type)
        let length = values * (size ?? 0)
        let start = length <= 4 ? place : base + offset
        result.append(
          Entry(tag: tag, content: (start..<start + length).clamped(to: bytes.indices), isSound: size != nil))
      }
      return result
    } catch { return [] }
  }
}
