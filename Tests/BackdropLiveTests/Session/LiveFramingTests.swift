import BackdropDepth
import BackdropImaging
import TestSupport
import Testing

@testable import BackdropLive

/// Picture, depth and face stay together in frames of every shape: the test follows a bright, near square in one corner.
@Suite struct LiveFramingTests {
  private static func frame(width: Int, height: Int) -> Scene {
    func isNear(_ x: Int, _ y: Int) -> Bool { (40..<72).contains(x) && (24..<48).contains(y) }
    let image = Image.drawn(.bgra8, width, height) { x, y in isNear(x, y) ? [255, 255, 255, 255] : [0, 0, 0, 255] }
    let metres = Plane<Float>(width: width / 2, height: height / 2) { x, y in isNear(2 * x, 2 * y) ? 1 : 2 }
    let camera = Intrinsics(
      fx: 100, fy: 100, cx: Double(width) / 2, cy: Double(height) / 2, width: width, height: height)
    return Scene(
      image: image, depth: DepthMap(metres: metres, intrinsics: camera),
      faces: [Rect(x: 40, y: 24, width: 32, height: 24)])
  }

  @Test(arguments: 0..<4, [false, true]) func pictureDepthAndFaceStayTogether(turns: Int, mirror: Bool) throws {
    for (width, height) in [(192, 128), (96, 64), (128, 128), (256, 96)] {
      for fit in LiveSettings.Fit.allCases {
        var framing = LiveFraming(width: width, height: height, format: .i420)
        (framing.mirror, framing.turns, framing.fit) = (mirror, turns, fit)
        let result = try framing.apply(Self.frame(width: 192, height: 128), pool: ImagePool())
        #expect(result.image.width == width && result.image.height == height && result.image.format == .i420)
        let depth = try #require(result.depth)
        let gray = result.image.converted(to: .gray8)
        let (sx, sy) = (Double(depth.width) / Double(width), Double(depth.height) / Double(height))
        var (wrong, near) = (0, 0)
        for (y, x) in product(0..<depth.height, 0..<depth.width) {
          let (px, py) = (Int((Double(x) + 0.5) / sx), Int((Double(y) + 0.5) / sy))
          let isNear = depth.metres[x, y] == 1
          let isBright = gray[px, py] > 128
          if isNear { near += 1 }
          if isNear != isBright { wrong += 1 }
        }
        // A row of depth samples along the square's edge may lie on either side.
        let slack = 2 * Int((Double(56) * max(sx, 1)).rounded(.up))
        #expect(wrong <= slack, "\(width)×\(height) \(fit) turned \(turns), mirrored \(mirror): \(wrong) of \(near)")
        let face = try #require(result.faces?.first)
        let middle = face.center
        if near > 50, middle.x > 0, middle.y > 0, middle.x < Double(width), middle.y < Double(height) {
          #expect(gray[Int(middle.x), Int(middle.y)] > 128)
        }
      }
    }
  }

  @Test func aMirroredTurnIsTheTurnMirrored() throws {
    for turns in 0..<4 {
      var framing = LiveFraming(width: turns % 2 == 0 ? 192 : 128, height: turns % 2 == 0 ? 128 : 192, format: .bgra8)
      framing.turns = turns
      let plain = try framing.apply(Self.frame(width: 192, height: 128), pool: ImagePool()).image
      framing.mirror = true
      let mirrored = try framing.apply(Self.frame(width: 192, height: 128), pool: ImagePool()).image
      var differences = 0
      for y in 0..<plain.height {
        let (a, b) = (plain.row(y), mirrored.row(y))
        for x in 0..<plain.width where a[4 * x] != b[4 * (plain.width - 1 - x)] { differences += 1 }
      }
      #expect(differences == 0, "\(turns) turns")
    }
  }
}

extension Image {
  fileprivate subscript(x: Int, y: Int) -> UInt8 { row(y)[x] }
}
