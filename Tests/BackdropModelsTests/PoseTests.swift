import BackdropDepth
import BackdropImaging
import BackdropMatting
import TestSupport
import Testing

@testable import BackdropModels

/// The steps before and after the pose networks, without them.
@Suite struct PoseTests {
  /// Grids of 28, 14 and 7 cells with two anchors for each layer; three layers share the last grid: MediaPipe's 2254.
  @Test func anchors() {
    let anchors = DetectionAnchors.centers(size: 224, strides: BodyLandmarks.design.strides)
    #expect(anchors.count == 2 * 28 * 28 + 2 * 14 * 14 + 6 * 7 * 7)
    #expect(anchors.first == SIMD2(0.5 / 28, 0.5 / 28) && anchors.last == SIMD2(6.5 / 7, 6.5 / 7))
  }

  /// Only the four points of a pose are decoded.
  @Test func fourPoints() throws {
    let values: [Float] = [0, 0, 112, 112] + (0..<8).map { 22.4 * Float($0) } + [7, 7, 7, 7]
    let found = try #require(
      values.withUnsafeBufferPointer {
        DetectionCandidate(
          values: $0.extracting(0..<12), logit: 0, anchor: SIMD2(0.5, 0.25), size: 224, minimumScore: 0.5)
      })
    for i in 0..<8 { #expect(abs(found.coordinates[4 + i] - (0.1 * Float(i) + (i % 2 == 0 ? 0.5 : 0.25))) < 1e-6) }
    for i in 12..<16 { #expect(found.coordinates[i] == 0) }
  }

  // MARK: - Squares of a picture

  /// A square of whole pixels at the input's size contains the picture's own samples, and black outside it.
  @Test(arguments: [(0, 0), (-5, 7), (30, -11), (200, 0)])
  func partsOfPictures(x: Int, y: Int) {
    let image = Image.pattern(.rgba8, 50, 40)
    var sampler = LetterboxSampler(size: 32)
    sampler.prepare(width: 50, height: 40, square: PictureSquare(x: Double(x), y: Double(y), side: 32))
    var found = [Float](repeating: .nan, count: 32 * 32 * 3)
    found.withUnsafeMutableBufferPointer { sampler.fill($0.baseAddress!, from: image) }
    for (row, column) in product(0..<32, 0..<32) {
      for c in 0..<3 {
        let (u, v) = (x + column, y + row)
        let isInside = (0..<50).contains(u) && (0..<40).contains(v)
        let wanted = isInside ? Int(image.row(v)[4 * u + c]) : 0
        #expect(Int(((found[(row * 32 + column) * 3 + c] + 1) * 127.5).rounded()) == wanted)
      }
    }
  }

  @Test func theSquareAroundAPicture() {
    #expect(PictureSquare(around: 40, 100) == PictureSquare(x: -30, y: 0, side: 100))
    #expect(PictureSquare(around: 101, 100) == PictureSquare(x: 0, y: -0.5, side: 101))
  }

  // MARK: - Squares around bodies

  private func pose(_ hips: SIMD2<Double>, _ crown: SIMD2<Double>, score: Double = 1) -> DetectedPose {
    DetectedPose(head: Rect(x: 0, y: 0, width: 1, height: 1), score: score, hips: hips, crown: crown)
  }

  /// Upright: a circle of radius 40, enlarged by a quarter, so a side of 100 pixels around the hips.
  @Test func uprightBodies() throws {
    let square = try #require(TurnedSquare(pose(SIMD2(70, 90), SIMD2(70, 50))))
    #expect(square.point(0, 0) == SIMD2(20, 40) && square.point(1, 1) == SIMD2(120, 140))
    #expect(square.point(1, 0) == SIMD2(120, 40) && square.point(0.5, 0.5) == SIMD2(70, 90))
  }

  /// The square of a person who lies with the head to the right is rotated, so that the head is up.
  @Test func lyingBodies() throws {
    let square = try #require(TurnedSquare(pose(SIMD2(70, 90), SIMD2(110, 90))))
    #expect(square.point(0.5, 0) == SIMD2(120, 90) && square.point(0, 0) == SIMD2(120, 40))
    #expect(square.point(1, 1) == SIMD2(20, 140))
  }

  @Test(arguments: [
    (SIMD2(5.0, 5), SIMD2(5.0, 5)), (SIMD2(5, 5), SIMD2(.nan, 1)), (SIMD2(.infinity, 5), SIMD2(1, 1)),
    (SIMD2(0, 0), SIMD2(1e9, 0)), (SIMD2(3e7, 0), SIMD2(3e7, 9)),
  ])
  func noSquareWithoutASize(hips: SIMD2<Double>, crown: SIMD2<Double>) {
    #expect(TurnedSquare(pose(hips, crown)) == nil)
  }

  /// Sums and samples from OpenCV 4.11.0: `warpPerspective` (INTER_LINEAR, BORDER_REPLICATE) with the matrix of `getPerspectiveTransform`
  /// from the corners of the square to those of 64×64. OpenCV rounds the matrix to single precision, so one position in a thousand falls
  /// into the next 1/32 of a pixel.
  @Test(arguments: [
    (120, 77, SIMD2(50.0, 60), SIMD2(62.0, 20.5), 1_562_576, [[158, 211, 8], [185, 102, 83], [39, 92, 145]]),
    (100, 200, SIMD2(40.25, 90), SIMD2(70, 150), 1_569_054, [[122, 111, 164], [46, 85, 138], [147, 183, 131]]),
    (64, 48, SIMD2(32, 24), SIMD2(32, -8), 1_543_205, [[24, 77, 130], [18, 71, 124], [100, 153, 78]]),
  ])
  func samplesAsOpenCV(
    width: Int, height: Int, hips: SIMD2<Double>, crown: SIMD2<Double>, sum: Int, samples: [[Int]]
  ) throws {
    let square = try #require(TurnedSquare(pose(hips, crown)))
    for format in [PixelFormat.rgb8, .rgba8, .bgra8] {
      var found = [Float](repeating: .nan, count: 64 * 64 * 3)
      found.withUnsafeMutableBufferPointer {
        TurnedSampler.fill($0.baseAddress!, size: 64, from: Image.pattern(format, width, height), square: square)
      }
      let levels = found.map { Int(($0 * 255).rounded()) }
      #expect(abs(levels.reduce(0, +) - sum) < sum / 1000, "\(format) \(levels.reduce(0, +))")
      for ((row, column), sample) in zip([(32, 32), (10, 40), (50, 20)], samples) {
        let start = (row * 64 + column) * 3
        for c in 0..<3 { #expect(abs(levels[start + c] - sample[c]) <= 4, "\(format) \(row) \(column)") }
      }
    }
  }

  // MARK: - Outlines

  /// The left half of an upright square of 40 pixels is the body: x from 10 to 30 of a picture of 80×60.
  private func halfOutline(center: SIMD2<Double>) throws -> BodyOutline {
    let square = try #require(TurnedSquare(pose(center, center - SIMD2(0, 16))))
    return BodyOutline(presence: 1, square: square, likelihood: (0..<256).map { $0 % 16 < 8 ? 1 : 0 }, side: 16)
  }

  private func map(_ isPerson: (Int, Int) -> Float) -> ProbabilityMap {
    var map = ProbabilityMap(width: 80, height: 60)
    for y in 0..<60 { for x in 0..<80 { map.values[y * 80 + x] = isPerson(x, y) } }
    return map
  }

  @Test func sharesOfOutlines() throws {
    let outline = try halfOutline(center: SIMD2(30, 30))
    #expect(outline.share(of: map { _, _ in 1 }, width: 80, height: 60) == 1)
    #expect(outline.share(of: map { _, _ in 0.25 }, width: 80, height: 60) == 0.25)
    #expect(outline.share(of: map { x, _ in x < 20 ? 1 : 0 }, width: 80, height: 60) == 0.5)
    #expect(outline.share(of: map { x, _ in x >= 30 ? 1 : 0 }, width: 80, height: 60) == 0)
    // The same for a picture ten times as large.
    let large = try halfOutline(center: SIMD2(300, 300))
    #expect(large.share(of: map { x, _ in x < 29 ? 1 : 0 }, width: 800, height: 600) == 0.5)
  }

  /// Areas outside the picture do not count; without any area inside there is no share.
  @Test func outlinesBeyondThePicture() throws {
    #expect(try halfOutline(center: SIMD2(10, 30)).share(of: map { _, _ in 1 }, width: 80, height: 60) == 1)
    #expect(try halfOutline(center: SIMD2(-500, 30)).share(of: map { _, _ in 1 }, width: 80, height: 60) == 0)
    #expect(try halfOutline(center: SIMD2(9e5, 9e5)).share(of: map { _, _ in 1 }, width: 80, height: 60) == 0)
  }
}
