import BackdropDepth
import BackdropImaging
import TestSupport
import Testing

@testable import BackdropDepth
@testable import BackdropMatting

/// Clean plates of known backgrounds.
@Suite struct PlateShotTests {
  private static let width = 80, height = 60

  /// A grey gradient with a white person in columns `person`, and the person's matte.
  private func frame(_ person: Range<Int>) -> (Image, Matte) {
    let image = Image.drawn(.rgb8, Self.width, Self.height) { x, _ in
      let grey = 2 * x
      return person.contains(x) ? [255, 255, 255] : (grey..<grey + 3).map { $0 }
    }
    let matte = Plane<UInt16>(width: Self.width, height: Self.height) { x, _ in person.contains(x) ? Matte.one : 0 }
    return (image, Matte(q15: matte))
  }

  /// People who walk through leave no trace, and neither does an area that the matte misses in one frame of ten.
  @Test func theBackgroundIsExactWhereItWasSeen() throws {
    let shot = PlateShot(width: Self.width, height: Self.height)
    for i in 0..<30 {
      var (image, matte) = frame((2 * i)..<(2 * i + 20))
      if i % 10 == 9 { matte = Matte(constant: 0, width: 80, height: 60) }
      if shot.wantsFrame { try shot.add(image, matte: matte) } else { shot.skipFrame() }
      image = matte.image
    }
    let result = try #require(shot.finish())
    #expect(result.unseen == 0 && result.frames == 30)
    #expect(result.image.alpha == .opaque)
    let (empty, _) = frame(0..<0)
    #expect(result.image.converted(to: .rgb8).packedBytes == empty.packedBytes)
  }

  /// An area that is always covered is transparent, with colours of its surroundings. Its width follows from the matte: the mean over three
  /// columns is above 2 % up to one column beyond the person.
  @Test func whatIsNeverSeenIsTransparent() throws {
    let shot = PlateShot(width: Self.width, height: Self.height)
    for _ in 0..<8 {
      let (image, matte) = frame(30..<50)
      try shot.add(image, matte: matte)
    }
    let result = try #require(shot.finish())
    #expect(abs(result.unseen - 22.0 / 80) < 1e-9)
    #expect(result.image.alpha == .straight)
    let row = result.image.row(20)
    for x in 0..<Self.width {
      #expect(row[4 * x + 3] == ((29..<51).contains(x) ? 0 : 255))
      #expect(row[4 * x] >= 2 * 0 && row[4 * x] <= 2 * 79, "no colour of the person")
    }
  }

  /// From five frames on, a single sighting is not enough: it may be at the edge of a person that the matte missed.
  @Test(arguments: [(4, true), (5, false)]) func oneSightingIsEnoughInAShortShot(_ count: Int, _ isEnough: Bool) throws
  {
    let shot = PlateShot(width: Self.width, height: Self.height)
    for index in 0..<count {
      let (image, matte) = frame(index == 0 ? 0..<0 : 30..<50)
      try shot.add(image, matte: matte)
    }
    #expect((try #require(shot.finish()).unseen == 0) == isEnough)
  }

  /// The shot thins out frames beyond the limit evenly: of 1000, it keeps every 32nd.
  @Test func longStreamsAreThinnedOut() throws {
    let shot = PlateShot(width: 4, height: 4)
    var added = 0
    for i in 0..<1000 {
      guard shot.wantsFrame else {
        shot.skipFrame()
        continue
      }
      let image = Image(gray: Plane<UInt8>(repeating: UInt8(i / 4), width: 4, height: 4))
      try shot.add(image, matte: Matte(constant: 0, width: 4, height: 4))
      added += 1
    }
    let result = try #require(shot.finish())
    #expect(added < 200 && (20...41).contains(result.frames))
    // The median of values that rise evenly to 249.
    #expect(abs(Int(result.image.row(0)[0]) - 125) <= 5)
    #expect(result.unstable == 1)
  }

  @Test func anotherSizeIsRefused() throws {
    let shot = PlateShot(width: 10, height: 10)
    #expect(throws: BackdropError.self) {
      try shot.add(Image(.gray8, width: 11, height: 10), matte: Matte(constant: 0, width: 1, height: 1))
    }
    #expect(shot.finish() == nil)
  }
}
