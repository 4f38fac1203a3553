import BackdropDepth
import BackdropImaging

/// Searches for people who are too small for the person networks: hikers in front of a mountain, a group on stairs.
///
/// A person network finds a person who fills half of its picture, and misses one who fills a fifth. The pose networks therefore examine
/// overlapping squares of half the picture's longer side, then of a quarter, as many as cost about as much as the networks' run on the
/// whole picture. The person networks then examine the areas with bodies, each like a separate picture.
///
/// Use it from one thread at a time. The pose networks are loaded when first needed.
package final class PersonSearch {
  private let cache: ModelCache
  private let threads: Int
  private let store: ModelStore
  /// The last examined square of a stream's pictures.
  private var turn = -1

  /// The number of squares along the picture's longer side in each round, without their overlap. If the network has seen somebody in the
  /// whole picture, others are hardly four times as small, and the first round is enough: the second changed none of 263 pictures.
  private static let rounds = [2, 4]
  /// The most squares per picture: each costs about 3 ms of one core, and the first pass 120 ms and more.
  private static let maximumSquares = 48
  /// The smallest square in which the network finds anything, in pixels.
  private static let smallestSquare = 112.0
  /// The minimum product of the detector's and the outline network's confidence in a body.
  private static let enough = 0.5
  /// The minimum probability of a person (``PersonPresence/probability``): among many squares some show things that look like people.
  private static let enoughPresence = 0.7
  /// A network sees a person of half its picture's height well: a smaller coverage than this means a small person.
  private static let smallCoverage = 1.0 / 12
  /// The fraction of a person that the seen matte must cover to exclude that person; and the longer side of the map for this test.
  private static let enoughShare = 0.5, side = 256
  /// The longer side of the photo for the search.
  private static let largestSide = 2048
  /// The margin round a body on each side, as a fraction of its longer side, because its feet and arms may be undetected.
  private static let margin = 0.5
  private static let maximumBodies = 48, maximumAreas = 8
  /// People share an area if each fills this fraction of its longer side.
  private static let smallestShare = 0.4

  /// Makes a search, without loading networks yet.
  package init(networks cache: ModelCache = ModelCache(), threads: Int = 1, store: ModelStore = ModelStore()) {
    (self.cache, self.threads, self.store) = (cache, threads, store)
  }

  /// Whether a close-up may show people better, or show people whom the whole picture does not.
  package static func isWorthwhile(beside matte: Matte) -> Bool { matte.coverage < smallCoverage }

  /// The matte, at the picture's size, of the people whom the networks miss in the whole upright picture, or see poorly; `nil` if the
  /// close-ups show nobody, so that `seen`, the matte from the whole picture at its size, stays. `maker` makes the mattes, and loses the
  /// state of its stream; `judge` decides for each area whether there is a person.
  ///
  /// - Throws: errors of the networks.
  package func matte(
    of image: Image, besides seen: Matte?, by maker: PersonMatteMaker, _ judge: PersonPresenceJudge
  ) throws(BackdropError) -> Matte? {
    let picture = try PortraitSegmenter.reduced(image, to: Self.largestSide)
    let poses = try cache.bodyNetworks(threads: threads, store: store)
    let map = seen.map { ProbabilityMap(meansOf: $0, side: Self.side) }
    var closeUps: [(matte: Matte, area: IntegerRect)] = []
    var heads: [Rect] = []
    var left = Self.maximumSquares
    var found: [Rect] = []
    for round in seen == nil ? Self.rounds : Array(Self.rounds.prefix(1)) {
      let squares = Self.squares(of: round, width: picture.width, height: picture.height).prefix(left)
      left -= squares.count
      found += try bodies(in: picture, squares, poses, besides: map, &heads)
    }
    for area in Self.areas(round: found, in: picture) {
      let area = area.scaled(from: (picture.width, picture.height), to: (image.width, image.height))
      let part = try image.cropped(x: area.x, y: area.y, width: area.width, height: area.height)
      var matte = Matte(constant: 0, width: 1, height: 1)
      maker.forget()
      try maker.update(&matte, from: part)
      let presence = try judge.judge(
        part, matte: matte, agreement: maker.lastPortrait?.agreement ?? 1, enough: Self.enoughPresence)
      guard presence.probability >= Self.enoughPresence else { continue }
      closeUps.append((matte.scaled(toWidth: part.width, height: part.height), area))
    }
    guard !closeUps.isEmpty else { return nil }
    var result = seen ?? Matte(constant: 0, width: image.width, height: image.height)
    for closeUp in closeUps { result.add(closeUp.matte, at: closeUp.area) }
    return result
  }

  /// Examines the next square, in turns, of a stream's picture without people. Returns a part of the picture that shows a person at a good
  /// size for the networks, as fractions of its width and height; `nil` if the square shows none.
  ///
  /// - Throws: errors of the networks.
  func findPerson(in image: Image) throws(BackdropError) -> Rect? {
    let picture = try PortraitSegmenter.reduced(image)
    let squares = Self.rounds.flatMap { Self.squares(of: $0, width: picture.width, height: picture.height) }
    guard !squares.isEmpty else { return nil }
    turn = (turn + 1) % squares.count
    let poses = try cache.bodyNetworks(threads: threads, store: store)
    for pose in try poses.detector.detect(in: picture, square: squares[turn], minimumScore: Self.enoughPresence) {
      guard let outline = try poses.landmarker.shape(of: pose, in: picture),
        pose.score * outline.presence >= Self.enoughPresence,
        let body = outline.bounds(width: picture.width, height: picture.height),
        let area = Self.areas(round: [body], in: picture).first
      else { continue }
      return Rect(area).relative(to: (picture.width, picture.height))
    }
    return nil
  }

  /// The bodies in squares, in pixels of the picture, without those that mostly lie in `seen`, and those whose heads are among `heads`; new
  /// ones are added to these.
  private func bodies(
    in picture: Image, _ squares: ArraySlice<PictureSquare>, _ poses: LandmarkNetworks,
    besides seen: ProbabilityMap?, _ heads: inout [Rect]
  ) throws(BackdropError) -> [Rect] {
    let (width, height) = (picture.width, picture.height)
    var bodies: [Rect] = []
    for square in squares {
      for pose in try poses.detector.detect(in: picture, square: square, minimumScore: Self.enough) {
        guard heads.count < Self.maximumBodies, !heads.contains(where: { PeopleDetection.areOne($0, pose.head) }),
          let outline = try poses.landmarker.shape(of: pose, in: picture),
          pose.score * outline.presence >= Self.enough, let body = outline.bounds(width: width, height: height)
        else { continue }
        heads.append(pose.head)
        let share = seen.map { outline.share(of: $0, width: width, height: height) } ?? 0
        if share < Self.enoughShare { bodies.append(body) }
      }
    }
    return bodies
  }

  /// Squares that cover a picture and overlap by at least half; none if they would be too small.
  static func squares(of round: Int, width: Int, height: Int) -> [PictureSquare] {
    let side = Double(max(width, height)) / Double(round)
    guard side >= smallestSquare else { return [] }
    func starts(_ length: Int) -> [Double] {
      let rest = Double(length) - side
      guard rest > 0 else { return [rest / 2] }
      let steps = (rest / (side / 2)).rounded(.up)
      return (0...Int(steps)).map { rest * Double($0) / steps }
    }
    return starts(height).flatMap { y in starts(width).map { PictureSquare(x: $0, y: y, side: side) } }
  }

  /// Parts of a picture with a margin round bodies. Several share one if all are large in it; the largest first.
  static func areas(round bodies: [Rect], in picture: Image) -> [IntegerRect] {
    var areas: [(frame: Rect, smallest: Double)] = []
    for body in bodies.sorted(by: { $0.longerSide > $1.longerSide }) {
      let air = margin * body.longerSide
      let frame = Rect(x: body.x - air, y: body.y - air, width: body.width + 2 * air, height: body.height + 2 * air)
      let near = areas.firstIndex {
        min($0.smallest, body.longerSide) >= smallestShare * $0.frame.union(frame).longerSide
      }
      if let near {
        areas[near] = (areas[near].frame.union(frame), min(areas[near].smallest, body.longerSide))
      } else if areas.count < maximumAreas {
        areas.append((frame, body.longerSide))
      }
    }
    return areas.compactMap { area in
      let left = max(0, Int(area.frame.x.rounded(.down)))
      let top = max(0, Int(area.frame.y.rounded(.down)))
      let right = min(picture.width, Int((area.frame.x + area.frame.width).rounded(.up)))
      let bottom = min(picture.height, Int((area.frame.y + area.frame.height).rounded(.up)))
      guard right > left && bottom > top else { return nil }
      return IntegerRect(x: left, y: top, width: right - left, height: bottom - top)
    }
  }
}

