import BackdropDepth
import BackdropImaging
import CBackdropKernels

/// A matte round a distance: 1 for the part in focus, with a ramp to 0 on both sides.
///
/// It works on ``/BackdropDepth/NormalizedDisparity``, 1 nearest … 0 farthest. With
/// the filter's width f = 2 / slope + width, it is the lower of the two ramps slope · d − slope · (focus − f/2) and
/// −slope · d + slope · (focus + f/2), each clamped to 0…1: 1 within `width` round the focus, and ramps 1 / slope wide.
package struct FocusMask: Sendable, Equatable {
  /// Normalized disparity in focus, 0…1.
  package var focus: Double
  /// The slope of the ramps, above 0.
  package var slope: Double
  /// The width of the part between them.
  package var width: Double

  package init(focus: Double, slope: Double = 4, width: Double = 0.1) {
    self.focus = focus
    self.slope = slope
    self.width = width
  }

  /// The matte's value for a normalized disparity; 0 if it is not a number.
  package func opacity(at disparity: Double) -> Double {
    let half = (2 / slope + width) / 2
    let value = min(slope * (disparity - focus + half), slope * (focus + half - disparity))
    return value > 0 ? min(value, 1) : 0
  }

  /// The matte, at the size of `disparity`.
  package func matte(of disparity: NormalizedDisparity, cpu: CPULevel = .current) -> Matte {
    let (values, half) = (disparity.values, (2 / slope + width) / 2)
    var samples = Plane<UInt16>(uninitializedWidth: values.width, height: values.height)
    let stride = samples.stride
    values.withUnsafePointer { from in
      samples.withUnsafeMutablePointer { to in
        for y in 0..<values.height {
          cpu.kernels.matte.focus_row(
            from + y * values.stride, values.width, focus - half, focus + half, slope, to + y * stride)
        }
      }
    }
    return Matte(q15: samples)
  }

  /// How far out of focus each sample is: −1 in front, 0 in focus, 1 behind.
  package func defocus(of disparity: NormalizedDisparity) -> Plane<Float> {
    disparity.values.map { defocus(at: $0) }
  }

  /// How far out of focus a disparity is: −1 in front, 0 in focus, 1 behind.
  package func defocus(at disparity: Float) -> Float {
    let amount = Float(1 - opacity(at: Double(disparity)))
    return Double(disparity) > focus ? -amount : amount
  }
}

extension Matte {
  /// Makes a matte sample by sample; values outside 0…1 are clamped.
  package init(mapping plane: Plane<Float>, _ value: (Float) -> Double) {
    self.init(
      q15: plane.map {
        let opacity = value($0)
        return opacity > 0 ? UInt16((min(opacity, 1) * 32768).rounded()) : 0
      })
  }
}
