import BackdropDepth
import BackdropImaging
import CBackdropKernels

/// Smooths a stream's mattes over time. In still parts of the picture the matte converges to its mean. In changing parts the smoother
/// takes the new matte at once, so that nothing smears.
///
/// Each sample moves towards the new matte by a gain between a floor and 1, which grows with the picture's change round the sample
/// (``PictureChange``) beyond its noise. A cut restarts the smoother.
///
/// Use one smoother for one stream. It is not safe to call from two threads at once.
package final class MatteSmoother {
  /// The strength of smoothing, 0…1: 0 for none; at 1 a still part moves by a fifth of the difference each frame.
  package var strength: Double
  /// A change of this much of the range takes the new matte completely.
  private static let wholeChange: Float = 0.05

  private let kernels: bd_temporal_kernels
  private var state = Plane<Float>(repeating: 0, width: 0, height: 0)
  private var stateFrame: IntegerRect?
  private var hasState = false

  package init(strength: Double = 1, cpu: CPULevel = .current) {
    self.strength = strength
    kernels = cpu.kernels.temporal
  }

  package func reset() { hasState = false }

  /// Smooths the next frame's matte in place by the picture's change since the last matte, at the matte's size. If `frame`, the part of the
  /// whole picture under the matte, moves, the state moves with it.
  ///
  /// - Throws: `wrongArgument` if the sizes differ.
  package func smooth(
    _ matte: inout Matte, with change: PictureChange, showing frame: IntegerRect? = nil
  ) throws(BackdropError) {
    let strength = min(max(self.strength.isNaN ? 1 : self.strength, 0), 1)
    guard strength > 0 else { return reset() }
    guard let map = change.map, hasState else { return start(matte, frame) }
    guard map.width == matte.width && map.height == matte.height else {
      throw BackdropError(
        .wrongArgument, "the matte is \(matte.width)×\(matte.height), but its picture is \(map.width)×\(map.height)")
    }
    if stateFrame != frame || state.width != matte.width || state.height != matte.height {
      guard let stateFrame, let frame else { return start(matte, frame) }
      let last = state
      start(matte, frame)
      state = last.moved(from: stateFrame, to: frame, like: state)
    }
    stateFrame = frame
    settle(&matte, map, floor: Float(1 - 0.8 * strength), noise: change.noise)
  }

  private func start(_ matte: Matte, _ frame: IntegerRect?) {
    state.fit(matte.width, matte.height)
    state.update(with: matte.q15) { Float(min($1, Matte.one)) }
    stateFrame = frame
    hasState = true
  }

  private func settle(_ matte: inout Matte, _ map: Plane<Float>, floor: Float, noise: Float) {
    let (width, height, matteStride, stride) = (matte.width, matte.height, matte.q15.stride, state.stride)
    matte.q15.withUnsafeMutablePointer { matte in
      state.withUnsafeMutablePointer { state in
        for y in 0..<height {
          kernels.settle(
            matte + y * matteStride, state + y * stride, map.base + y * map.stride, width, floor, noise,
            1 / Self.wholeChange)
        }
      }
    }
    withExtendedLifetime(map) {}
  }
}
