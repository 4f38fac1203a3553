import BackdropImaging
import CBackdropKernels
import Libc

/// The plan for scaling a matte from one size to another: taps of the cubic of Mitchell and Netravali (1988) with B 0
/// and C 0.75, half-pixel centres, edges clamped.
///
/// Reduction uses the same four taps, without a wider filter, since a matte is already smooth. Only at exactly half the
/// size, that of a chroma plane, it is the mean of two by two samples.
package final class MatteUpsampling: @unchecked Sendable {
  // The tables are written in `init` only.
  package let tables: UnsafePointer<bd_upsample>
  package let width, height, sourceWidth, sourceHeight: Int
  private let memory: [UnsafeMutableRawPointer]
  private let kernels: bd_matte_kernels

  package init(
    fromWidth sourceWidth: Int, height sourceHeight: Int, toWidth width: Int, height: Int, cpu: CPULevel = .current
  ) {
    (self.sourceWidth, self.sourceHeight, self.width, self.height) = (sourceWidth, sourceHeight, width, height)
    kernels = cpu.kernels.matte
    let padded = (width + 15) / 16 * 16
    let xWeights = UnsafeMutablePointer<Float>.allocate(capacity: 4 * padded)
    let xIndices = UnsafeMutablePointer<Int32>.allocate(capacity: 4 * padded)
    let xBases = UnsafeMutablePointer<Int32>.allocate(capacity: padded / 16)
    let yWeights = UnsafeMutablePointer<Int16>.allocate(capacity: 4 * height)
    let yIndices = UnsafeMutablePointer<Int32>.allocate(capacity: 4 * height)
    let tables = UnsafeMutablePointer<bd_upsample>.allocate(capacity: 1)

    for x in 0..<padded {
      let taps = Taps(at: min(x, width - 1), from: sourceWidth, to: width)
      for k in 0..<4 {
        xWeights[k * padded + x] = Float(taps.weights[k])
        xIndices[k * padded + x] = Int32(taps.indices[k])
      }
    }
    var isCompact = true
    for group in 0..<padded / 16 {
      let start = group * 16
      xBases[group] = xIndices[start]
      isCompact = isCompact && xIndices[3 * padded + start + 15] - xIndices[start] < 32
      for half in [start, start + 8] where xIndices[3 * padded + half + 7] - xIndices[half] >= 16 { isCompact = false }
    }
    for y in 0..<height {
      let taps = Taps(at: y, from: sourceHeight, to: height)
      // The largest weight absorbs the rounding errors, so that the sum stays 1 (32767 for a single weight).
      var whole = taps.weights.map { Int(($0 * 32768).rounded()) }
      let largest = whole.indices.max { whole[$0] < whole[$1] } ?? 0
      whole[largest] += 32768 - whole.reduce(0, +)
      for k in 0..<4 {
        yWeights[4 * y + k] = Int16(min(whole[k], 32767))
        yIndices[4 * y + k] = Int32(taps.indices[k])
      }
    }
    tables.initialize(
      to: bd_upsample(
        mode: Int32(Self.mode(sourceWidth, sourceHeight, width, height)), source_width: Int32(sourceWidth),
        source_height: Int32(sourceHeight), width: Int32(width),
        height: Int32(height), padded_width: Int32(padded), x_weights: xWeights, x_indices: xIndices, x_bases: xBases,
        x_is_compact: isCompact ? 1 : 0, y_weights: yWeights, y_indices: yIndices))
    self.tables = UnsafePointer(tables)
    memory = [
      UnsafeMutableRawPointer(xWeights), UnsafeMutableRawPointer(xIndices), UnsafeMutableRawPointer(xBases),
      UnsafeMutableRawPointer(yWeights), UnsafeMutableRawPointer(yIndices), UnsafeMutableRawPointer(tables),
    ]
  }

  private static func mode(_ sourceWidth: Int, _ sourceHeight: Int, _ width: Int, _ height: Int) -> Int {
    if sourceWidth == width && sourceHeight == height { return BD_UPSAMPLE_NONE }
    let isHalf = (sourceWidth + 1) / 2 == width && (sourceHeight + 1) / 2 == height
    return isHalf ? BD_UPSAMPLE_HALF : BD_UPSAMPLE_CUBIC
  }

  deinit { for block in memory { block.deallocate() } }

  /// Bytes of 64-byte aligned scratch that one thread needs.
  package var scratchByteCount: Int { (bd_composite_scratch(tables) + 63) / 64 * 64 }

  package func apply(to source: Plane<UInt16>, rows: Range<Int>? = nil) -> Plane<UInt16> {
    let rows = rows ?? 0..<height
    var result = Plane<UInt16>(uninitializedWidth: width, height: rows.count)
    let stride = result.stride
    let scratch = UnsafeMutableRawPointer.allocate(byteCount: scratchByteCount, alignment: 64)
    defer { scratch.deallocate() }
    source.withUnsafePointer { from in
      result.withUnsafeMutablePointer { to in
        // The kernel counts rows from the top.
        kernels.upsample_rows(
          from, source.stride, tables, to - rows.lowerBound * stride, stride, Int32(rows.lowerBound),
          Int32(rows.upperBound), scratch)
      }
    }
    return result
  }

  /// Weights and clamped source positions for one output position.
  private struct Taps {
    var weights: [Double]
    var indices: [Int]

    init(at position: Int, from source: Int, to target: Int) {
      let center = (Double(position) + 0.5) * Double(source) / Double(target) - 0.5
      let first = center.rounded(.down)
      let fraction = center - first
      weights = (-1...2).map { Taps.cubic(fraction - Double($0)) }
      indices = (-1...2).map { min(max(Int(first) + $0, 0), source - 1) }
    }

    /// The cubic of Keys with a = −0.75, which is Mitchell and Netravali's with B 0, C 0.75.
    private static func cubic(_ x: Double) -> Double {
      let x = abs(x)
      if x < 1 { return (1.25 * x - 2.25) * x * x + 1 }
      if x < 2 { return ((-0.75 * x + 3.75) * x - 6) * x + 3 }
      return 0
    }
  }
}