extension Rect {
  fileprivate var longerSide: Double { max(width, height) }
}

extension IntegerRect {
  /// This part of a picture in another size of the same picture; not empty.
  fileprivate func scaled(from: (width: Int, height: Int), to: (width: Int, height: Int)) -> IntegerRect {
    func range(_ start: Int, _ length: Int, _ from: Int, _ to: Int) -> Range<Int> {
      let first = min(start * to / from, to - 1)
      return first..<min(max((start + length) * to / from, first + 1), to)
    }
    let columns = range(x, width, from.width, to.width)
    let rows = range(y, height, from.height, to.height)
    return IntegerRect(x: columns.lowerBound, y: rows.lowerBound, width: columns.count, height: rows.count)
  }
}

extension BodyOutline {
  /// The rectangle round the body within a picture of that size, in pixels; `nil` if it is outside.
  func bounds(width: Int, height: Int) -> Rect? {
    var (low, high) = (SIMD2(repeating: Double.infinity), SIMD2(repeating: -Double.infinity))
    let part = 1 / Double(side)
    for row in 0..<side {
      for column in 0..<side where likelihood[row * side + column] > 0.5 {
        let position = square.point((Double(column) + 0.5) * part, (Double(row) + 0.5) * part)
        (low, high) = (pointwiseMin(low, position), pointwiseMax(high, position))
      }
    }
    (low, high) = (pointwiseMax(low, .zero), pointwiseMin(high, SIMD2(Double(width), Double(height))))
    guard high.x > low.x && high.y > low.y else { return nil }
    return Rect(x: low.x, y: low.y, width: high.x - low.x, height: high.y - low.y)
  }
}

extension Matte {
  /// Merges another matte into a part of this one: each sample is the larger of both.
  fileprivate mutating func add(_ matte: Matte, at part: IntegerRect) {
    for y in 0..<part.height {
      let from = matte.q15.row(y)
      var to = q15.mutableRow(part.y + y)
      for x in 0..<part.width { to[part.x + x] = max(to[part.x + x], from[x]) }
    }
  }
}
