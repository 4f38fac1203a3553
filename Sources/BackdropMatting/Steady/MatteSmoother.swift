import BackdropImaging

/// Steadies the mattes of a stream: where the picture stays, the matte converges to its mean over time; where the picture
/// changes, the new matte is taken at once, so that nothing smears.
///
/// Each sample moves towards the new matte by a gain between a floor and 1. The gain grows with the change of the picture
/// round the sample (mean absolute difference to the last frame over 5×5 samples) beyond its noise. The noise is read off the
/// frame itself: what a tenth of the samples do not exceed, times 1.5. On a scene cut it starts anew.
///
/// One stream, one smoother: it is not safe to call from two threads at once.
public final class MatteSmoother {
  /// How much is smoothed, 0…1: 0 not at all; at 1 a still part moves by a fifth of the difference each frame.
  public var strength: Double
  /// A change of this much of the range takes the new matte wholly.
  private static let wholeChange: Float = 0.05
  /// A mean change above this is another scene.
  private static let sceneChange: Float = 0.15

  private var last: Plane<Float>?
  private var smooth: Plane<Float>?

  /// Makes a smoother.
  public init(strength: Double = 1) { self.strength = strength }

  /// Forgets what was seen.
  public func reset() {
    last = nil
    smooth = nil
  }

  /// Smooths the next frame's matte in place.
  ///
  /// - Parameter picture: the frame at the size of the matte, in any format.
  /// - Throws: `wrongArgument` if their sizes differ.
  public func smooth(_ matte: inout Matte, with picture: Image) throws(BackdropError) {
    guard picture.width == matte.width && picture.height == matte.height else {
      throw BackdropError(
        .wrongArgument,
        "the matte is \(matte.width)×\(matte.height), but its picture \(picture.width)×\(picture.height)")
    }
    let strength = min(max(self.strength.isNaN ? 1 : self.strength, 0), 1)
    guard strength > 0 else { return reset() }
    let brightness = Self.brightness(picture)
    defer { last = brightness }
    guard let last, var smooth, last.width == matte.width, last.height == matte.height else {
      return remember(matte)
    }
    var change = Plane<Float>(uninitializedWidth: matte.width, height: matte.height)
    var sum: Float = 0
    for y in 0..<matte.height {
      let (before, now) = (last.row(y), brightness.row(y))
      var row = change.mutableRow(y)
      for x in now.indices {
        row[x] = abs(now[x] - before[x])
        sum += row[x]
      }
    }
    guard sum <= Self.sceneChange * Float(matte.width * matte.height) else { return remember(matte) }
    change = try change.boxBlurred(radius: 2)
    let noise = 1.5 * Self.tenth(change)
    let floor = Float(1 - 0.8 * strength)
    for y in 0..<matte.height {
      let changes = change.row(y)
      var mattes = matte.q15.mutableRow(y)
      var states = smooth.mutableRow(y)
      for x in changes.indices {
        let gain = min(1, floor + max(0, changes[x] - noise) / Self.wholeChange)
        let new = Float(min(mattes[x], Matte.one))
        states[x] += gain * (new - states[x])
        mattes[x] = UInt16(states[x] + 0.5)
      }
    }
    self.smooth = smooth
  }

  private func remember(_ matte: Matte) {
    var plane = Plane<Float>(uninitializedWidth: matte.width, height: matte.height)
    for y in 0..<matte.height {
      let from = matte.q15.row(y)
      var to = plane.mutableRow(y)
      for x in from.indices { to[x] = Float(min(from[x], Matte.one)) }
    }
    smooth = plane
  }

  /// Luma, or the mean of the colours, 0…1.
  private static func brightness(_ picture: Image) -> Plane<Float> {
    let source = picture.format == .yuyv ? picture.converted(to: .i420) : picture
    let step = source.format.isYUV || source.format == .gray8 ? 1 : source.format == .rgb8 ? 3 : 4
    let image = step == 4 && source.format != .bgra8 && source.format != .rgba8 ? source.converted(to: .bgra8) : source
    var result = Plane<Float>(uninitializedWidth: image.width, height: image.height)
    for y in 0..<image.height {
      let from = image.row(y)
      var to = result.mutableRow(y)
      if step == 1 {
        for x in to.indices { to[x] = Float(from[x]) * (1 / 255) }
      } else {
        for x in to.indices {
          to[x] = Float(Int(from[step * x]) + Int(from[step * x + 1]) + Int(from[step * x + 2])) * (1 / 765)
        }
      }
    }
    return result
  }

  /// What a tenth of the samples do not exceed, to 1/2048.
  private static func tenth(_ plane: Plane<Float>) -> Float {
    var counts = [Int](repeating: 0, count: 2049)
    for y in 0..<plane.height {
      let row = plane.row(y)
      for x in row.indices { counts[Int(min(max(row[x], 0), 1) * 2048)] += 1 }
    }
    var seen = 0
    let wanted = plane.width * plane.height / 10
    for (value, count) in counts.enumerated() {
      seen += count
      if seen > wanted { return Float(value) / 2048 }
    }
    return 0
  }
}
