import BackdropDepth
import BackdropImaging
import TestSupport
import Testing

@testable import BackdropModels

@Suite struct PersonFramingTests {
  /// The matte of a network that sees exactly these rectangles in that frame; all are parts of the picture.
  private func matte(of people: [Rect], in frame: Rect) -> Matte {
    let opacities = Plane<UInt16>(width: 256, height: 256) { x, y in
      let u = frame.x + (Double(x) + 0.5) / 256 * frame.width
      let v = frame.y + (Double(y) + 0.5) / 256 * frame.height
      let isPerson = people.contains { u >= $0.x && u < $0.x + $0.width && v >= $0.y && v < $0.y + $0.height }
      return isPerson ? Matte.one : 0
    }
    return Matte(q15: opacities)
  }

  @Test func staysWholeForNobodyAndForTheLarge() {
    var framing = PersonFraming()
    framing.follow(matte(of: [], in: framing.frame))
    #expect(framing.isWhole)
    framing.follow(matte(of: [Rect(x: 0.1, y: 0.02, width: 0.75, height: 0.98)], in: framing.frame))
    #expect(framing.isWhole)
  }

  /// The frame has a margin of three twentieths of the person's size on each side at once.
  @Test func framesTheSmall() {
    var framing = PersonFraming()
    framing.follow(matte(of: [Rect(x: 0.5, y: 0.25, width: 0.125, height: 0.5)], in: framing.frame))
    let expected = Rect(x: 0.48125, y: 0.175, width: 0.1625, height: 0.65)
    // Within one of the 64 samples of the search.
    for (found, wanted) in [
      (framing.frame.x, expected.x), (framing.frame.y, expected.y), (framing.frame.width, expected.width),
      (framing.frame.height, expected.height),
    ] { #expect(abs(found - wanted) < 0.025) }
  }

  /// The frame never cuts people who move by less than a twentieth of their size in each picture.
  @Test(arguments: 1...5 as ClosedRange<UInt64>)
  func neverCutsWhoMoves(_ seed: UInt64) {
    var random = SeededRandom(seed: seed)
    var person = Rect(x: 0.4, y: 0.3, width: 0.2, height: 0.4)
    var framing = PersonFraming()
    for step in 0..<60 {
      framing.follow(matte(of: [person], in: framing.frame))
      person.x = min(max(0, person.x + Double.random(in: -0.01...0.01, using: &random)), 0.8)
      person.y = min(max(0, person.y + Double.random(in: -0.02...0.02, using: &random)), 0.6)
      let frame = framing.frame
      #expect(
        !framing.isWhole && frame.x <= person.x && frame.y <= person.y && frame.x + frame.width >= person.x + 0.2
          && frame.y + frame.height >= person.y + 0.4, "seed \(seed), step \(step): \(frame) \(person)")
    }
  }

  /// The frame keeps head and feet of people who continue their movement, at nearly half of their size in each picture, three times the
  /// margin. They start slower than the margin, by half of the search's precision of a 64th, and speed up by the same amount.
  @Test(arguments: [(0.09, 0.0), (-0.09, 0), (0, 0.12), (0, -0.12), (0.07, 0.09)])
  func goesAlongWithTheFast(_ step: (x: Double, y: Double)) {
    var person = Rect(
      x: step.x < 0 ? 0.7 : step.x > 0 ? 0.1 : 0.4, y: step.y < 0 ? 0.65 : step.y > 0 ? 0.1 : 0.4, width: 0.2,
      height: 0.28)
    var framing = PersonFraming()
    framing.follow(matte(of: [person], in: framing.frame))
    // Only the second picture shows a direction.
    for (number, part) in [0.24, 0.5, 0.75, 1].enumerated() {
      person.x += part * step.x
      person.y += part * step.y
      let frame = framing.frame
      #expect(
        frame.x <= person.x && frame.y <= person.y && frame.x + frame.width >= person.x + person.width
          && frame.y + frame.height >= person.y + person.height, "picture \(number): \(frame) \(person)")
      framing.follow(matte(of: [person], in: framing.frame))
    }
  }

  @Test func findsWhoComesInElsewhere() {
    let first = Rect(x: 0.1, y: 0.3, width: 0.1, height: 0.3)
    var framing = PersonFraming()
    framing.follow(matte(of: [first], in: framing.frame))
    framing.check(matte(of: [first], in: PersonFrame.whole))
    #expect(!framing.isWhole)
    let second = Rect(x: 0.7, y: 0.3, width: 0.1, height: 0.3)
    framing.check(matte(of: [first, second], in: PersonFrame.whole))
    #expect(framing.isWhole)
  }

  @Test(arguments: [(1, 1), (2, 3), (7, 5), (641, 359), (1280, 720)])
  func regionsAreEvenAndInside(_ width: Int, _ height: Int) {
    var framing = PersonFraming()
    #expect(framing.region(width: width, height: height) == IntegerRect(x: 0, y: 0, width: width, height: height))
    framing.follow(matte(of: [Rect(x: 0.8, y: 0.7, width: 0.2, height: 0.3)], in: framing.frame))
    let region = framing.region(width: width, height: height)
    #expect(region.x % 2 == 0 && region.y % 2 == 0 && region.width > 0 && region.height > 0)
    #expect(region.x + region.width == width && region.y + region.height == height)
  }
}
