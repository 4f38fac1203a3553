import BackdropImaging
import Foundation
import TestSupport
import Testing

@testable import BackdropModels

/// The steps before and after the face network, without it.
@Suite struct FaceTests {
  // MARK: - Anchors

  /// 16 × 16 cells of two anchors, then 8 × 8 cells of six: MediaPipe's 896.
  @Test func shortRangeAnchors() {
    let anchors = DetectionAnchors.centers(size: 128, strides: FaceDetector.strides)
    #expect(anchors.count == 16 * 16 * 2 + 8 * 8 * 6)
    for (i, anchor) in anchors.enumerated() {
      let (cell, cells) = i < 512 ? (i / 2, 16) : ((i - 512) / 6, 8)
      #expect(anchor == SIMD2((Float(cell % cells) + 0.5) / Float(cells), (Float(cell / cells) + 0.5) / Float(cells)))
    }
  }

  @Test(arguments: [
    // MediaPipe's full-range network, its older one with eight layers' worth of strides, and an odd size.
    (192, [4], 48 * 48 * 2), (256, [16, 32, 32, 32], 16 * 16 * 2 + 8 * 8 * 6), (100, [16, 8, 16], 49 * 4 + 169 * 2),
    (128, [], 0),
  ])
  func anchorCounts(size: Int, strides: [Int], count: Int) {
    let anchors = DetectionAnchors.centers(size: size, strides: strides)
    #expect(anchors.count == count)
    #expect(anchors.allSatisfy { $0.x > 0 && $0.x < 1 && $0.y > 0 && $0.y < 1 })
  }

  // MARK: - Candidates

  private func decode(_ values: [Float], logit: Float, minimumScore: Float = 0.5) -> DetectionCandidate? {
    values.withUnsafeBufferPointer {
      DetectionCandidate(
        values: $0, logit: logit, anchor: SIMD2(0.5, 0.25), size: 128, minimumScore: minimumScore)
    }
  }

