import Libc

/// Three bytes as a unit: a pixel of `rgb8`.
private struct Triple: BitwiseCopyable {
  var first, second, third: UInt8
}

extension Image {
  /// The image turned by its ``orientation``; the result's is ``Orientation/up``.
  ///
  /// Format, colours and alpha stay. Chroma planes turn too. If an odd side is mirrored, the half-size chroma samples would be off by half
  /// a sample, so neighbours are averaged to keep colour on its pixels. `yuyv` is converted through `i420` and loses half of its vertical
  /// chroma.
  public func upright() -> Image {
    guard orientation != .up else { return self }
    if format == .yuyv {
      return converted(to: .i420).upright().converted(to: .yuyv)
    }
    let swaps = orientation.swapsSides
    var result = Image(
      format, width: swaps ? height : width, height: swaps ? width : height, color: color, alpha: alpha)
    for plane in 0..<format.planeCount {
      let isChroma = plane > 0
      switch format {
      case .bgra8, .rgba8, .grayFloat: turn(plane, to: &result, UInt32.self)
      case .rgb8: turn(plane, to: &result, Triple.self)
      case .gray16: turn(plane, to: &result, UInt16.self)
      case .gray8, .yuyv: turn(plane, to: &result, UInt8.self)
      case .i420:
        turn(plane, to: &result, UInt8.self)
        if isChroma { result.realignChroma(plane, channels: 1, after: orientation) }
      case .nv12:
        if isChroma {
          turn(plane, to: &result, UInt16.self)
          result.realignChroma(plane, channels: 2, after: orientation)
        } else {
          turn(plane, to: &result, UInt8.self)
        }
      }
    }
    return result
  }

  /// Moves chroma samples of a mirrored odd side by half a sample, towards the upper left.
  ///
  /// The last sample of an odd side covers only one pixel. Mirrored, it comes first, and every sample then spans two pixel pairs. A sample
  /// is the mean of the two that cover its pair; the last one stays.
  private mutating func realignChroma(_ plane: Int, channels: Int, after orientation: Orientation) {
    let matrix = orientation.matrix
    let (flipsX, flipsY) = (matrix[0] + matrix[1] < 0, matrix[2] + matrix[3] < 0)
    let layout = self.layout(plane)
    let shiftsX = flipsX && !width.isMultiple(of: 2)
    let shiftsY = flipsY && !height.isMultiple(of: 2)
    withUnsafeMutableBytes(plane: plane) { base in
      let samples = base.assumingMemoryBound(to: UInt8.self)
      func average(_ at: Int, _ step: Int) {
        samples[at] = UInt8((Int(samples[at]) + Int(samples[at + step]) + 1) / 2)
      }
      for y in 0..<layout.rows where shiftsX {
        for x in 0..<max(0, layout.rowBytes - channels) { average(y * layout.bytesPerRow + x, channels) }
      }
      for y in 0..<layout.rows - 1 where shiftsY {
        for x in 0..<layout.rowBytes { average(y * layout.bytesPerRow + x, layout.bytesPerRow) }
      }
    }
  }

  private func turn<Element: BitwiseCopyable>(_ plane: Int, to result: inout Image, _: Element.Type) {
    let size = MemoryLayout<Element>.stride
    let from = layout(plane)
    let to = result.layout(plane)
    withUnsafeBytes(plane: plane) { source in
      result.withUnsafeMutableBytes(plane: plane) { target in
        // Strides are multiples of 64 bytes, not of three, so rows are passed in bytes.
        turnRows(
          source.assumingMemoryBound(to: Element.self), byteStride: from.bytesPerRow, width: from.rowBytes / size,
          height: from.rows, to: target.assumingMemoryBound(to: Element.self), byteStride: to.bytesPerRow,
          width: to.rowBytes / size, height: to.rows, orientation)
      }
    }
  }
}
