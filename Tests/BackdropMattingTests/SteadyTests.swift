import BackdropImaging
import TestSupport
import Testing

@testable import BackdropMatting

@Suite struct SteadyTests {
  private func picture(_ value: (Int, Int) -> UInt8) -> Image {
    var plane = Plane<UInt8>(repeating: 0, width: 40, height: 30)
    for y in 0..<30 { for x in 0..<40 { plane[x, y] = value(x, y) } }
    return Image(gray: plane)
  }

  /// On a still picture a flickering matte comes close to its mean: a gain of 1/5 leaves flicker of ± 1/9 of its size.
  @Test func stillPartsConverge() throws {
    let smoother = MatteSmoother()
    let still = picture { x, y in UInt8(x * 3 + y) }
    var matte = Matte(constant: 0, width: 1, height: 1)
    for frame in 0..<60 {
      matte = Matte(constant: frame % 2 == 0 ? 0.4 : 0.6, width: 40, height: 30)
      try smoother.smooth(&matte, with: still)
    }
    // After an odd step: 0.5 + 0.1 · g / (2 − g) with g = 0.2.
    #expect(abs(matte[20, 15] - (0.5 + 0.1 / 9)) < 1e-3)
  }

  /// Where the picture changes, the matte is the new one in the same frame; elsewhere it hardly moves.
  @Test func changesPassAtOnce() throws {
    let smoother = MatteSmoother()
    var matte = Matte(constant: 0, width: 40, height: 30)
    try smoother.smooth(&matte, with: picture { _, _ in 60 })
    matte = Matte(constant: 1, width: 40, height: 30)
    try smoother.smooth(&matte, with: picture { x, _ in x < 6 ? 160 : 60 })
    #expect(matte[2, 15] > 0.999)
    #expect(abs(matte[30, 15] - 0.2) < 1e-3)
  }

  @Test func aSceneCutStartsAnew() throws {
    let smoother = MatteSmoother()
    var matte = Matte(constant: 0, width: 40, height: 30)
    try smoother.smooth(&matte, with: picture { _, _ in 20 })
    matte = Matte(constant: 0.7, width: 40, height: 30)
    let expected = matte.q15
    try smoother.smooth(&matte, with: picture { _, _ in 220 })
    #expect(matte.q15 == expected)
  }

  @Test func noStrengthChangesNothing() throws {
    let smoother = MatteSmoother(strength: 0)
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
    let smoother = MatteSmoother()
    let still = picture { x, _ in UInt8(5 * x) }.converted(to: format)
    var matte = Matte(constant: 0, width: 40, height: 30)
    try smoother.smooth(&matte, with: still)
    matte = Matte(constant: 1, width: 40, height: 30)
    try smoother.smooth(&matte, with: still)
    #expect(abs(matte[20, 15] - 0.2) < 1e-3)
  }

  @Test func refusesAnotherSize() {
    var matte = Matte(constant: 0, width: 41, height: 30)
    #expect(throws: BackdropError.self) { try MatteSmoother().smooth(&matte, with: picture { _, _ in 0 }) }
  }
}
