import CBackdropKernels
import Libc

/// Where luma and chroma of a Y′CbCr image lie, whatever its format.
struct YUVAddresses {
  private let y: UnsafePointer<UInt8>
  private let cb: UnsafePointer<UInt8>
  private let cr: UnsafePointer<UInt8>
  private let yStride: Int
  private let cStride: Int
  private let steps: (y: Int32, c: Int32)
  /// Rows of luma for each row of chroma.
  let lumaRows: Int

  /// `base` is where plane 0 of `image` starts.
  init(_ image: Image, base: UnsafeRawPointer) {
    let origin = image.layout(0).offset
    func start(_ plane: Int, _ byte: Int = 0) -> UnsafePointer<UInt8> {
      (base + image.layout(plane).offset - origin + byte).assumingMemoryBound(to: UInt8.self)
    }
    y = start(0)
    yStride = image.layout(0).bytesPerRow
    switch image.format {
    case .i420:
      (cb, cr, cStride, steps, lumaRows) = (start(1), start(2), image.layout(1).bytesPerRow, (1, 1), 2)
    case .nv12:
      (cb, cr, cStride, steps, lumaRows) = (start(1), start(1, 1), image.layout(1).bytesPerRow, (1, 2), 2)
    default:
      (cb, cr, cStride, steps, lumaRows) = (start(0, 1), start(0, 3), yStride, (2, 4), 1)
    }
  }

  /// The rows that share chroma row `group`.
  func rows(_ group: Int, height: Int) -> bd_yuv_source {
    let first = y + group * lumaRows * yStride
    return bd_yuv_source(
      y0: first, y1: lumaRows == 2 && 2 * group + 1 < height ? first + yStride : nil, cb: cb + group * cStride,
      cr: cr + group * cStride, y_step: steps.y, c_step: steps.c)
  }
}

extension Image {
  /// Copies rows of another picture of the same width and interleaved format into this one, beginning with row `target`.
  package mutating func copyRows(_ rows: Range<Int>, of other: Image, to target: Int) {
    precondition(
      format == other.format && width == other.width && format.planeCount == 1 && rows.lowerBound >= 0
        && rows.upperBound <= other.height && target >= 0 && target + rows.count <= height)
    let (from, to) = (other.layout(0).bytesPerRow, layout(0).bytesPerRow)
    let count = layout(0).rowBytes
    other.withUnsafeBytes { source in
      withUnsafeMutableBytes { bytes in
        for (index, row) in rows.enumerated() { memcpy(bytes + (target + index) * to, source + row * from, count) }
      }
    }
  }

  /// Calls `body` with each row of plane 0 of `output` and of this image.
  func forEachRow(
    into output: inout Image, _ body: (UnsafeMutablePointer<UInt8>, UnsafePointer<UInt8>, Int) -> Void
  ) {
    let (from, to) = (layout(0), output.layout(0))
    withUnsafeBytes { source in
      output.withUnsafeMutableBytes { target in
        for y in 0..<from.rows {
          body(
            (target + y * to.bytesPerRow).assumingMemoryBound(to: UInt8.self),
            (source + y * from.bytesPerRow).assumingMemoryBound(to: UInt8.self), y)
        }
      }
    }
  }

  /// Calls `body` with each row of chroma and its rows of luma, of `output` and of this image, both Y′CbCr.
  func forEachYUVGroup(
    into output: inout Image, _ body: (inout bd_yuv_rows, inout bd_yuv_source, Int) -> Void
  ) {
    precondition(output.format == format && output.width == width && output.height == height)
    withUnsafeBytes { source in
      let from = YUVAddresses(self, base: source)
      let groups = (height + from.lumaRows - 1) / from.lumaRows
      output.withUnsafeMutableBytes { target in
        // Same format and size, so the same layout.
        let to = YUVAddresses(self, base: UnsafeRawPointer(target))
        for group in 0..<groups {
          var read = from.rows(group, height: height)
          let write = to.rows(group, height: height)
          var rows = bd_yuv_rows(
            y0: UnsafeMutablePointer(mutating: write.y0), y1: UnsafeMutablePointer(mutating: write.y1),
            cb: UnsafeMutablePointer(mutating: write.cb), cr: UnsafeMutablePointer(mutating: write.cr),
            y_step: write.y_step, c_step: write.c_step)
          body(&rows, &read, group)
        }
      }
    }
    output.fillPadding()
  }

  /// Gives the unused luma sample that ends the rows of odd-width YUYV the value of its neighbour.
  private mutating func fillPadding() {
    guard format == .yuyv && width % 2 == 1 else { return }
    let (layout, last, height) = (self.layout(0), 2 * (width - 1), self.height)
    withUnsafeMutableBytes { base in
      for y in 0..<height {
        let row = base + y * layout.bytesPerRow
        row.storeBytes(of: row.load(fromByteOffset: last, as: UInt8.self), toByteOffset: last + 2, as: UInt8.self)
      }
    }
  }
}
