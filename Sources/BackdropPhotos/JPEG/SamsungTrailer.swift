import BackdropDepth
import BackdropImaging

/// Samsung's blocks after the picture of a JPEG file, as described by ExifTool (Samsung.pm, "Samsung trailer").
///
/// The file ends with a directory (`SEFH`), its length and `SEFT`. Each entry has a block's type, its length, and its distance before the
/// directory; a block begins with its type and its name. All numbers are little-endian.
enum SamsungTrailer: DepthTrailer {
  private enum Block {
    static let picture = 0x0001
    static let depth = 0x0AB1
    static let sizes = 0x0AB3
  }

  /// More blocks than any phone writes.
  private static let limit = 1000

  static func read(
    _ bytes: [UInt8], from start: Int, besides picture: JPEGPicture, limits: ImageLimits
  ) throws(BackdropError) -> DepthTrailerContent? {
    guard bytes.count >= start + 20, bytes.suffix(4).elementsEqual("SEFT".utf8) else { return nil }
    let blocks = try self.blocks(bytes, from: start)
    guard let depth = blocks["DualShot_DepthMap_1"], depth.type == Block.depth else { return nil }
    guard let sizes = blocks["DualShot_Extra_Info"], sizes.type == Block.sizes,
      let (first, second) = try size(bytes, sizes.range), first > 0, second > 0, first * second == depth.range.count
    else {
      throw BackdropError(
        .badData, "the size of the depth map in Samsung's form is not known (\(depth.range.count) bytes)",
        hint: "use the photo without its depth")
    }
    // Some phones give the height first.
    let (width, height) = isLike(first, second, picture) ? (first, second) : (second, first)
    var result = DepthTrailerContent(
      samples: try Plane(bytes, at: depth.range.lowerBound, width: width, height: height, limits: limits))
    if let original = blocks["DualShot_1"], original.type == Block.picture {
      do throws(BackdropError) {
        result.original = try JPEGPicture(bytes, in: original.range, limits: limits)
      } catch {
        result.faults.append(error)
      }
    }
    return result
  }

  private static func isLike(_ width: Int, _ height: Int, _ picture: JPEGPicture) -> Bool {
    (width >= height) == (picture.width >= picture.height)
  }

  private static func blocks(
    _ bytes: [UInt8], from start: Int
  ) throws(BackdropError) -> [String: (type: Int, range: Range<Int>)] {
    let damaged = BackdropError(
      .badData, "the list of parts behind the photo (Samsung's form) is damaged", hint: "fetch the original again")
    var reader = ByteReader(bytes, in: start..<bytes.count, order: .little)
    try reader.seek(to: bytes.count - 8)
    let length = try reader.uint32()
    guard length >= 12, length <= bytes.count - 8 - start else { throw damaged }
    let directory = bytes.count - 8 - length
    try reader.seek(to: directory)
    guard try reader.data(4).elementsEqual("SEFH".utf8) else { throw damaged }
    try reader.skip(4)
    let count = try reader.uint32()
    guard count <= limit, 12 + 12 * count <= length else { throw damaged }
    var result: [String: (type: Int, range: Range<Int>)] = [:]
    for index in 0..<count {
      try reader.seek(to: directory + 12 + 12 * index + 2)
      let (type, distance, size) = (try reader.uint16(), try reader.uint32(), try reader.uint32())
      guard [Block.picture, Block.depth, Block.sizes].contains(type) else { continue }
      guard distance <= directory - start, size <= distance, size >= 8 else { throw damaged }
      let offset = directory - distance
      try reader.seek(to: offset + 2)
      let (same, name) = (try reader.uint16(), try reader.uint32())
      guard same == type, name <= min(size - 8, 256) else { throw damaged }
      let text = String(decoding: try reader.data(name), as: UTF8.self)
      result[text] = (type, offset + 8 + name..<offset + size)
    }
    return result
  }

  /// The two sides of the map. Their position in the block differs between phones. They follow a number up to 9 and two bytes of all ones,
  /// at a multiple of four from byte 32 to byte 95.
  private static func size(_ bytes: [UInt8], _ range: Range<Int>) throws(BackdropError) -> (Int, Int)? {
    for offset in stride(from: range.lowerBound + 32, through: min(range.lowerBound + 92, range.upperBound - 12), by: 4)
    where (1...9).contains(bytes[offset]) && bytes[offset + 1] == 0 && bytes[offset + 2] == 0xFF
      && bytes[offset + 3] == 0xFF
    {
      var reader = ByteReader(bytes, in: offset + 4..<range.upperBound, order: .little)
      return (try reader.uint32(), try reader.uint32())
    }
    return nil
  }
}
