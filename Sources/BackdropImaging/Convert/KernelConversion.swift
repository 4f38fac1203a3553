import CBackdropKernels
import Libc

/// Converts between the formats of cameras, videos and screens, row by row, without allocation.
struct KernelConversion {
  private let kernels: bd_convert_kernels

  init(_ level: CPULevel) { kernels = level.kernels.convert }

  /// Returns whether a kernel exists for the pair; if not, `result` is unchanged.
  func run(_ source: Image, into result: inout Image) -> Bool {
    let sameColor = source.color.isCodedLike(result.color)
    if source.format == result.format && (sameColor || !source.format.isYUV) {
      copy(source, into: &result)
      return true
    }
    switch (source.format, result.format) {
    case (let from, let to) where from.isRGB && to.isRGB: reorder(source, into: &result)
    case (let from, .yuyv) where from.isRGB: pixelsToPairs(source, into: &result)
    case (let from, let to) where from.isRGB && to.isYUV: pixelsToPlanes(source, into: &result)
    case (let from, let to) where from.isYUV && to.isRGB: planesToPixels(source, into: &result)
    case (.i420, .nv12) where sameColor: joinChroma(source, into: &result)
    case (.nv12, .i420) where sameColor: splitChroma(source, into: &result)
    case (.yuyv, .i420) where sameColor, (.yuyv, .nv12) where sameColor: pairsToPlanes(source, into: &result)
    case (.i420, .yuyv) where sameColor, (.nv12, .yuyv) where sameColor: planesToPairs(source, into: &result)
    case (.i420, .i420), (.i420, .nv12), (.nv12, .i420), (.nv12, .nv12): recolor(source, into: &result)
    case (.gray8, let to) where to.isRGB: greyToPixels(source, into: &result)
    case (.gray8, .i420), (.gray8, .nv12): greyToPlanes(source, into: &result)
    case (.i420, .gray8), (.nv12, .gray8): lumaToGrey(source, into: &result)
    default: return false
    }
    return true
  }

  // MARK: Same kind of samples

  private func copy(_ source: Image, into result: inout Image) {
    for plane in 0..<source.format.planeCount { copy(plane, of: source, into: &result) }
  }

  private func copy(_ plane: Int, of source: Image, into result: inout Image) {
    let layout = source.layout(plane)
    source.withRows(into: &result) { from, to in
      for y in 0..<layout.rows { memcpy(to.row(y, plane), from.row(y, plane), layout.rowBytes) }
    }
  }

  private func reorder(_ source: Image, into result: inout Image) {
    let (order, outOrder) = (source.format.pixelOrder, result.format.pixelOrder)
    source.withRows(into: &result) { from, to in
      for y in 0..<source.height {
        kernels.reorder(from.row(y), order, source.width, to.row(y), outOrder)
      }
    }
  }

  private func joinChroma(_ source: Image, into result: inout Image) {
    copy(0, of: source, into: &result)
    let (rows, count) = (source.layout(1).rows, source.layout(1).rowBytes)
    source.withRows(into: &result) { from, to in
      for y in 0..<rows { kernels.join(from.row(y, 1), from.row(y, 2), count, to.row(y, 1)) }
    }
  }

  private func splitChroma(_ source: Image, into result: inout Image) {
    copy(0, of: source, into: &result)
    let (rows, count) = (result.layout(1).rows, result.layout(1).rowBytes)
    source.withRows(into: &result) { from, to in
      for y in 0..<rows { kernels.split(from.row(y, 1), count, to.row(y, 1), to.row(y, 2)) }
    }
  }

  private func pairsToPlanes(_ source: Image, into result: inout Image) {
    let height = source.height
    source.withRows(into: &result) { from, to in
      for y in stride(from: 0, to: height, by: 2) {
        let hasLower = y + 1 < height
        let (cb, cr) = to.chroma(y / 2)
        kernels.yuyv_to_yuv420(
          from.row(y), from.row(hasLower ? y + 1 : y), source.width, to.row(y), hasLower ? to.row(y + 1) : nil, cb,
          cr, to.chromaStep)
      }
    }
  }

  private func planesToPairs(_ source: Image, into result: inout Image) {
    source.withRows(into: &result) { from, to in
      for y in 0..<source.height {
        let (near, far) = from.chromaAround(y)
        kernels.yuv420_to_yuyv(from.row(y), near.cb, far.cb, near.cr, far.cr, from.chromaStep, source.width, to.row(y))
      }
    }
  }

