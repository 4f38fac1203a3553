import BackdropDepth
import BackdropImaging
import TestSupport
import Testing

@testable import BackdropDepth
@testable import BackdropMatting

@Suite struct TemporalSmoothingTests {
  private func picture(_ value: (Int, Int) -> UInt8) -> Image {
    Image(gray: Plane(width: 40, height: 30, value))
  }

  /// A smoother with the change detection that it needs.
  private struct Stream {
    let smoother: MatteSmoother
    let change = PictureChange()

    init(strength: Double = 1) { smoother = MatteSmoother(strength: strength) }

    func smooth(_ matte: inout Matte, with picture: Image, showing frame: IntegerRect? = nil) throws(BackdropError) {
      try change.compare(picture, showing: frame)
      try smoother.smooth(&matte, with: change, showing: frame)
      change.remember()
    }
  }

  /// On a still picture a flickering matte approaches its mean: a gain of 1/5 leaves a flicker of ± 1/9 of its size.
  @Test func stillPartsConverge() throws {
    let smoother = Stream()
    let still = picture { x, y in UInt8(x * 3 + y) }
    var matte = Matte(constant: 0, width: 1, height: 1)
    for frame in 0..<60 {
      matte = Matte(constant: frame % 2 == 0 ? 0.4 : 0.6, width: 40, height: 30)
      try smoother.smooth(&matte, with: still)
    }
    // After an odd step: 0.5 + 0.1 · g / (2 − g) with g = 0.2.
    #expect(abs(matte[20, 15] - (0.5 + 0.1 / 9)) < 1e-3)
  }

  /// Where the picture changes, the new matte counts in the same frame; elsewhere the matte hardly changes.
  @Test func changesPassAtOnce() throws {
    let smoother = Stream()
    var matte = Matte(constant: 0, width: 40, height: 30)
    try smoother.smooth(&matte, with: picture { _, _ in 60 })
    matte = Matte(constant: 1, width: 40, height: 30)
    try smoother.smooth(&matte, with: picture { x, _ in x < 6 ? 160 : 60 })
    #expect(matte[2, 15] > 0.999)
    #expect(abs(matte[30, 15] - 0.2) < 1e-3)
  }

  @Test func aCutStartsAnew() throws {
    let smoother = Stream()
    var matte = Matte(constant: 0, width: 40, height: 30)
    try smoother.smooth(&matte, with: picture { _, _ in 20 })
    matte = Matte(constant: 0.7, width: 40, height: 30)
    let expected = matte.q15
    try smoother.smooth(&matte, with: picture { _, _ in 220 })
    #expect(matte.q15 == expected)
  }

  @Test func noStrengthChangesNothing() throws {
    let smoother = Stream(strength: 0)
    let still = picture { _, _ in 60 }
    for value in [0.1, 0.9, 0.3] {
      var matte = Matte(constant: value, width: 40, height: 30)
      let expected = matte.q15
      try smoother.smooth(&matte, with: still)
      #expect(matte.q15 == expected)
    }
  }

  @Test(arguments: [PixelFormat.bgra8, .rgb8, .i420, .nv12, .yuyv])
  func takesEveryFormat(_ format: PixelFormat) throws {
    let smoother = Stream()
    let still = picture { x, _ in UInt8(5 * x) }.converted(to: format)
    var matte = Matte(constant: 0, width: 40, height: 30)
    try smoother.smooth(&matte, with: still)
    matte = Matte(constant: 1, width: 40, height: 30)
    try smoother.smooth(&matte, with: still)
    #expect(abs(matte[20, 15] - 0.2) < 1e-3)
  }

  @Test func refusesAnotherSize() throws {
    let stream = Stream()
    var matte = Matte(constant: 0, width: 41, height: 30)
    try stream.smooth(&matte, with: picture { _, _ in 0 })
    #expect(throws: BackdropError.self) { try stream.smooth(&matte, with: picture { _, _ in 0 }) }
  }

  @Test func tellsStillFromMoving() throws {
    let change = PictureChange()
    try change.compare(picture { x, y in UInt8(x + y) })
    #expect(change.map == nil && !change.isStill && !change.isCut)
    change.remember()
    // Noise of one level everywhere.
    try change.compare(picture { x, y in UInt8(x + y + (x ^ y) % 2) })
    #expect(change.isStill)
    // A spot of 5×5 samples changes by 10 levels, against the remembered picture.
    try change.compare(picture { x, y in UInt8(x + y + (abs(x - 20) < 3 && abs(y - 10) < 3 ? 10 : 0)) })
    #expect(!change.isStill && !change.isCut)
    #expect(abs((change.map?[20, 10] ?? 0) - 10.0 / 255) < 1e-5)
    // Changes within a person do not count.
    var matte = Matte(constant: 0, width: 40, height: 30)
    #expect(abs((change.largest(outside: matte) ?? 0) - 10.0 / 255) < 1e-5)
    for y in 0..<20 { for x in 10..<30 { matte.q15[x, y] = Matte.one } }
    #expect(change.largest(outside: matte) == 0)
    #expect(change.largest(outside: Matte(constant: 0, width: 4, height: 3)) == nil)
    try change.compare(picture { _, _ in 255 })
    #expect(change.isCut && change.largest(outside: matte) == nil)
  }

  private static let speckles: [Double] = {
    var random = SeededRandom(seed: 11)
    return (0..<1200).map { _ in Double.random(in: 30...120, using: &random) }
  }()

