import BackdropDepth
import BackdropImaging
import Libc

/// Gives a matte from another source the edge that a ``DepthMatteRecipe`` gives to one from depth: a Gaussian, then a power.
///
/// The recipe counts in pixels of a depth map, assumed to have 640 pixels on its longer side. Larger mattes are first reduced to that size:
/// no finer detail is left after the blur.
package struct MatteShaper {
  /// The longer side of the depth map in which radii are given.
  package static let referenceSide = 640
  private var table: [UInt16] = []
  private var tableGamma = Double.nan

  package init() {}

  /// The matte, of any size, with another edge, and with at most ``referenceSide`` samples on the longer side. `sigma` is in depth pixels,
  /// and 0 leaves the edge; a `gamma` above 1 narrows, below 1 widens.
  package mutating func shape(_ matte: Matte, sigma: Double, gamma: Double) -> Matte {
    var result = matte.reduced(toSide: Self.referenceSide)
    let deviation = min(sigma * Double(max(result.width, result.height)) / Double(Self.referenceSide), 200)
    if deviation >= 0.3 {
      do throws(BackdropError) {
        result.q15 = try result.q15.blurred(sigma: deviation)
      } catch {
        preconditionFailure("a blur within its range: \(error)")
      }
    }
    guard gamma != 1, gamma > 0 else { return result }
    if gamma != tableGamma {
      // 1024 steps: at the steep end of small gammas one step corresponds to a 10-bit sample.
      table = (0...1024).map { UInt16((pow(Double($0) / 1024, gamma) * 32768).rounded()) }
      tableGamma = gamma
    }
    result.q15.update {
      let value = Int(min($0, Matte.one))
      let (step, rest) = (value >> 5, value & 31)
      let low = Int(table[step])
      return UInt16(rest == 0 ? low : low + (Int(table[step + 1]) - low) * rest / 32)
    }
    return result
  }
}
