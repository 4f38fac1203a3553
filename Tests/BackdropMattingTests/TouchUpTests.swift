import BackdropDepth
import BackdropImaging
import TestSupport
import Testing

@testable import BackdropMatting

@Suite struct TouchUpTests {
  private let workers = WorkerPool(threads: 2)

  /// The documented brush, sample by sample: the distance to every segment of the line, in double precision.
  private func oracle(
    _ stroke: TouchUp.Stroke, on matte: Matte, pictureWidth: Int, pictureHeight: Int
  ) -> [Double] {
    let longer = Double(max(pictureWidth, pictureHeight))
    let aspect = SIMD2(Double(pictureWidth) / longer, Double(pictureHeight) / longer)
    let points = stroke.points.map { $0 * aspect / stroke.size }
    let sample = max(aspect.x / Double(matte.width), aspect.y / Double(matte.height)) / stroke.size
    let soft = max(stroke.softness, min(sample, 1))
    var result: [Double] = []
    for (y, x) in product(0..<matte.height, 0..<matte.width) {
      let point =
        SIMD2((Double(x) + 0.5) / Double(matte.width), (Double(y) + 0.5) / Double(matte.height)) * aspect
        / stroke.size
      var least = Double.infinity
      for (from, to) in zip([points[0]] + points, points) {
        let (line, away) = (to - from, point - from)
        let length = (line * line).sum()
        let part = length > 0 ? min(max((line * away).sum() / length, 0), 1) : 0
        let rest = away - line * part
        least = min(least, (rest * rest).sum().squareRoot())
      }
      let part = min(max((1 - least) / soft, 0), 1)
      let strength = part * part * (3 - 2 * part)
      let old = matte[x, y]
      result.append(stroke.action == .keep ? old + (1 - old) * strength : old * (1 - strength))
    }
    return result
  }

  private func noise(_ width: Int, _ height: Int, _ random: inout SeededRandom) -> Matte {
    Matte(q15: Plane(width: width, height: height) { _, _ in .random(in: 0...32768, using: &random) })
  }

  @Test(arguments: [(1, 1), (2, 7), (61, 40), (40, 61), (128, 33)])
  func plainStrokesAreThoseOfTheOracle(width: Int, height: Int) throws {
    var random = SeededRandom(seed: UInt64(width * 100 + height))
    let picture = Image(.rgb8, width: width, height: height, color: .jpeg)
    for action in TouchUp.Stroke.Action.allCases {
      for (size, softness) in [(0.0005, 0), (0.03, 0.3), (0.2, 1), (0.5, 0)] {
        let points = (0..<Int.random(in: 1...5, using: &random)).map { _ in
          SIMD2(Double.random(in: 0...1, using: &random), Double.random(in: 0...1, using: &random))
        }
        let stroke = TouchUp.Stroke(action, size: size, softness: softness, points: points)
        let before = noise(width, height, &random)
        var after = before
        try TouchUpPainter(picture, workers: workers).draw([stroke], in: &after)
        let expected = oracle(stroke, on: before, pictureWidth: width, pictureHeight: height)
        for (y, x) in product(0..<height, 0..<width) {
          let difference = abs(after[x, y] - expected[y * width + x])
          // At a hard edge a rounding error of the distance changes the strength fully.
          #expect(difference < 2e-3, "\(stroke) at \(x), \(y): \(after[x, y]), not \(expected[y * width + x])")
        }
      }
    }
  }

  /// A picture of two colours; the subject has the left one.
  private func halves(_ width: Int, _ height: Int, border: Int) -> Image {
    var picture = Image(.rgb8, width: width, height: height, color: .jpeg)
    for y in 0..<height {
      var row = picture.mutableRow(y)
      for x in 0..<width {
        // Not flat: surfaces have some noise.
        let light = (x &* 7 &+ y &* 13) % 5
        let color = x < border ? [190, 120, 80] : [40, 90, 160]
        for c in 0..<3 { row[3 * x + c] = UInt8(color[c] + light) }
      }
    }
    return picture
  }

