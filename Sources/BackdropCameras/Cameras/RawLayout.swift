import BackdropImaging
import Libc

/// The positions of a picture's planes in a buffer shared with another program or the kernel.
struct RawLayout {
  let format: PixelFormat
  let width: Int, height: Int
  /// The start of each plane, in bytes.
  private(set) var offsets: [Int] = []
  /// The row stride of each plane, in bytes.
  private(set) var strides: [Int] = []
  private(set) var byteCount = 0

  /// The layout with a row stride of `stride` bytes for the first plane, and half of that for separate chroma planes.
  ///
  /// - Parameter stride: by default the row length, rounded up to a multiple of four.
  /// - Returns: `nil` if a row would not fit.
  init?(_ format: PixelFormat, width: Int, height: Int, stride: Int? = nil) {
    let packed = format.rowBytes(plane: 0, width: width)
    let first = stride ?? (packed + 3) / 4 * 4
    guard width > 0 && height > 0 && first >= packed && first <= 1 << 20 && height <= 1 << 16 else { return nil }
    (self.format, self.width, self.height) = (format, width, height)
    for plane in 0..<format.planeCount {
      let rowBytes = format.rowBytes(plane: plane, width: width)
      offsets.append(byteCount)
      strides.append(max(rowBytes, plane == 0 || format == .nv12 ? first : (first + 1) / 2))
      // The last row may lack padding, but the next plane begins after it.
      byteCount += strides[plane] * format.rows(plane: plane, height: height)
    }
  }

  /// The minimum size of a picture in bytes: the last row's padding may be missing.
  var minimumByteCount: Int {
    let last = format.planeCount - 1
    return byteCount - strides[last] + format.rowBytes(plane: last, width: width)
  }

  /// Copies a picture out of a buffer.
  func image(_ bytes: UnsafeRawBufferPointer, color: ColorDescription, pool: ImagePool?) throws(BackdropError) -> Image
  {
    guard let base = bytes.baseAddress, bytes.count >= minimumByteCount else {
      throw BackdropError(.badData, "the camera sent a picture of \(bytes.count) bytes instead of \(byteCount)")
    }
    var image = Image(format, width: width, height: height, color: color, pool: pool)
    for plane in 0..<format.planeCount {
      let layout = image.layout(plane)
      image.withUnsafeMutableBytes(plane: plane) { to in
        for y in 0..<layout.rows {
          memcpy(to + y * layout.bytesPerRow, base + offsets[plane] + y * strides[plane], layout.rowBytes)
        }
      }
    }
    return image
  }

  /// Copies a picture of this format and size into a buffer of at least ``byteCount`` bytes.
  func write(_ image: Image, to data: UnsafeMutableRawPointer) {
    for plane in 0..<format.planeCount {
      let layout = image.layout(plane)
      image.withUnsafeBytes(plane: plane) { from in
        for y in 0..<layout.rows {
          memcpy(data + offsets[plane] + y * strides[plane], from + y * layout.bytesPerRow, layout.rowBytes)
        }
      }
    }
  }
}
