import BackdropImaging

/// The composition of a picture from equal tiles (ISO/IEC 23008-12, 6.6.2.3).
struct HEICGrid: Sendable {
  var rows: Int
  var columns: Int
  /// The size of the whole picture; tiles extend over its right and lower edge.
  var width: Int
  var height: Int
}

extension HEICGrid {
  init(_ data: [UInt8]) throws(BackdropError) {
    var reader = ByteReader(data)
    do throws(BackdropError) {
      let version = try reader.uint8()
      guard version == 0 else {
        throw BackdropError(.unsupported, "Backdrop does not read grids of version \(version)")
      }
      let size = try reader.uint8() & 1 == 0 ? 2 : 4
      rows = try reader.uint8() + 1
      columns = try reader.uint8() + 1
      width = Int(try reader.number(size))
      height = Int(try reader.number(size))
    } catch {
      guard error.kind == .badData else { throw error }
      throw BackdropError(.badData, "a grid needs more than \(data.count) bytes")
    }
  }

  /// - Throws: `badData` if tiles of this size leave a gap or lie completely outside.
  func check(tileWidth: Int, tileHeight: Int, count: Int) throws(BackdropError) {
    guard count == rows * columns else {
      throw BackdropError(.badData, "a grid of \(columns)×\(rows) tiles has \(count) tiles")
    }
    guard (columns - 1) * tileWidth < width, width <= columns * tileWidth, (rows - 1) * tileHeight < height,
      height <= rows * tileHeight
    else {
      throw BackdropError(
        .badData,
        "\(columns)×\(rows) tiles of \(tileWidth)×\(tileHeight) pixels do not fill a picture of \(width)×\(height)")
    }
  }

  var bytes: [UInt8] {
    var writer = ByteWriter()
    let isLarge = width > 0xFFFF || height > 0xFFFF
    writer.uint8(0)
    writer.uint8(isLarge ? 1 : 0)
    writer.uint8(rows - 1)
    writer.uint8(columns - 1)
    writer.number(UInt64(width), size: isLarge ? 4 : 2)
    writer.number(UInt64(height), size: isLarge ? 4 : 2)
    return writer.bytes
  }
}