  @Test(arguments: [(200, 151), (401, 300), (1200, 900)])
  func strokesThatFollowEdgesEndAtThem(width: Int, height: Int) throws {
    let border = width / 2
    let painter = TouchUpPainter(halves(width, height, border: border), workers: workers)
    // The path runs at half the radius from the border.
    let size = 0.08
    let at = Double(border) / Double(width) - 0.5 * size * Double(max(width, height)) / Double(width)
    let points = stride(from: 0.2, through: 0.8, by: 0.02).map { SIMD2(at, $0) }
    for action in TouchUp.Stroke.Action.allCases {
      let isKept = action == .keep
      var matte = Matte(constant: isKept ? 0 : 1, width: width, height: height)
      try painter.draw(
        [TouchUp.Stroke(action, size: size, softness: 0.3, followsEdges: true, points: points)], in: &matte)
      func mean(_ columns: Range<Int>) -> Double {
        let rows = height * 3 / 10..<height * 7 / 10
        let sum = rows.reduce(0.0) { sum, y in sum + columns.reduce(0.0) { $0 + matte[$1, y] } }
        return sum / Double(rows.count * columns.count)
      }
      let reach = Int(size * Double(max(width, height)))
      let (inside, outside) = (mean(border - reach / 3..<border - 2), mean(border + reach / 5..<border + reach / 2))
      if isKept {
        #expect(inside > 0.93 && outside < 0.12, "\(inside) and \(outside)")
      } else {
        #expect(inside < 0.07 && outside > 0.88, "\(inside) and \(outside)")
      }
    }
  }

