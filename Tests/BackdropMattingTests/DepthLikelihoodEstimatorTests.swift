import BackdropDepth
import BackdropImaging
import TestSupport
import Testing

@testable import BackdropMatting

@Suite struct DepthLikelihoodEstimatorTests {
  private static func depth(_ width: Int, _ height: Int, _ metres: (Int, Int) -> Float) -> DepthMap {
    DepthMap(metres: Plane(width: width, height: height, metres))
  }

  private static func joined(
    _ matte: Matte, _ depth: DepthMap, showing frame: IntegerRect? = nil, picture: (Int, Int) = (640, 360)
  ) throws -> Matte {
    var matte = matte
    let likelihood = try DepthLikelihoodEstimator().likelihood(
      of: matte, showing: frame, of: (picture.0, picture.1), depth: depth, cutoffMetres: 1)
    try MatteFusion().join(&matte, [likelihood])
    return matte
  }

  /// Away from edges and holes only depth decides, whatever the network says, at any pair of sizes.
  @Test(arguments: [(1, 1), (64, 48), (320, 240), (1000, 3)], [0.0, 0.3, 1])
  func depthDecidesWhereItIsSure(_ size: (Int, Int), _ opacity: Double) throws {
    let matte = Matte(constant: opacity, width: 64, height: 36)
    #expect(try Self.joined(matte, Self.depth(size.0, size.1) { _, _ in 0.7 }).coverage == 1)
    #expect(try Self.joined(matte, Self.depth(size.0, size.1) { _, _ in 1.01 }).coverage == 0)
  }

  @Test func theNetworkDecidesInHoles() throws {
    var random = SeededRandom(seed: 3)
    let matte = Matte(
      q15: Plane((0..<64 * 36).map { _ in UInt16.random(in: 0...32768, using: &random) }, width: 64, height: 36))
    let made = try Self.joined(matte, Self.depth(80, 60) { _, _ in .nan })
    #expect(zip(made.q15.samples, matte.q15.samples).allSatisfy { abs(Int($0) - Int($1)) <= 1 })
  }

  /// The person's left edge is two samples farther left than in the depth map, in a strip of holes.
  @Test func theNetworkDrawsTheEdge() throws {
    let plane = Plane<UInt16>(width: 256, height: 144) { x, _ in x >= 98 ? 32768 : 0 }
    let made = try Self.joined(
      Matte(q15: plane), Self.depth(256, 144) { x, _ in x < 94 ? 2 : x < 100 ? .nan : 0.7 })
    #expect(made[99, 70] > 0.9 && made[98, 70] > 0.9)
    #expect(made[97, 70] < 0.1 && made[90, 70] < 0.01)
    #expect(made[110, 70] == 1 && made[80, 70] == 0)
  }

  /// A strip of holes at one side of a near object is the sensor's shadow: the area is background, unless the network is sure. Strips of
  /// equal width at both sides, or a strip that reaches the picture's edge, have other causes.
  @Test func shadowsOfTheSensorAreBehind() throws {
    let uncertain = Matte(constant: 0.8, width: 256, height: 144)
    let shadow = Self.depth(256, 144) { x, _ in x < 60 || x > 200 ? 2 : x < 100 ? .nan : 0.7 }
    let made = try Self.joined(uncertain, shadow)
    #expect(made[80, 70] < 0.4 && made[120, 70] == 1 && made[230, 70] == 0)
    let mirrored = Self.depth(256, 144) { x, _ in shadow.metres[255 - x, 0] }
    #expect(try Self.joined(uncertain, mirrored)[255 - 80, 70] == made[80, 70])
    let sure = try Self.joined(Matte(constant: 1, width: 256, height: 144), shadow)
    #expect(sure[80, 70] > 0.8)
    let both = Self.depth(256, 144) { x, _ in x < 60 || x > 240 ? 2 : x < 100 || x > 200 ? .nan : 0.7 }
    #expect(abs(try Self.joined(uncertain, both)[80, 70] - 0.8) < 1e-3)
    let cut = Self.depth(256, 144) { x, _ in x > 200 ? 2 : x < 100 ? .nan : 0.7 }
    #expect(abs(try Self.joined(uncertain, cut)[80, 70] - 0.8) < 1e-3)
  }

  /// If the network does not know a near object, its edge stays where the depth map has it, at an opacity of one half.
  @Test func whatIsNoPersonKeepsItsEdge() throws {
    let made = try Self.joined(
      Matte(constant: 0, width: 256, height: 144), Self.depth(256, 144) { x, _ in x < 100 ? 2 : 0.7 })
    #expect(made[105, 70] == 1 && made[94, 70] == 0)
    #expect(abs(made[99, 70] + made[100, 70] - 1) < 1e-3)
  }

  /// A matte of a part of the picture uses that part of the map.
  @Test func aPartOfThePictureSeesItsDepth() throws {
    let near = Self.depth(320, 180) { x, _ in x < 160 ? 0.7 : 2 }
    let matte = Matte(constant: 0.5, width: 64, height: 64)
    let left = IntegerRect(x: 0, y: 0, width: 300, height: 360)
    let right = IntegerRect(x: 340, y: 0, width: 300, height: 360)
    #expect(try Self.joined(matte, near, showing: left).coverage == 1)
    #expect(try Self.joined(matte, near, showing: right).coverage == 0)
  }

  @Test func agreementIsThePartOfWhatIsNear() throws {
    let estimator = DepthLikelihoodEstimator()
    let plane = Plane<UInt16>(width: 100, height: 50) { x, _ in x < 25 ? 32768 : 0 }
    _ = try estimator.likelihood(
      of: Matte(q15: plane), of: (200, 100), depth: Self.depth(100, 50) { x, _ in x < 50 ? 0.5 : 3 }, cutoffMetres: 1)
    #expect(abs(estimator.agreement - 0.5) < 1e-6)
  }

  @Test func refusesWhatItCannotUse() {
    let matte = Matte(constant: 0, width: 4, height: 4)
    #expect(throws: BackdropError.self) {
      try Self.joined(matte, DepthMap(metres: Plane(repeating: 0, width: 0, height: 0)))
    }
    #expect(throws: BackdropError.self) {
      try Self.joined(matte, DepthMap(metres: Plane(repeating: 1, width: 4, height: 4), isRegistered: false))
    }
    #expect(throws: BackdropError.self) {
      try Self.joined(
        matte, Self.depth(4, 4) { _, _ in 1 }, showing: IntegerRect(x: 600, y: 0, width: 100, height: 100))
    }
  }
}
