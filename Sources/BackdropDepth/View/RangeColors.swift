import BackdropImaging
import CBackdropKernels

extension DepthMap {
  /// The map as a picture for people: near red, through yellow, green and cyan, to far blue, or by another palette, linear
  /// in metres; holes black.
  ///
  /// Nearer values than `near` and farther ones than `far` get the end's colour. An end that is not given is the 2nd or 98th percentile of
  /// this map. For a stream give both, or use a `DepthColorizer`, or the colours will jump.
  /// - Returns: an opaque ``/BackdropImaging/PixelFormat/rgba8`` image of the map's size.
  public func colorized(near: Float? = nil, far: Float? = nil, palette: DepthPalette = .spectrum) -> Image {
    let ends = automaticRange(near, far)
    return colorized(from: ends.low, to: ends.high, palette)
  }
}

extension DisparityMap {
  /// The map as a picture for people: near (largest) red, through the spectrum, to far (smallest) blue, or by another palette, linear in
  /// 1/metre; holes black.
  ///
  /// An end that is not given is the 98th or 2nd percentile of this map.
  /// - Returns: an opaque ``/BackdropImaging/PixelFormat/rgba8`` image of the map's size.
  public func colorized(near: Float? = nil, far: Float? = nil, palette: DepthPalette = .spectrum) -> Image {
    let ends = automaticRange(far, near)
    return colorized(from: ends.high, to: ends.low, palette)
  }
}

extension RangeMap {
  fileprivate func automaticRange(_ low: Float?, _ high: Float?) -> (low: Float, high: Float) {
    if let low, let high { return (low, high) }
    let found = percentiles([2, 98])
    guard found.count == 2 else { return (low ?? 0, high ?? 1) }
    return (low ?? found[0], high ?? found[1])
  }

  /// The palette's first colour at `first`, its last at `last`, in either order.
  fileprivate func colorized(from first: Float, to last: Float, _ palette: DepthPalette) -> Image {
    var image = Image(.rgba8, width: width, height: height)
    RangeColors(palette, from: first, to: last).draw(values, into: &image, level: .current)
    return image
  }
}

/// Maps values to colours, linearly from a first to a last value, over a table.
struct RangeColors: Sendable {
  /// Colours from the first value to the last; empty for the spectrum, which is computed.
  private let table: [UInt32]
  private let first: Float, scale: Float

  init(_ palette: DepthPalette, from first: Float, to last: Float) {
    self.init(table: palette == .spectrum ? [] : palette.table, from: first, to: last)
  }

  /// - Parameter table: at least one colour as R, G, B, A in memory, or none for the spectrum.
  init(table: [UInt32], from first: Float, to last: Float) {
    self.table = table
    self.first = first
    let steps = Float((table.isEmpty ? DepthPalette.count : table.count) - 1)
    // If both ends are equal, values on their near side have the first colour and the rest the last.
    scale = first == last ? Float.greatestFiniteMagnitude : steps / (last - first)
  }

  /// Draws `values` into an `rgba8` image of their size.
  func draw(_ values: Plane<Float>, into image: inout Image, level: CPULevel) {
    precondition(image.format == .rgba8 && image.width == values.width && image.height == values.height)
    let kernels = level.kernels.colors
    let rowBytes = image.layout(0).bytesPerRow
    let (width, height, stride) = (Int32(values.width), values.height, values.stride)
    values.withUnsafePointer { from in
      image.withUnsafeMutableBytes { to in
        table.withUnsafeBufferPointer { table in
          for y in 0..<height {
            let output = (to + y * rowBytes).assumingMemoryBound(to: UInt32.self)
            if let colors = table.baseAddress, table.count > 0 {
              kernels.table(output, from + y * stride, width, first, scale, Int32(table.count - 1), colors)
            } else {
              kernels.spectrum(output, from + y * stride, width, first, scale)
            }
          }
        }
      }
    }
  }
}