  @Test func strokesChangeNothingBeyondTheBrushAndOnlyInTheirDirection() throws {
    var random = SeededRandom(seed: 5)
    let (width, height) = (173, 131)
    let painter = TouchUpPainter(halves(width, height, border: 90), workers: workers)
    for (action, followsEdges) in product(TouchUp.Stroke.Action.allCases, [false, true]) {
      let stroke = TouchUp.Stroke(
        action, size: 0.1, softness: 0.5, followsEdges: followsEdges, points: [SIMD2(0.5, 0.4), SIMD2(0.6, 0.5)])
      let before = noise(width, height, &random)
      var after = before
      try painter.draw([stroke], in: &after)
      var changed = 0
      for (y, x) in product(0..<height, 0..<width) {
        let (old, new) = (before.q15[x, y], after.q15[x, y])
        if old != new { changed += 1 }
        if action == .keep { #expect(new >= old) } else { #expect(new <= old) }
        let point = SIMD2(Double(x) + 0.5, Double(y) + 0.5) / Double(width)
        let way = SIMD2(0.5, 0.4 * Double(height) / Double(width))
        let away = point - way - SIMD2(0.05, 0.038)
        if (away * away).sum().squareRoot() > 0.1 + 0.075 { #expect(old == new, "\(x), \(y)") }
      }
      #expect(changed > 100)
    }
  }

  /// The first stroke is below the second.
  @Test func strokesComeInTheirOrder() throws {
    let painter = TouchUpPainter(Image(.rgb8, width: 60, height: 60, color: .jpeg), workers: workers)
    let keep = TouchUp.Stroke(.keep, size: 0.2, softness: 0, points: [SIMD2(0.5, 0.5)])
    let erase = TouchUp.Stroke(.erase, size: 0.1, softness: 0, points: [SIMD2(0.5, 0.5)])
    for (strokes, middle) in [([keep, erase], 0.0), ([erase, keep], 1.0)] {
      var matte = Matte(constant: 0.5, width: 60, height: 60)
      try painter.draw(strokes, in: &matte)
      #expect(matte[30, 30] == middle && matte[2, 2] == 0.5)
    }
  }

  /// A coarse matte becomes finer, a fine one does not change.
  @Test func strokesAreFinerThanCoarseMattes() throws {
    let painter = TouchUpPainter(Image(.rgb8, width: 400, height: 300, color: .jpeg), workers: workers)
    #expect(painter.prepared(Matte(constant: 1, width: 40, height: 30)).width == 400)
    #expect(painter.prepared(Matte(constant: 1, width: 800, height: 600)).width == 800)
  }

  // MARK: - Files

  private let sample = TouchUp([
    TouchUp.Stroke(
      .keep, size: 0.02, softness: 0.5, followsEdges: true, points: [SIMD2(0.41, 0.2), SIMD2(0.43, 0.22)]),
    TouchUp.Stroke(.erase, size: 0.5, softness: 0, points: [SIMD2(0, 1)]),
  ])

  @Test func jsonIsReadAsItWasWritten() throws {
    let json = try sample.json()
    #expect(try TouchUp(json: json) == sample)
    let text = String(decoding: json, as: UTF8.self)
    #expect(text.contains(#""version":1"#) && text.contains(#""points":[0.41,0.2,0.43,0.22]"#), "\(text)")
    #expect(try TouchUp(json: TouchUp().json()).strokes.isEmpty)
  }

  @Test(
    arguments: [
      "", "[]", "{}", #"{"version": 1}"#, #"{"version": 2, "strokes": []}"#, #"{"version": 1, "strokes": [{}]}"#,
      #"{"version":1,"strokes":[{"does":"blur","size":0.1,"softness":0,"edges":true,"points":[0,0]}]}"#,
      #"{"version":1,"strokes":[{"does":"keep","size":0.1,"softness":0,"edges":true,"points":[0,0,1]}]}"#,
      #"{"version":1,"strokes":[{"does":"keep","size":0.1,"softness":0,"edges":true,"points":[]}]}"#,
      #"{"version":1,"strokes":[{"does":"keep","size":0,"softness":0,"edges":true,"points":[0,0]}]}"#,
      #"{"version":1,"strokes":[{"does":"keep","size":0.6,"softness":0,"edges":true,"points":[0,0]}]}"#,
      #"{"version":1,"strokes":[{"does":"keep","size":0.1,"softness":1.5,"edges":true,"points":[0,0]}]}"#,
      #"{"version":1,"strokes":[{"does":"keep","size":0.1,"softness":0,"edges":true,"points":[0,1.01]}]}"#,
      #"{"version":1,"strokes":[{"does":"keep","size":0.1,"softness":0,"edges":true,"points":[-0.01,0]}]}"#,
      #"{"version":1,"strokes":[{"does":"keep","size":1e999,"softness":0,"edges":true,"points":[0,0]}]}"#,
      #"{"version":1,"strokes":[{"does":"keep","size":0.1,"softness":0,"edges":true,"points":["0",0]}]}"#,
    ])
  func whatIsNoTouchUpIsRefused(text: String) {
    #expect(throws: BackdropError.self) { try TouchUp(json: Array(text.utf8)) }
  }

  @Test func thereAreLimits() throws {
    let one = SIMD2(0.5, 0.5)
    func kind(_ touchUp: TouchUp) -> BackdropError.Kind? { refusal { try touchUp.check() }?.kind }
    let point = TouchUp.Stroke(.keep, size: 0.1, points: [one])
    #expect(kind(TouchUp(Array(repeating: point, count: TouchUp.maximumStrokes))) == nil)
    #expect(kind(TouchUp(Array(repeating: point, count: TouchUp.maximumStrokes + 1))) == .overLimit)
    let long = TouchUp.Stroke(.keep, size: 0.1, points: Array(repeating: one, count: TouchUp.maximumPointsOfStroke))
    #expect(kind(TouchUp([long])) == nil)
    #expect(kind(TouchUp(Array(repeating: long, count: 13))) == .overLimit)
    let longer = TouchUp.Stroke(
      .keep, size: 0.1, points: Array(repeating: one, count: TouchUp.maximumPointsOfStroke + 1))
    #expect(kind(TouchUp([longer])) == .overLimit)
    #expect(kind(TouchUp([TouchUp.Stroke(.keep, size: .nan, points: [one])])) == .badData)
    #expect(kind(TouchUp([TouchUp.Stroke(.keep, size: 0.1, points: [SIMD2(.nan, 0)])])) == .badData)
    let bytes = [UInt8](repeating: 32, count: TouchUp.maximumBytes + 1)
    #expect(throws: BackdropError.self) { try TouchUp(json: bytes) }
  }
}
