import Backdrop
import NIOCore

/// The message that carries the pictures of one moment to a page; all numbers are little-endian:
///
///     0  uint8   1, the version
///     1  uint8   1 if it is the standby frame
///     2  uint16  how many parts follow
///     4  uint32  its number
///     8  float64 when the camera took it, in seconds of the server's clock
///     16 float32 how old it is, in milliseconds
///     20 uint32  0
///     24 …       the parts
///
/// A part is a kind (uint8), 0 (uint8), width and height (uint16 each), 0 (uint16), the number of bytes (uint32), 0 (uint32), and the
/// bytes, padded to a multiple of 8. Kinds 1 to 4 are JPEG files of ``ViewSubscription/View``, 11 to 14 are small versions, 20 is depth:
/// focal lengths and principal point in pixels of the map (float32 each), then the distances in millimetres (uint16 each, 0 for a hole).
struct PictureBundle {
  private(set) var bytes: ByteBuffer
  private var count: UInt16 = 0

  init(number: UInt32, isStandby: Bool, seconds: Double, age: Double) {
    bytes = ByteBuffer()
    bytes.reserveCapacity(1 << 17)
    bytes.writeMultipleIntegers(UInt8(1), UInt8(isStandby ? 1 : 0), count, number, endianness: .little)
    bytes.writeMultipleIntegers(seconds.bitPattern, UInt64(Float(age * 1000).bitPattern), endianness: .little)
  }

  mutating func add(kind: UInt8, _ part: PicturePart) {
    count += 1
    bytes.setInteger(count, at: 2, endianness: .little)
    bytes.writeMultipleIntegers(
      kind, UInt8(0), UInt16(clamping: part.width), UInt16(clamping: part.height), UInt16(0), endianness: .little)
    bytes.writeInteger(UInt64(UInt32(clamping: part.bytes.count)), endianness: .little)
    bytes.writeBytes(part.bytes)
    bytes.writeRepeatingByte(0, count: -part.bytes.count & 7)
  }
}

/// An encoded part of a bundle, for every page that requests it.
struct PicturePart {
  var width: Int, height: Int
  var bytes: [UInt8]

  /// Encodes a picture as a JPEG file, scaled down to a maximum width.
  init(_ image: Image, width most: Int, quality: Int) throws(BackdropError) {
    var image = image
    if image.width > most {
      let height = Double(image.height) * Double(most) / Double(image.width)
      image = try image.scaled(
        toWidth: most / 2 * 2, height: max(2, Int((height / 2).rounded()) * 2), filter: .bilinear)
    }
    (width, height) = (image.width, image.height)
    bytes = try JPEG.encode(image, quality: quality)
  }

  /// Encodes the distances of a map in the format above.
  init(_ map: DepthMap) {
    (width, height) = (map.width, map.height)
    let camera =
      map.intrinsics?.scaled(toWidth: width, height: height)
      ?? Intrinsics(
        fx: 0.87 * Double(width), fy: 0.87 * Double(width), cx: Double(width) / 2, cy: Double(height) / 2, width: width,
        height: height)
    bytes = []
    bytes.reserveCapacity(16 + 2 * width * height)
    for value in [camera.fx, camera.fy, camera.cx, camera.cy] {
      withUnsafeBytes(of: Float(value).bitPattern.littleEndian) { bytes.append(contentsOf: $0) }
    }
    for y in 0..<height {
      let row = map.metres.row(y)
      for x in row.indices {
        let millimetres = row[x] * 1000
        // Comparisons with NaN, a hole, are false.
        let value = millimetres >= 1 && millimetres <= 65_535 ? UInt16(millimetres) : 0
        bytes.append(UInt8(truncatingIfNeeded: value))
        bytes.append(UInt8(truncatingIfNeeded: value >> 8))
      }
    }
  }
}

extension DepthMap {
  /// Keeps every n-th distance, so that at most `width` columns remain.
  func thinned(toWidth most: Int) -> DepthMap {
    let step = (width + most - 1) / most
    guard step > 1 else { return self }
    let (columns, rows) = (width / step, height / step)
    guard columns > 0 && rows > 0 else { return self }
    return DepthMap(
      metres: Plane(width: columns, height: rows) { x, y in metres[x * step + step / 2, y * step + step / 2] },
      intrinsics: intrinsics?.scaled(toWidth: width, height: height).scaled(toWidth: columns, height: rows),
      isRegistered: isRegistered)
  }
}