  /// Stripes with a period of 16 and a person in the middle, with optional changes.
  private func moment(
    phase: Int = 0, speckled: Bool = false, light: Double = 1, offset: Double = 0, person: ClosedRange<Int> = 15...24,
    wears: Int = 180
  ) -> Image {
    picture { x, y in
      let isDark = (x + phase) / 8 % 2 != 0
      let background = speckled ? Self.speckles[y * 40 + x] : isDark ? 60 : 90
      let value = person.contains(x) && y >= 8 ? Double(wears + y % 4) : background
      return UInt8(value * light + offset)
    }
  }

  private func movement(_ now: Image) throws -> PictureChange.Movement {
    var matte = Matte(constant: 0, width: 40, height: 30)
    for y in 8..<30 { for x in 15..<25 { matte.q15[x, y] = Matte.one } }
    let change = PictureChange()
    #expect(change.movement(round: matte) == nil)
    try change.compare(moment())
    #expect(change.movement(round: matte) == nil)
    change.remember()
    try change.compare(now)
    // None of these pictures differs by 15 % on average, so the rule of the mean detects no cut.
    #expect(!change.isCut)
    return try #require(change.movement(round: matte))
  }

  /// A matte remains valid for another picture if only the person moved a little.
  @Test func aPersonWhoMoves() throws {
    #expect(try movement(moment()) == PictureChange.Movement())
    let step = try movement(moment(person: 16...24))
    #expect(step.isOfPeopleAlone && !step.isOtherShot && step.round > 0, "\(step)")
    // A change of light is not another shot, but the old matte is not valid either.
    let lamp = try movement(moment(light: 1.2, offset: 6))
    #expect(!lamp.isOfPeopleAlone && !lamp.isOtherShot, "\(lamp)")
  }

  /// Speckles instead of stripes are another room, and a person in another colour is another person. Both invalidate the old matte.
  @Test func anotherShot() throws {
    let cut = try movement(moment(speckled: true))
    #expect(!cut.isOfPeopleAlone && cut.isOtherShot, "\(cut)")
    let gone = try movement(moment(wears: 110))
    #expect(!gone.isOfPeopleAlone && !gone.isOtherShot, "\(gone)")
    let away = try movement(moment(person: 2...11))
    #expect(!away.isOfPeopleAlone, "\(away)")
  }

  /// A wall of blotches at 160×90 samples, seen by a camera that has turned by `shiftX` and `shiftY` samples.
  private func wall(seed: UInt64, x shiftX: Int = 0, y shiftY: Int = 0, light: Double = 1) -> Image {
    var random = SeededRandom(seed: seed)
    let blotches = (0..<40 * 30).map { _ in Double.random(in: 40...200, using: &random) }
    let plane = Plane<UInt8>(width: 160, height: 90) { x, y in
      UInt8(light * blotches[(y + shiftY + 60) / 8 * 40 + (x + shiftX + 60) / 8])
    }
    return Image(gray: plane)
  }

  /// A camera that turns shows the same wall at another position, also in other light; another wall is always a cut.
  @Test(arguments: [(3, 0), (20, 4), (-36, 0), (11, -18), (-25, 20)], [1.0, 0.75])
  func aSwingIsNoCut(_ shift: (x: Int, y: Int), _ light: Double) throws {
    for seed in 1...4 as ClosedRange<UInt64> {
      let change = PictureChange()
      try change.compare(wall(seed: seed))
      change.remember()
      try change.compare(wall(seed: seed, x: shift.x, y: shift.y, light: light))
      let swung = try #require(change.movement(round: nil))
      #expect(!swung.isOtherShot, "seed \(seed): \(swung)")
      #expect(swung.isShifted == (swung.other > 0.5 || change.isCut))
      try change.compare(wall(seed: seed + 100, x: shift.x, y: shift.y, light: light))
      let cut = try #require(change.movement(round: nil))
      #expect(cut.isOtherShot && !cut.isShifted, "seed \(seed): \(cut)")
    }
  }

  /// The same person in front of two different walls is in two shots: a person who does not move says nothing about the background.
  @Test func somebodyWhoStaysMakesNoShot() throws {
    var matte = Matte(constant: 0, width: 160, height: 90)
    for y in 20..<90 { for x in 50..<110 { matte.q15[x, y] = Matte.one } }
    let sitter = try wall(seed: 9).cropped(x: 50, y: 20, width: 60, height: 70)
    func before(_ seed: UInt64) -> Image {
      var image = wall(seed: seed)
      image.paste(sitter, x: 50, y: 20)
      return image
    }
    let change = PictureChange()
    try change.compare(before(1))
    change.remember()
    try change.compare(before(2))
    #expect(try #require(change.movement(round: matte)).isOtherShot)
  }

  /// The memory moves with the frame: a still scene counts as unchanged, wherever the frame is.
  @Test func remembersThroughAMovingFrame() throws {
    func view(_ frame: IntegerRect) -> Image {
      picture { x, y in
        let u = Double(frame.x) + (Double(x) + 0.5) / 40 * Double(frame.width)
        let v = Double(frame.y) + (Double(y) + 0.5) / 30 * Double(frame.height)
        return UInt8(20 + u / 4 + v / 8)
      }
    }
    let stream = Stream()
    let first = IntegerRect(x: 100, y: 60, width: 200, height: 150)
    let second = IntegerRect(x: 130, y: 50, width: 160, height: 180)
    var matte = Matte(constant: 0.5, width: 40, height: 30)
    try stream.smooth(&matte, with: view(first), showing: first)
    matte = Matte(constant: 1, width: 40, height: 30)
    try stream.smooth(&matte, with: view(second), showing: second)
    // Brightness is rounded to levels: at most a few per mille of change beyond the noise.
    #expect(abs(matte[20, 10] - 0.6) < 0.03)
    // The first frame did not cover the bottom, so the new matte counts.
    #expect(matte[20, 29] == 1)
  }
}
