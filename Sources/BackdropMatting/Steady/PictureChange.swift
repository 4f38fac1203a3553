import BackdropImaging

/// How a stream's picture has changed since the one that was remembered: for each sample, and as a whole.
///
/// One stream, one value: it is not safe to use from two threads at once.
public final class PictureChange {
  /// Mean absolute difference of brightness (0…1) over 5×5 samples; `nil` where nothing is remembered, or another scene.
  public private(set) var map: Plane<Float>?
  /// The difference that is put down to noise: what a tenth of the samples do not exceed, times 1.5.
  public private(set) var noise: Float = 0
  /// Whether it is another scene: the mean difference is above 15 % of the range.
  public private(set) var isCut = false
  /// Whether nothing has moved: no sample of ``map`` is above 2 levels of 255.
  public private(set) var isStill = false

  private static let sceneChange: Float = 0.15
  private static let stillness: Float = 2 / 255

  private var now = Plane<Float>(repeating: 0, width: 0, height: 0)
  private var nowFrame: PixelFrame?
  private var before: Plane<Float>?
  private var beforeFrame: PixelFrame?

  /// Makes one that remembers nothing.
  public init() {}

  /// Forgets what was seen.
  public func reset() {
    before = nil
    map = nil
  }

  /// Compares the next picture.
  ///
  /// - Parameters:
  ///   - picture: the frame, reduced, in any format.
  ///   - frame: the part of the whole picture that it shows; where that moves, the remembered one is moved with it.
  /// - Throws: what the blur throws.
  public func compare(_ picture: Image, showing frame: PixelFrame? = nil) throws(BackdropError) {
    now = Self.brightness(picture)
    nowFrame = frame
    (map, isCut, isStill) = (nil, false, false)
    guard var last = before else { return }
    let isSame = beforeFrame == frame && last.width == now.width && last.height == now.height
    if !isSame {
      guard let beforeFrame, let frame else { return }
      last = last.moved(from: beforeFrame, to: frame, like: now)
    }
    var change = Plane<Float>(uninitializedWidth: now.width, height: now.height)
    var sum: Float = 0
    for y in 0..<now.height {
      let (from, to) = (last.row(y), now.row(y))
      var row = change.mutableRow(y)
      var rowSum: Float = 0
      for x in to.indices {
        row[x] = abs(to[x] - from[x])
        rowSum += row[x]
      }
      sum += rowSum
    }
    isCut = sum > Self.sceneChange * Float(now.width * now.height)
    guard !isCut else { return }
    change = try change.boxBlurred(radius: 2)
    let (tenth, largest) = Self.tenthAndLargest(change)
    noise = 1.5 * tenth
    isStill = isSame && largest <= Self.stillness
    map = change
  }

  /// Remembers the picture that was compared last.
  public func remember() {
    before = now
    beforeFrame = nowFrame
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

  /// What a tenth of the samples do not exceed, to 1/2048, and the largest.
  private static func tenthAndLargest(_ plane: Plane<Float>) -> (Float, Float) {
    var counts = [Int](repeating: 0, count: 2049)
    var largest: Float = 0
    for y in 0..<plane.height {
      let row = plane.row(y)
      for x in row.indices {
        largest = max(largest, row[x])
        counts[Int(min(max(row[x], 0), 1) * 2048)] += 1
      }
    }
    var seen = 0
    let wanted = plane.width * plane.height / 10
    for (value, count) in counts.enumerated() {
      seen += count
      if seen > wanted { return (Float(value) / 2048, largest) }
    }
    return (0, largest)
  }
}

extension Plane<Float> {
  /// What this plane, which shows `frame` of a picture, has at the samples of one that shows `target`; where it shows
  /// nothing, what `like` has. Bilinear.
  func moved(from frame: PixelFrame, to target: PixelFrame, like: Plane<Float>) -> Plane<Float> {
    var result = like
    // Positions in samples of this plane: a x + b.
    let scaleX = Double(target.width) / Double(like.width) * Double(width) / Double(frame.width)
    let scaleY = Double(target.height) / Double(like.height) * Double(height) / Double(frame.height)
    let startX = Double(target.x - frame.x) * Double(width) / Double(frame.width)
    let startY = Double(target.y - frame.y) * Double(height) / Double(frame.height)
    for y in 0..<like.height {
      let v = startY + (Double(y) + 0.5) * scaleY - 0.5
      guard v > -0.5 && v < Double(height) - 0.5 else { continue }
      let top = Swift.min(Swift.max(Int(v), 0), height - 1)
      let (upper, lower) = (row(top), row(Swift.min(top + 1, height - 1)))
      let down = Float(Swift.max(0, v - Double(top)))
      var to = result.mutableRow(y)
      for x in 0..<like.width {
        let u = startX + (Double(x) + 0.5) * scaleX - 0.5
        guard u > -0.5 && u < Double(width) - 0.5 else { continue }
        let left = Swift.min(Swift.max(Int(u), 0), width - 1)
        let right = Swift.min(left + 1, width - 1)
        let across = Float(Swift.max(0, u - Double(left)))
        let above = upper[left] + (upper[right] - upper[left]) * across
        let below = lower[left] + (lower[right] - lower[left]) * across
        to[x] = above + (below - above) * down
      }
    }
    return result
  }
}
