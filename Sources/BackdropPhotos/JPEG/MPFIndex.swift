import BackdropCodecs
import BackdropImaging

/// The index of the images in a file of several JPEG images (CIPA DC-007, Multi-Picture Format, section 5.2).
struct MPFIndex: Sendable {
  struct Entry: Sendable {
    /// Its kind: the low 24 bits are its type, 0x030000 for the primary image (section 5.2.3.3.1).
    var attribute: Int
    var range: Range<Int>

    var type: Int { attribute & 0xFF_FFFF }
  }

  static let primary = 0x03_0000
  /// One of several views, as for two eyes.
  static let disparity = 0x02_0002
  private static let versionTag = 0xB000
  private static let countTag = 0xB001
  private static let entryTag = 0xB002
  private static let entrySize = 16
  /// More images than any camera writes into one file.
  private static let limit = 256

  private(set) var entries: [Entry] = []
  /// Errors for images that lie outside the file, which are left out.
  private(set) var faults: [BackdropError] = []

  /// Reads the index in the payload of an APP2 segment, without its mark.
  init(_ bytes: [UInt8], in range: Range<Int>) throws(BackdropError) {
    let tiff = try TIFFReader(bytes, in: range)
    guard let count = try tiff.value(of: Self.countTag), let list = try tiff.content(of: Self.entryTag) else { return }
    guard count <= Self.limit else {
      throw BackdropError(.overLimit, "the file lists \(count) images, over the limit of \(Self.limit)")
    }
    guard list.count >= count * Self.entrySize else {
      throw BackdropError(damaged: "the list of images has \(list.count) bytes, which do not fit \(count) images")
    }
    var reader = ByteReader(bytes, in: list, order: tiff.order)
    for index in 0..<count {
      let attribute = try reader.uint32()
      let size = try reader.uint32()
      let offset = try reader.uint32()
      try reader.skip(4)
      // Offsets count from the header of the index, except that the first image's is zero.
      let start = index == 0 && offset == 0 ? 0 : range.lowerBound + offset
      guard index == 0 || (start + size <= bytes.count && size > 0) else {
        faults.append(
          BackdropError(
            .badData,
            "image \(index + 1) of the photo is at bytes \(start)…\(start + size), but the file has \(bytes.count)",
            hint: "the file was cut off; copy the original again"))
        continue
      }
      entries.append(Entry(attribute: attribute, range: start..<start + size))
    }
  }

  /// The geometry of one of several views (section 5.2.4): the distance to the first view's lens in metres, and the angle between their
  /// axes in degrees.
  struct View {
    var baseline: Double
    var convergence: Double

    private static let convergenceTag = 0xB205
    private static let baselineTag = 0xB206

    /// `nil` if the picture's own segment has no plausible baseline.
    init?(of picture: JPEGPicture) {
      guard let range = picture.structure.payloads(0xE2, mark: JPEGStructure.Segment.mpfMark, in: picture.file).first
      else { return nil }
      do throws(BackdropError) {
        let tiff = try TIFFReader(picture.file, in: range)
        // Both parts of an unknown value have all bits set, so it is 1.
        let angle = try tiff.fraction(of: Self.convergenceTag) ?? 0
        guard let length = try tiff.fraction(of: Self.baselineTag), (0.001..<1).contains(length) else { return nil }
        baseline = length
        convergence = abs(angle) < 45 && angle != 1 ? abs(angle) : 0
      } catch {
        return nil
      }
    }
  }

  // MARK: - Writing

  /// The payload of an APP2 segment with space for `count` images.
  static func payload(count: Int) -> [UInt8] {
    var writer = header(tags: 3)
    writer.entry(countTag, 4, count: 1, count)
    // After the three entries and the pointer to a next directory.
    writer.entry(entryTag, 7, count: count * entrySize, 8 + 2 + 3 * 12 + 4)
    writer.uint32(0)
    writer.data([UInt8](repeating: 0, count: count * entrySize))
    return writer.bytes
  }

  /// Fills in the list in a payload of ``payload(count:)`` that lies in a file at `start`.
  static func fill(
    _ file: inout [UInt8], payloadAt start: Int, with images: [(attribute: Int, range: Range<Int>)]
  ) throws(BackdropError) {
    let header = start + JPEGStructure.Segment.mpfMark.count
    var writer = ByteWriter()
    for (index, image) in images.enumerated() {
      let offset = index == 0 ? 0 : image.range.lowerBound - header
      guard offset >= 0 && image.range.upperBound < 1 << 32 else {
        throw BackdropError(.overLimit, "the photo would be larger than 4 GiB", hint: "remove some of its images")
      }
      writer.uint32(image.attribute)
      writer.uint32(image.range.count)
      writer.uint32(offset)
      writer.uint32(0)
    }
    let list = header + 8 + 2 + 3 * 12 + 4
    file.replaceSubrange(list..<list + writer.bytes.count, with: writer.bytes)
  }

  /// iOS' data in a secondary image: the version and the number of all images.
  static func individualPayload(count: Int) -> [UInt8] {
    var writer = header(tags: 2)
    writer.entry(countTag, 4, count: 1, count)
    writer.uint32(0)
    return writer.bytes
  }

  private static func header(tags: Int) -> ByteWriter {
    var writer = ByteWriter()
    writer.data(JPEGStructure.Segment.mpfMark + Array("MM".utf8))
    writer.uint16(42)
    writer.uint32(8)
    writer.uint16(tags)
    // "0100".
    writer.entry(versionTag, 7, count: 4, 0x3031_3030)
    return writer
  }
}
