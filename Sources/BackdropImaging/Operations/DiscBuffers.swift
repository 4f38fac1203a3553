import CBackdropKernels
import Libc

/// Memory and tables of a disc blur for one size and radius.
final class DiscBuffers {
  let width: Int, height: Int
  let radius: Double
  private let factor: Int
  private let smallWidth: Int, smallHeight: Int
  private let reach: Int
  private let margin: Int, stride: Int, foundStride: Int
  private let whole: KernelTable<Int32>
  private let part: KernelTable<Float>
  private let area: Double
  private let samples: ZeroedMemory<Int32>
  private let found: ZeroedMemory<Float>
  private let columns: KernelTable<Int32>
  private let fractions: KernelTable<Float>

  init(width: Int, height: Int, radius: Double) {
    (self.width, self.height, self.radius) = (width, height, radius)
    factor = Self.factor(radius: radius)
    smallWidth = (width + factor - 1) / factor
    smallHeight = (height + factor - 1) / factor
    let small = radius / Double(factor)
    reach = Int((small + 0.5).rounded(.up)) - 1
    let halves = (0...reach).map { Self.halfChord(small, row: $0) }
    let full = halves.map { Int(($0 - 0.5).rounded(.down)) }
    whole = KernelTable(full.map { Int32($0) })
    let parts = zip(halves, full).map { half, whole -> Double in whole < 0 ? 2 * half : half - 0.5 - Double(whole) }
    part = KernelTable(parts.map { Float($0) })
    area = halves.dropFirst().reduce(2 * halves[0]) { sum, half in sum + 4 * half }
    margin = (reach + 2 + 15) / 16 * 16
    stride = (margin + smallWidth + reach + 32 + 15) / 16 * 16
    foundStride = (smallWidth + 1 + 15) / 16 * 16
    samples = ZeroedMemory(count: 6 * stride * smallHeight)
    found = ZeroedMemory(count: 3 * foundStride * smallHeight)
    var columns = [Int32](repeating: 0, count: 2 * width)
    var fractions = [Float](repeating: 0, count: 2 * width)
    for plane in 0..<2 {
      let step = Double(factor) / Double(plane + 1)
      for x in 0..<(plane == 0 ? width : (width + 1) / 2) {
        let position = max(0, (Double(x) + 0.5) / step - 0.5)
        let left = min(Int(position), max(0, smallWidth - 2))
        columns[plane * width + x] = Int32(left)
        fractions[plane * width + x] = smallWidth > 1 ? Float(min(1, position - Double(left))) : 0
      }
    }
    (self.columns, self.fractions) = (KernelTable(columns), KernelTable(fractions))
  }

  /// The reduction factor of a picture before the blur.
  static func factor(radius: Double) -> Int {
    var factor = 1
    while radius >= 8 * Double(factor) && factor < 32 { factor *= 2 }
    return factor
  }

  /// Half of a circle's width in a row of pixels, on average over the row's height.
  private static func halfChord(_ radius: Double, row: Int) -> Double {
    // The area under the arc from 0 to t.
    func under(_ t: Double) -> Double {
      let t = min(max(t, -radius), radius)
      return 0.5 * (t * max(0, radius * radius - t * t).squareRoot() + radius * radius * asin(t / radius))
    }
    return under(Double(row) + 0.5) - under(Double(row) - 0.5)
  }

  /// `from` and `to` point to the first planes of the pictures.
  func job(_ image: Image, from: UnsafeRawPointer, to: UnsafeMutableRawPointer, level: CPULevel) -> bd_disc {
    let picture = from.assumingMemoryBound(to: UInt8.self)
    let target = to.assumingMemoryBound(to: UInt8.self)
    let count = stride * smallHeight, foundCount = foundStride * smallHeight
    func light(_ c: Int) -> UnsafeMutablePointer<Int32> { samples.base + c * count + margin }
    func sums(_ c: Int) -> UnsafeMutablePointer<Int32> { samples.base + (3 + c) * count + margin }
    var job = bd_disc()
    let isYUV = image.format.isYUV
    var offsets = (0, 1, 2)
    if isYUV {
      let chroma = image.layout(1)
      offsets = (0, chroma.offset, image.format == .nv12 ? chroma.offset + 1 : image.layout(2).offset)
      job.picture_stride = (image.layout(0).bytesPerRow, chroma.bytesPerRow, chroma.bytesPerRow)
      let scale = YUVScale(image.color)
      let (kr, kg, kb, chromaScale) = (scale.red, scale.green, scale.blue, 255 / scale.chromaScale)
      job.black = Float(scale.lumaOffset)
      job.luma = Float(255 / scale.lumaScale)
      job.red_cr = Float(2 * (1 - kr) * chromaScale)
      job.blue_cb = Float(2 * (1 - kb) * chromaScale)
      job.green_cb = Float(-2 * kb * (1 - kb) / kg * chromaScale)
      job.green_cr = Float(-2 * kr * (1 - kr) / kg * chromaScale)
      (job.kr, job.kg, job.kb) = (Float(kr), Float(kg), Float(kb))
      job.to_cb = Float(1 / (2 * (1 - kb) * chromaScale))
      job.to_cr = Float(1 / (2 * (1 - kr) * chromaScale))
    } else {
      let bytesPerRow = image.layout(0).bytesPerRow
      job.picture_stride = (bytesPerRow, bytesPerRow, bytesPerRow)
    }
    job.output_stride = job.picture_stride
    job.picture = (picture + offsets.0, picture + offsets.1, picture + offsets.2)
    job.output = (target + offsets.0, target + offsets.1, target + offsets.2)
    job.step = isYUV ? 1 : image.format == .rgb8 ? 3 : 4
    job.chroma_step = image.format == .nv12 ? 2 : 1
    job.is_yuv = isYUV ? 1 : 0
    job.width = Int32(width)
    job.height = Int32(height)
    job.factor = Int32(factor)
    job.light = (light(0), light(1), light(2))
    job.sums = (sums(0), sums(1), sums(2))
    job.found = (found.base, found.base + foundCount, found.base + 2 * foundCount)
    job.stride = stride
    job.found_stride = foundStride
    job.small_width = Int32(smallWidth)
    job.small_height = Int32(smallHeight)
    job.reach = Int32(reach)
    (job.whole, job.part) = (whole.base, part.base)
    job.scale = Float(1 / area)
    job.column = (columns.base, columns.base + width)
    job.fraction = (fractions.base, fractions.base + width)
    return job
  }
}
