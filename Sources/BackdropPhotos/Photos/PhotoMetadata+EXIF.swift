import BackdropImaging

extension PhotoMetadata {
  /// The tags in use (CIPA DC-008, Exif 2.32, section 4.6).
  private enum Tag {
    static let make = 0x010F
    static let model = 0x0110
    static let orientation = 0x0112
    static let changed = 0x0132
    static let exifDirectory = 0x8769
    static let taken = 0x9003
    static let zone = 0x9011
    static let lens = 0xA434
    static let focalLength = 0x920A
    static let focalLength35 = 0xA405
  }

  /// The time and camera of a photo.
  public struct Shot: Sendable, Codable, Equatable {
    /// The time in EXIF's form: `2018:12:24 17:30:05`, with the zone (`+01:00`) if known.
    public var date: String?
    /// The camera's maker.
    public var make: String?
    /// The camera's model.
    public var model: String?
    /// The camera's lens.
    public var lens: String?
    /// The lens's true focal length.
    public var focalLengthMillimetres: Double?

    /// Makes an empty description.
    public init() {}
  }

  /// The photo's time and camera, as far as EXIF has them.
  ///
  /// Leaves out unreadable parts, so that damaged EXIF does not make the photo unusable.
  public var shot: Shot {
    var result = Shot()
    do {
      guard let exif else { return result }
      let tiff = try TIFFReader(exif)
      result.make = try tiff.text(of: Tag.make)
      result.model = try tiff.text(of: Tag.model)
      result.date = try tiff.text(of: Tag.changed)
      guard let inner = try tiff.value(of: Tag.exifDirectory) else { return result }
      if let taken = try tiff.text(of: Tag.taken, at: inner) {
        result.date = taken + (try tiff.text(of: Tag.zone, at: inner) ?? "")
      }
      result.lens = try tiff.text(of: Tag.lens, at: inner)
      result.focalLengthMillimetres = try tiff.fraction(of: Tag.focalLength, at: inner)
    } catch {
      return result
    }
    return result
  }

  /// The focal length of a lens with the same angle of view on film of 36 mm by 24 mm; `nil` if EXIF does not have it, or is damaged.
  var focalLength35Millimetres: Double? {
    exifValue { tiff throws(BackdropError) in
      guard let inner = try tiff.value(of: Tag.exifDirectory),
        let length = try tiff.value(of: Tag.focalLength35, at: inner), length > 0
      else { return nil }
      return Double(length)
    }
  }

  /// The orientation in EXIF; `nil` if it has none, or is damaged.
  var exifOrientation: Orientation? {
    exifValue { tiff throws(BackdropError) in
      try tiff.value(of: Tag.orientation).flatMap(Orientation.init(rawValue:))
    }
  }

  private func exifValue<Value>(_ read: (TIFFReader) throws(BackdropError) -> Value?) -> Value? {
    do throws(BackdropError) {
      return try exif.flatMap { exif throws(BackdropError) in try read(TIFFReader(exif)) }
    } catch {
      return nil
    }
  }

  /// Sets the orientation in EXIF: overwrites an existing tag, or adds a missing one.
  mutating func setEXIFOrientation(_ orientation: Orientation) {
    guard (exifOrientation ?? .up) != orientation else { return }
    do {
      if let exif, let range = try TIFFReader(exif).contentRange(ofShort: Tag.orientation) {
        let isLittle = try TIFFReader(exif).order == .little
        let value: [UInt8] = [0, UInt8(orientation.rawValue)]
        self.exif?.replaceSubrange(range, with: isLittle ? value.reversed() : value)
      } else {
        exif =
          try exif.map { exif throws(BackdropError) in try Self.adding(orientation, to: exif) }
          ?? Self.minimal(orientation)
      }
    } catch {
      // An upright photo needs the orientation, which unreadable data cannot hold.
      exif = Self.minimal(orientation)
    }
  }

  private static func minimal(_ orientation: Orientation) -> [UInt8] {
    var exif = EXIFData()
    exif.main[Tag.orientation] = .init(Tag.orientation, [orientation.rawValue], isLong: false, exif.order)
    return exif.encoded
  }

  /// The same structure with one additional entry. Its new first directory is at the end, so that no offset changes.
  private static func adding(_ orientation: Orientation, to exif: [UInt8]) throws(BackdropError) -> [UInt8] {
    let tiff = try TIFFReader(exif)
    var reader = ByteReader(exif, order: tiff.order)
    try reader.seek(to: tiff.firstDirectory)
    let count = try reader.uint16()
    var entries = try (0..<count).map { _ throws(BackdropError) in
      let entry = try reader.data(12)
      var tag = ByteReader(entry, order: tiff.order)
      return (tag: try tag.uint16(), bytes: entry)
    }
    let next = try reader.data(4)
    entries.removeAll { $0.tag == Tag.orientation }
    // Entries are sorted by tag (TIFF 6.0, section 2).
    let index = entries.firstIndex { $0.tag > Tag.orientation } ?? entries.endIndex
    var added = ByteWriter(order: tiff.order)
    // A value of 16 bits comes first in its four bytes.
    added.entry(Tag.orientation, 3, count: 1, orientation.rawValue << (tiff.order == .big ? 16 : 0))
    entries.insert((Tag.orientation, added.bytes), at: index)
    var writer = ByteWriter(order: tiff.order)
    writer.data(exif)
    if !exif.count.isMultiple(of: 2) { writer.uint8(0) }
    let start = writer.bytes.count
    writer.uint16(entries.count)
    for entry in entries { writer.data(entry.bytes) }
    writer.data(next)
    writer.replace(at: 4, UInt64(start), size: 4)
    return writer.bytes
  }
}