  private func recolor(_ source: Image, into result: inout Image) {
    var scale = YUVScale(source.color).recolor(to: YUVScale(result.color))
    let columns = (source.width + 1) / 2
    source.withRows(into: &result) { from, to in
      for y in 0..<source.height {
        let (near, far) = from.chromaAround(y)
        kernels.recolor_luma(
          from.row(y), near.cb, far.cb, near.cr, far.cr, from.chromaStep, source.width, &scale, to.row(y))
        if y.isMultiple(of: 2) {
          let out = to.chroma(y / 2)
          kernels.recolor_chroma(near.cb, near.cr, from.chromaStep, columns, &scale, out.cb, out.cr, to.chromaStep)
        }
      }
    }
  }

  // MARK: Between R′G′B′ and Y′CbCr

  private func pixelsToPlanes(_ source: Image, into result: inout Image) {
    let (order, height) = (source.format.pixelOrder, source.height)
    var scale = YUVScale(result.color).toYUV
    source.withRows(into: &result) { from, to in
      for y in stride(from: 0, to: height, by: 2) {
        let hasLower = y + 1 < height
        let (cb, cr) = to.chroma(y / 2)
        kernels.rgb_to_yuv420(
          from.row(y), from.row(hasLower ? y + 1 : y), source.width, order, &scale, to.row(y),
          hasLower ? to.row(y + 1) : nil, cb, cr, to.chromaStep)
      }
    }
  }

  private func pixelsToPairs(_ source: Image, into result: inout Image) {
    var scale = YUVScale(result.color).toYUV
    let order = source.format.pixelOrder
    source.withRows(into: &result) { from, to in
      for y in 0..<source.height { kernels.rgb_to_yuyv(from.row(y), source.width, order, &scale, to.row(y)) }
    }
  }

  private func planesToPixels(_ source: Image, into result: inout Image) {
    var scale = YUVScale(source.color).fromYUV
    let order = result.format.pixelOrder
    source.withRows(into: &result) { from, to in
      for y in 0..<source.height {
        let (near, far) = from.chromaAround(y)
        kernels.yuv_to_rgb(
          from.row(y), from.lumaStep, near.cb, far.cb, near.cr, far.cr, from.chromaStep, source.width, &scale, order,
          to.row(y))
      }
    }
  }

  // MARK: Grey

  private func greyToPixels(_ source: Image, into result: inout Image) {
    let size = result.format == .rgb8 ? 3 : 4
    source.withRows(into: &result) { from, to in
      for y in 0..<source.height {
        let (grey, out) = (from.row(y), to.row(y))
        for x in 0..<source.width {
          out[size * x] = grey[x]
          out[size * x + 1] = grey[x]
          out[size * x + 2] = grey[x]
          if size == 4 { out[4 * x + 3] = 255 }
        }
      }
    }
  }

  private func greyToPlanes(_ source: Image, into result: inout Image) {
    let scale = YUVScale(result.color)
    mapLuma(source, into: &result) { scale.lumaOffset + $0 * scale.lumaScale / 255 }
    for plane in 1..<result.format.planeCount {
      let layout = result.layout(plane)
      result.withUnsafeMutableBytes(plane: plane) { to in
        for y in 0..<layout.rows { memset(to + y * layout.bytesPerRow, 128, layout.rowBytes) }
      }
    }
  }

  private func lumaToGrey(_ source: Image, into result: inout Image) {
    let scale = YUVScale(source.color)
    mapLuma(source, into: &result) { ($0 - scale.lumaOffset) * 255 / scale.lumaScale }
  }

  private func mapLuma(_ source: Image, into result: inout Image, _ level: (Double) -> Double) {
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 256) { table in
      for value in 0..<256 { table[value] = UInt8(min(max(level(Double(value)).rounded(), 0), 255)) }
      source.withRows(into: &result) { from, to in
        for y in 0..<source.height {
          let (samples, out) = (from.row(y), to.row(y))
          for x in 0..<source.width { out[x] = table[Int(samples[x])] }
        }
      }
    }
  }
}

extension PixelFormat {
  var pixelOrder: Int32 {
    switch self {
    case .bgra8: Int32(BD_BGRA.rawValue)
    case .rgba8: Int32(BD_RGBA.rawValue)
    default: Int32(BD_RGB.rawValue)
    }
  }
}
