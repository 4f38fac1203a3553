import BackdropImaging

/// Steadies the mattes of a stream: where the picture stays, the matte converges to its mean over time; where the picture
/// changes, the new matte is taken at once, so that nothing smears.
///
/// Each sample moves towards the new matte by a gain between a floor and 1, which grows with the change of the picture round
/// the sample (``PictureChange``) beyond its noise. On a scene cut it starts anew.
///
/// One stream, one smoother: it is not safe to call from two threads at once.
public final class MatteSmoother {
  /// How much is smoothed, 0…1: 0 not at all; at 1 a still part moves by a fifth of the difference each frame.
  public var strength: Double
  /// A change of this much of the range takes the new matte wholly.
  private static let wholeChange: Float = 0.05

  private var state: Plane<Float>?
  private var stateFrame: PixelFrame?

  /// Makes a smoother.
  public init(strength: Double = 1) { self.strength = strength }

  /// Forgets what was seen.
  public func reset() { state = nil }

  /// Smooths the next frame's matte in place.
  ///
  /// - Parameters:
  ///   - change: how the picture has changed since the last matte, at the matte's size.
  ///   - frame: the part of the whole picture that the matte covers; where that moves, the state is moved with it.
  /// - Throws: `wrongArgument` if the sizes differ.
  public func smooth(
    _ matte: inout Matte, with change: PictureChange, showing frame: PixelFrame? = nil
  ) throws(BackdropError) {
    let strength = min(max(self.strength.isNaN ? 1 : self.strength, 0), 1)
    guard strength > 0 else { return reset() }
    var new = Plane<Float>(uninitializedWidth: matte.width, height: matte.height)
    for y in 0..<matte.height {
      let from = matte.q15.row(y)
      var to = new.mutableRow(y)
      for x in from.indices { to[x] = Float(min(from[x], Matte.one)) }
    }
    defer {
      state = new
      stateFrame = frame
    }
    guard let map = change.map, var last = state else { return }
    guard map.width == matte.width && map.height == matte.height else {
      throw BackdropError(
        .wrongArgument, "the matte is \(matte.width)×\(matte.height), but its picture \(map.width)×\(map.height)")
    }
    if stateFrame != frame || last.width != matte.width || last.height != matte.height {
      guard let stateFrame, let frame else { return }
      last = last.moved(from: stateFrame, to: frame, like: new)
    }
    let floor = Float(1 - 0.8 * strength)
    for y in 0..<matte.height {
      let changes = map.row(y)
      let states = last.row(y)
      var mattes = matte.q15.mutableRow(y)
      var row = new.mutableRow(y)
      for x in changes.indices {
        let gain = min(1, floor + max(0, changes[x] - change.noise) * (1 / Self.wholeChange))
        row[x] = states[x] + gain * (row[x] - states[x])
        mattes[x] = UInt16(row[x] + 0.5)
      }
    }
  }
}