  @Test func decodes() throws {
    // In pixels of 128: the centre is 16 right of and 32 below the anchor; 64 wide, 32 high; points at multiples of
    // 12.8.
    let values: [Float] = [16, 32, 64, 32] + (0..<12).map { 12.8 * Float($0) }
    let face = try #require(decode(values, logit: 0))
    #expect(face.score == 0.5)
    let points = (0..<12).map { index -> Float in
      let anchor: Float = index % 2 == 0 ? 0.5 : 0.25
      return anchor + 0.1 * Float(index)
    }
    let box: [Float] = [0.375, 0.375, 0.875, 0.625]
    let wanted = box + points
    for i in 0..<16 { #expect(abs(face.coordinates[i] - wanted[i]) < 1e-6) }
  }

  @Test func scores() {
    let values: [Float] = [0, 0, 64, 64] + [Float](repeating: 0, count: 12)
    // The logistic function of ln 3 is 3/4.
    #expect(abs((decode(values, logit: log(3))?.score ?? 0) - 0.75) < 1e-6)
    #expect(decode(values, logit: -0.001) == nil)
    #expect(decode(values, logit: .nan) == nil)
    #expect(decode(values, logit: 1e30)?.score == 1)
    #expect(decode(values, logit: -.infinity, minimumScore: 0)?.score ?? 1 < 1e-37)
  }

  @Test(arguments: [Float.nan, .infinity, -1, 0])
  func noFaceWithoutASize(_ width: Float) {
    #expect(decode([0, 0, width, 64] + [Float](repeating: 0, count: 12), logit: 5) == nil)
    #expect(decode([0, 0, 64, width] + [Float](repeating: 0, count: 12), logit: 5) == nil)
  }

  @Test(arguments: 0..<16)
  func noFaceBeyondNumbers(index: Int) throws {
    var values: [Float] = [0, 0, 64, 64] + [Float](repeating: 0, count: 12)
    for value in [Float.nan, .infinity, -.infinity] {
      values[index] = value
      #expect(decode(values, logit: 5) == nil, "\(value)")
    }
    values[index] = 3e38
    let face = try #require(decode(values, logit: 5))
    // Too large to overlap anything, but still one face.
    #expect(merge([face, face]).count >= 1)
  }

  private static func box(_ x: Float, _ y: Float, _ width: Float, _ height: Float, score: Float = 1)
    -> DetectionCandidate
  {
    var coordinates = SIMD16<Float>()
    (coordinates[0], coordinates[1], coordinates[2], coordinates[3]) = (x, y, x + width, y + height)
    return DetectionCandidate(coordinates: coordinates, score: score)
  }

  @Test func overlaps() {
    let unit = Self.box(0, 0, 1, 1)
    #expect(unit.intersectionOverUnion(unit) == 1)
    #expect(unit.intersectionOverUnion(Self.box(0.5, 0, 1, 1)) == Float(1) / 3)
    #expect(unit.intersectionOverUnion(Self.box(0.25, 0.25, 0.5, 0.5)) == 0.25)
    #expect(unit.intersectionOverUnion(Self.box(1, 0, 1, 1)) == 0)
    #expect(unit.intersectionOverUnion(Self.box(0.5, 0.5, 0, 0)) == 0)
    #expect(Self.box(0, 0, 0, 0).intersectionOverUnion(Self.box(0, 0, 0, 0)) == 0)
  }

  // MARK: - Suppression

  private func merge(_ candidates: [DetectionCandidate], overlap: Float = 0.3) -> [DetectionCandidate] {
    var (rest, faces) = (candidates, [Self.box(9, 9, 9, 9)])
    DetectionSuppression.merge(&rest, overlap: overlap, into: &faces)
    #expect(rest.isEmpty)
    return faces
  }

  @Test func meanWeightedByScore() throws {
    let faces = merge([
      Self.box(0.1, 0.1, 0.4, 0.4, score: 0.6), Self.box(0.7, 0.7, 0.2, 0.2, score: 0.7),
      Self.box(0.2, 0.1, 0.4, 0.4, score: 0.9),
    ])
    try #require(faces.count == 2)
    #expect(faces.map(\.score) == [0.9, 0.7])
    for (i, edge) in [Float](arrayLiteral: 0.7, 0.7, 0.9, 0.9).enumerated() {
      #expect(abs(faces[1].coordinates[i] - edge) < 1e-6)
    }
    // (0.1 · 0.6 + 0.2 · 0.9) / 1.5
    #expect(abs(faces[0].coordinates[0] - 0.16) < 1e-6 && abs(faces[0].coordinates[2] - 0.56) < 1e-6)
    #expect(merge([]).isEmpty)
  }

  /// Boxes without area, and scores of 0, also terminate.
  @Test func emptyBoxes() {
    #expect(merge([DetectionCandidate](repeating: Self.box(0.5, 0.5, 0, 0, score: 0), count: 3)).count == 3)
  }

  /// The definition, with sorting and sets, in double precision.
  private func oracle(_ candidates: [DetectionCandidate], overlap: Double) -> [(coordinates: [Double], score: Float)] {
    func shared(_ a: DetectionCandidate, _ b: DetectionCandidate) -> Double {
      func side(_ low: Int, _ high: Int) -> Double {
        max(
          0, Double(min(a.coordinates[high], b.coordinates[high])) - Double(max(a.coordinates[low], b.coordinates[low]))
        )
      }
      func area(_ c: DetectionCandidate) -> Double {
        (Double(c.coordinates[2]) - Double(c.coordinates[0])) * (Double(c.coordinates[3]) - Double(c.coordinates[1]))
      }
      let both = side(0, 2) * side(1, 3)
      return both / (area(a) + area(b) - both)
    }
    var rest = candidates.sorted { $0.score > $1.score }
    var result: [(coordinates: [Double], score: Float)] = []
    while let best = rest.first {
      let group = rest.filter { shared($0, best) > overlap }
      rest = rest.filter { shared($0, best) <= overlap }
      let total = group.reduce(0) { $0 + Double($1.score) }
      let mean = (0..<16).map { i in group.reduce(0) { $0 + Double($1.coordinates[i]) * Double($1.score) } / total }
      result.append((mean, best.score))
    }
    return result
  }

  @Test(arguments: 0..<200)
  func equalsTheOracle(seed: Int) throws {
    var random = SeededRandom(seed: UInt64(seed))
    let count = Int.random(in: 1...60, using: &random)
    let candidates = (0..<count).map { _ in
      var candidate = Self.box(
        .random(in: -0.2...0.8, using: &random), .random(in: -0.2...0.8, using: &random),
        .random(in: 0.01...0.5, using: &random), .random(in: 0.01...0.5, using: &random),
        score: .random(in: 0.5...1, using: &random))
      for i in 4..<16 { candidate.coordinates[i] = .random(in: 0...1, using: &random) }
      return candidate
    }
    let overlap = Float.random(in: 0.1...0.7, using: &random)
    let faces = merge(candidates, overlap: overlap)
    let wanted = oracle(candidates, overlap: Double(overlap))
    try #require(faces.count == wanted.count, "seed \(seed)")
    for (face, want) in zip(faces, wanted) {
      #expect(face.score == want.score, "seed \(seed)")
      for i in 0..<16 { #expect(abs(Double(face.coordinates[i]) - want.coordinates[i]) < 1e-5, "seed \(seed)") }
    }
    #expect(merge(candidates.shuffled(using: &random), overlap: overlap).map(\.score) == faces.map(\.score))
  }

  // MARK: - Letterbox

  private func sampled(_ image: Image, size: Int = 128) -> [Float] {
    var sampler = LetterboxSampler(size: size)
    sampler.prepare(width: image.width, height: image.height)
    var result = [Float](repeating: .nan, count: size * size * 3)
    result.withUnsafeMutableBufferPointer { sampler.fill($0.baseAddress!, from: image) }
    return result
  }

  /// A tensor value before it was scaled to −1…1.
  private func level(_ value: Float) -> Int { Int(((value + 1) * 127.5).rounded()) }

  /// Sums and samples from OpenCV 4.11.0: `warpPerspective` (INTER_LINEAR, BORDER_CONSTANT) with the matrix of
  /// `getPerspectiveTransform` from the corners of the square about the picture to those of 128×128.
  @Test(arguments: [
    (
      120, 77, 4_016_811, 20_413_945_125,
      [[99, 152, 205], [77, 120, 173], [91, 144, 173], [55, 98, 151], [138, 191, 116]]
    ),
    (
      100, 200, 3_134_707, 15_477_216_958,
      [[54, 107, 160], [131, 68, 121], [95, 148, 89], [106, 69, 122], [116, 169, 222]]
    ),
  ])
  func samplesAsOpenCV(width: Int, height: Int, sum: Int, weighted: Int, samples: [[Int]]) {
    for format in [PixelFormat.rgb8, .rgba8, .bgra8] {
      let found = sampled(Image.pattern(format, width, height)).map(level)
      #expect(found.reduce(0, +) == sum, "\(format)")
      #expect(found.enumerated().reduce(0) { $0 + $1.element * ($1.offset % 9973) } == weighted, "\(format)")
      for ((row, column), sample) in zip([(64, 64), (30, 33), (100, 70), (23, 90), (64, 32)], samples) {
        let start = (row * 128 + column) * 3
        #expect(Array(found[start..<start + 3]) == sample, "\(format) \(row) \(column)")
      }
    }
  }

  /// A picture of the input's size does not change; the tensor's range is −1…1, and the bars are black.
  @Test func barsAndRange() {
    let same = Image.pattern(.rgb8, 128, 128)
    #expect(sampled(same).map(level) == same.packedBytes.map(Int.init))
    var white = Image(.rgb8, width: 256, height: 128)
    white.fill(.white)
    let wide = sampled(white)
    for y in 0..<128 {
      let row = wide[(y * 128 * 3)..<((y + 1) * 128 * 3)]
      #expect(row.allSatisfy { $0 == ((32..<96).contains(y) ? 1 : -1) }, "row \(y)")
    }
  }

  @Test(arguments: [(1, 1), (1, 300), (300, 1), (2000, 40), (127, 129)])
  func anySize(width: Int, height: Int) {
    #expect(sampled(Image.pattern(.rgba8, width, height)).allSatisfy { $0 >= -1 && $0 <= 1 })
  }
}
