import BackdropDepth
import BackdropImaging
import TestSupport
import Testing

@testable import BackdropMatting

@Suite struct EdgeSmootherTests {
  private let whole = IntegerRect(x: 0, y: 0, width: 80, height: 60)

  private func picture(_ value: (Int, Int) -> Double) -> Image {
    Image(gray: Plane(width: 40, height: 30) { x, y in UInt8(value(x, y).rounded()) })
  }

  /// A matte of 80×60, twice as fine as the pictures.
  private func matte(_ value: (Int, Int) -> Double) -> Matte {
    Matte(q15: Plane(width: 80, height: 60) { x, y in UInt16((value(x, y) * 32768).rounded()) })
  }

  /// A smoother with the picture comparison that it needs.
  private struct Stream {
    let smoother: EdgeSmoother
    let change = PictureChange()

    init(strength: Double = 1) { smoother = EdgeSmoother(strength: strength) }

    func smooth(
      _ matte: Matte, with picture: Image, showing frame: IntegerRect? = nil
    ) throws(BackdropError) -> Matte {
      var matte = matte
      let frame = frame ?? IntegerRect(x: 0, y: 0, width: 80, height: 60)
      try change.compare(picture, showing: frame)
      try smoother.smooth(&matte, with: change, showing: frame, of: (80, 60))
      change.remember()
      return matte
    }
  }

  /// On a still picture, a new region appears at a tenth of its opacity, and a small step s counts 1 − 0.9 · s / 0.6.
  @Test func jumpsAreMistrustedAndStepsFollowed() throws {
    let still = picture { x, y in Double(x * 3 + y) }
    for (step, expected) in [(1.0, 0.1), (0.6, 0.06), (0.06, 0.06 * 0.91), (0.3, 0.3 * 0.55)] {
      let stream = Stream()
      for _ in 0..<12 { _ = try stream.smooth(matte { _, _ in 0 }, with: still) }
      let found = try stream.smooth(matte { _, _ in step }, with: still)
      #expect(abs(found[40, 30] - expected) < 1e-3, "step \(step): \(found[40, 30])")
    }
  }

  /// Initially the result is the mean of all mattes: a jump in the second frame counts half, in the third a third.
  @Test func beginsWithTheMean() throws {
    let still = picture { _, _ in 60 }
    let stream = Stream()
    _ = try stream.smooth(matte { _, _ in 0 }, with: still)
    #expect(abs(try stream.smooth(matte { _, _ in 1 }, with: still)[40, 30] - 0.5) < 1e-3)
    let third = try stream.smooth(matte { _, _ in 0 }, with: still)[40, 30]
    // The distrust of a step of 0.5 is 5/6, so 1 − 2/3 · 5/6 of it counts.
    #expect(abs(third - 0.5 * (1 - (1 - 2.0 / 3 * 5 / 6))) < 1e-3, "\(third)")
  }

  /// Where the picture changes, the new matte counts in the same frame; elsewhere the matte hardly changes.
  @Test func changesPassAtOnce() throws {
    let stream = Stream()
    for _ in 0..<12 { _ = try stream.smooth(matte { _, _ in 0 }, with: picture { _, _ in 60 }) }
    let found = try stream.smooth(matte { _, _ in 1 }, with: picture { x, _ in x < 10 ? 160 : 60 })
    #expect(found[4, 30] > 0.999)
    #expect(abs(found[60, 30] - 0.1) < 1e-3)
  }

  /// An edge that moves by a twentieth of a sample of the small picture in each frame changes the picture by less than its noise, but the
  /// movement accumulates: the matte must stay within a sample of it. The noise is ±2 levels, the edge has a contrast of 60.
  @Test func slowEdgesAreFollowed() throws {
    var random = SeededRandom(seed: 5)
    let stream = Stream()
    var found = matte { _, _ in 0 }
    var edge = 8.0
    for _ in 0..<240 {
      edge += 0.05
      func part(_ x: Int, _ position: Double) -> Double { min(max(Double(x) + 0.5 - position + 0.5, 0), 1) }
      let now = picture { x, _ in 80 + 60 * part(x, edge) + Double.random(in: -2...2, using: &random) }
      found = try stream.smooth(matte { x, _ in part(x, 2 * edge) }, with: now)
    }
    let seen = 80 - (0..<80).reduce(0.0) { $0 + found[$1, 30] }
    #expect(abs(seen - 2 * edge) < 1, "\(seen) for \(2 * edge)")
  }

  /// A region that is wrong in every third frame of a still picture flickers a third as much, without more opacity on average.
  @Test func flickerIsCalmed() throws {
    let still = picture { x, y in Double(x * 3 + y) }
    let stream = Stream()
    var (last, changes, sum) = (0.0, 0.0, 0.0)
    for frame in 0..<90 {
      let wrong = frame % 3 == 1 ? 1.0 : 0
      let found = try stream.smooth(matte { _, _ in wrong }, with: still)[40, 30]
      if frame >= 30 { (changes, sum) = (changes + abs(found - last), sum + found) }
      last = found
    }
    #expect(changes / 60 < 0.25 * 2 / 3, "\(changes / 60)")
    #expect(sum / 60 < 0.334, "\(sum / 60)")
  }

  /// Areas that the previous frame did not contain have no history, and the matte outside the frame does not change.
  @Test func followsAFrame() throws {
    func view(_ frame: IntegerRect) -> Image {
      picture { x, y in 40 + Double(frame.x) + (Double(x) + 0.5) / 40 * Double(frame.width) + Double(y) / 4 }
    }
    let (left, right) = (
      IntegerRect(x: 0, y: 0, width: 48, height: 60), IntegerRect(x: 20, y: 0, width: 48, height: 60)
    )
    let stream = Stream()
    for _ in 0..<12 { _ = try stream.smooth(matte { _, _ in 0 }, with: view(left), showing: left) }
    let found = try stream.smooth(matte { _, _ in 1 }, with: view(right), showing: right)
    #expect(found[10, 30] > 0.999, "outside of the frame")
    #expect(abs(found[34, 30] - 0.1) < 0.02, "seen before: \(found[34, 30])")
    #expect(found[60, 30] > 0.999, "not seen before")
  }

  @Test func noStrengthAndAResetChangeNothing() throws {
    let still = picture { _, _ in 60 }
    let (off, stream) = (Stream(strength: 0), Stream())
    for value in [0.1, 0.9, 0.3] {
      stream.smoother.reset()
      for each in [off, stream] {
        let given = matte { _, _ in value }
        #expect(try each.smooth(given, with: still).q15 == given.q15)
      }
    }
  }
}
