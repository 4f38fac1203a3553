import BackdropDepth
import BackdropImaging

/// Chooses the part of a stream's pictures for the network: the whole picture, or, if the people fill only a part of it, a frame that
/// follows them.
///
/// A small network sees small people poorly. A frame gives it more pixels of the people, and fewer of the background. The frame grows at
/// once when the last matte requires it and shrinks slowly, so that a leg missed once is not lost. From time to time the network processes
/// the whole picture, to find people who appeared elsewhere.
struct PersonFraming {
  /// The frame, as fractions of the picture's width and height.
  private(set) var frame = PersonFrame.whole
  /// The people's rectangle, as fractions of the picture; `nil` if nobody was found.
  private var people: Rect?

  /// The fraction of the way to a smaller frame per step.
  private static let pace = 0.1
  /// A frame larger than this fraction of the picture is not worthwhile if there is other evidence for the whole picture.
  private static let largestBesideWhole = 0.6
  /// The longer side of the matte for locating people.
  private static let side = 64

  var isWhole: Bool { frame == PersonFrame.whole }

  /// Whether there is evidence for the whole picture beside the network, such as a clean plate.
  var knowsWhole = false
  /// The depth of the picture, if known. Everything outside a frame is background, so things as near as the people must be inside.
  var depth: DepthMap?

  mutating func reset() { (frame, people) = (PersonFrame.whole, nil) }

  func region(width: Int, height: Int) -> IntegerRect { PersonFrame.pixels(of: frame, width: width, height: height) }

  var seesNobody: Bool { people == nil }

  static func isAnybody(in matte: Matte) -> Bool {
    ProbabilityMap(meansOf: matte, side: side).frame(smallestBlob: PersonFrame.smallestBlob) != nil
  }

  /// Sets the next frame, as fractions of the picture, where a close-up showed a person.
  mutating func turn(to frame: Rect) { self.frame = frame }

  /// Returns to the whole picture if its matte shows a large person outside the frame.
  mutating func check(_ whole: Matte) {
    let small = ProbabilityMap(meansOf: whole, side: Self.side)
    var inside = 0
    var outside = 0
    for y in 0..<small.height {
      for x in 0..<small.width where small.values[y * small.width + x] > 0.5 {
        let (u, v) = ((Double(x) + 0.5) / Double(small.width), (Double(y) + 0.5) / Double(small.height))
        if frame.contains(u, v) { inside += 1 } else { outside += 1 }
      }
    }
    if Double(outside) > PersonFrame.smallestBlob * Double(inside) { reset() }
  }

  /// Chooses the next frame from this one's matte.
  mutating func follow(_ matte: Matte) {
    let map = ProbabilityMap(meansOf: matte, side: Self.side)
    guard let found = map.frame(smallestBlob: PersonFrame.smallestBlob)?.within(frame) else { return reset() }
    // Assume that a moving person moves as far again.
    let ahead = people.map { found.ahead(of: $0) } ?? found
    people = found
    let wanted = ahead.grown(by: PersonFrame.air)
    let pace = isWhole ? 1 : Self.pace
    let moved = Rect(
      x: frame.x + pace * (wanted.x - frame.x), y: frame.y + pace * (wanted.y - frame.y),
      width: frame.width + pace * (wanted.width - frame.width),
      height: frame.height + pace * (wanted.height - frame.height))
    let next = moved.union(wanted)
    let isLarge = next.width * next.height > Self.largestBesideWhole
    if !PersonFrame.isWorthwhile(next) || isLarge && (knowsWhole || omitsNearThings(next)) { return reset() }
    // A person at rest does not move the frame.
    if !next.isNear(frame) { frame = next }
  }
}

extension PersonFraming {
  /// Samples of depth across and down.
  private static let samples = 48
  /// Things farther by this factor are behind the people.
  private static let depthOfPeople: Float = 1.1
  /// The smallest fraction of the picture's samples that counts as near things outside a frame.
  private static let smallestThing = 0.01

  /// Whether things outside of a frame are as near as its contents.
  private func omitsNearThings(_ frame: Rect) -> Bool {
    guard let depth, depth.width > 0, depth.height > 0 else { return false }
    var inside: [Float] = []
    var outside: [Float] = []
    for row in 0..<Self.samples {
      for column in 0..<Self.samples {
        let (u, v) = ((Double(column) + 0.5) / Double(Self.samples), (Double(row) + 0.5) / Double(Self.samples))
        let metres = depth.metres[Int(u * Double(depth.width)), Int(v * Double(depth.height))]
        guard metres.isFinite else { continue }
        if frame.contains(u, v) { inside.append(metres) } else { outside.append(metres) }
      }
    }
    guard !inside.isEmpty else { return !outside.isEmpty }
    inside.sort()
    // People fill at least a quarter of their frame.
    let farthest = inside[inside.count / 4] * Self.depthOfPeople
    let near = outside.count { $0 <= farthest }
    // An existing frame tolerates a few more, so that a sensor's noise does not move it back and forth.
    let bound = Self.smallestThing * Double(Self.samples * Self.samples)
    return Double(near) > (isWhole ? bound : 3 * bound)
  }
}

extension Rect {
  /// The smallest rectangle round this one and its prediction from `last`, with each edge limited to half of the size: an appearing blob is
  /// not motion.
  fileprivate func ahead(of last: Rect) -> Rect {
    func step(_ now: Double, _ before: Double, _ size: Double) -> Double {
      min(max(now - before, -0.5 * size), 0.5 * size)
    }
    let left = step(x, last.x, width)
    let right = step(x + width, last.x + last.width, width)
    let top = step(y, last.y, height)
    let bottom = step(y + height, last.y + last.height, height)
    let (fromX, fromY) = (max(0, x + min(left, 0)), max(0, y + min(top, 0)))
    return Rect(
      x: fromX, y: fromY, width: min(1, x + width + max(right, 0)) - fromX,
      height: min(1, y + height + max(bottom, 0)) - fromY)
  }

  func union(_ other: Rect) -> Rect {
    let left = min(x, other.x)
    let top = min(y, other.y)
    return Rect(
      x: left, y: top, width: max(x + width, other.x + other.width) - left,
      height: max(y + height, other.y + other.height) - top)
  }
}
