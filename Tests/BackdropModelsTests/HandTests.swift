import BackdropDepth
import BackdropImaging
import Foundation
import TestSupport
import Testing

@testable import BackdropModels

/// The steps round the hand networks, without them.
@Suite struct HandTests {
  /// A flat right hand of 100 pixels from the wrist at (100, 200) to the knuckle of the middle finger above it.
  private func hand(presence: Double = 1) -> HandShape {
    var joints: [SIMD2<Double>] = [SIMD2(100, 200)]
    joints += [SIMD2(65, 185), SIMD2(45, 160), SIMD2(35, 140), SIMD2(28, 122)]
    for (x, y) in [(75.0, 105.0), (100, 100), (120, 106), (138, 118)] {
      joints += (0..<4).map { SIMD2(x, y - 25 * Double($0)) }
    }
    return HandShape(presence: presence, joints: joints)
  }

  /// Grids of 24 and 12 cells; two anchors a cell in the first, three layers of two in the second: MediaPipe's 2016.
  @Test func anchors() {
    let anchors = DetectionAnchors.centers(size: 192, strides: HandLandmarks.design.strides)
    #expect(anchors.count == 2 * 24 * 24 + 6 * 12 * 12)
    #expect(anchors.first == SIMD2(0.5 / 24, 0.5 / 24) && anchors.last == SIMD2(11.5 / 12, 11.5 / 12))
  }

  /// Of a palm's seven points the first six are decoded, and nothing is written beyond them.
  @Test func sixPoints() throws {
    let values: [Float] = [0, 0, 96, 96] + (0..<14).map { 19.2 * Float($0) }
    let found = try #require(
      DetectionCandidate(
        values: values, valueCount: 18, logit: 0, anchor: SIMD2(0.5, 0.25), size: 192, minimumScore: 0.5))
    for i in 0..<12 { #expect(abs(found.places[4 + i] - (0.1 * Float(i) + (i % 2 == 0 ? 0.5 : 0.25))) < 1e-6) }
  }

  /// A palm that points to the right: its square is 2.6 times as large, and its middle half a palm further to the right.
  @Test func squaresTurnWithTheHand() throws {
    let palm = DetectedPalm(
      box: Rect(x: 90, y: 60, width: 20, height: 18), score: 1, wrist: SIMD2(90, 70), knuckle: SIMD2(110, 70))
    let square = try #require(TurnedSquare(palm))
    #expect(abs(square.center.x - 110) < 1e-9 && abs(square.center.y - 69) < 1e-9)
    #expect(abs(square.down.x + 52) < 1e-9 && abs(square.down.y) < 1e-9)
    #expect(abs(square.right.x) < 1e-9 && abs(square.right.y - 52) < 1e-9)
    let fingers = square.point(0.5, 0)
    #expect(fingers.x > square.center.x && abs(fingers.y - square.center.y) < 1e-9)
  }

  @Test(arguments: [(SIMD2(90.0, 70.0), 20.0), (SIMD2(110, 70), .nan), (SIMD2(.nan, 70), 20), (SIMD2(110, 70), 1e9)])
  func palmsWithoutASizeHaveNoSquare(knuckle: SIMD2<Double>, side: Double) {
    let palm = DetectedPalm(
      box: Rect(x: 90, y: 60, width: side, height: side), score: 1, wrist: SIMD2(90, 70), knuckle: knuckle)
    #expect(TurnedSquare(palm) == nil)
  }

  @Test func coversPalmAndFingers() {
    let hand = hand()
    // The palm is 100 long and 65 broad, so fingers are 0.12 · 70 thick to each side.
    #expect(hand.palmLength == 100 && abs(hand.fingerRadius - 8.4) < 1e-9)
    #expect(hand.coverage(at: SIMD2(100, 150), side: 1) == 1)
    #expect(hand.coverage(at: SIMD2(100, 40), side: 1) == 1)
    #expect(abs(hand.coverage(at: SIMD2(108.4, 50), side: 1) - 0.5) < 1e-6)
    #expect(hand.coverage(at: SIMD2(110, 50), side: 1) == 0)
    #expect(hand.coverage(at: SIMD2(100, 230), side: 1) == 0)
  }

  @Test func theSameHandIsOne() {
    let moved = HandShape(presence: 1, joints: hand().joints.map { $0 + SIMD2(30, 0) })
    let other = HandShape(presence: 1, joints: hand().joints.map { $0 + SIMD2(130, 0) })
    #expect(hand().isSame(as: moved) && !hand().isSame(as: other))
  }

  /// A map of a picture of 200 × 400, in a frame of its own, that shows an arm from below up to a row of the picture.
  private func arm(upTo row: Double, _ frame: Rect) -> ProbabilityMap {
    var map = ProbabilityMap(width: 64, height: 96)
    for y in 0..<96 {
      for x in 0..<64 {
        let place = SIMD2(
          200 * (frame.x + frame.width * (Double(x) + 0.5) / 64),
          400 * (frame.y + frame.height * (Double(y) + 0.5) / 96))
        map.values[y * 64 + x] = abs(place.x - 100) < 30 && place.y >= row ? 0.9 : 0.1
      }
    }
    return map
  }

  /// A hand at the end of an arm is added, whatever part of the picture the map shows; one without an arm is somebody else's.
  @Test(arguments: [Rect(x: 0, y: 0, width: 1, height: 1), Rect(x: 0.05, y: 0.04, width: 0.8, height: 0.9)])
  func handsBelongToArms(frame: Rect) {
    let image = Image(.bgra8, width: 200, height: 400)
    let before = arm(upTo: 200, frame)
    let (after, count) = before.adding([hand()], in: frame, of: image)
    #expect(count == 1)
    for y in 0..<96 {
      for x in 0..<64 {
        let place = SIMD2(
          200 * (frame.x + frame.width * (Double(x) + 0.5) / 64),
          400 * (frame.y + frame.height * (Double(y) + 0.5) / 96))
        let step = max(200 * frame.width / 64, 400 * frame.height / 96)
        let wanted = max(before.values[y * 64 + x], Float(hand().coverage(at: place, side: step)))
        #expect(abs(after.values[y * 64 + x] - wanted) < 1e-5)
      }
    }
    let apart = arm(upTo: 330, frame)
    let (same, none) = apart.adding([hand()], in: frame, of: image)
    #expect(none == 0 && same.values == apart.values)
  }

  /// Hands beyond the map, and maps without samples, change nothing.
  @Test func handsOutsideChangeNothing() {
    let image = Image(.bgra8, width: 200, height: 400)
    let frame = Rect(x: 0, y: 0.7, width: 1, height: 0.3)
    let map = arm(upTo: 0, frame)
    #expect(map.adding([hand()], in: frame, of: image).map.values == map.values)
    let far = HandShape(presence: 1, joints: hand().joints.map { $0 * 1e5 })
    #expect(map.adding([far], in: frame, of: image).count == 0)
    #expect(ProbabilityMap(width: 0, height: 0).adding([hand()], in: frame, of: image).count == 0)
  }
}
