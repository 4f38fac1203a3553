import BackdropDepth
import BackdropImaging
import BackdropLooks
import TestSupport
import Testing

@testable import Backdrop

/// The light on the subject: its measurement, its effect, and its stability.
@Suite struct SubjectLightTests {
  private static let width = 320, height = 180
  /// The face of the person in the scene.
  private static let face = Rect(x: 130, y: 30, width: 60, height: 60)

  /// A person of one colour in front of a room of another, both R′G′B′ of 0…1.
  private func scene(
    _ skin: SIMD3<Double>, background: SIMD3<Double> = SIMD3(repeating: 0.5), at time: Double = 0,
    format: PixelFormat = .i420
  ) -> Scene {
    let image = Image.drawn(.rgb8, Self.width, Self.height, color: .jpeg) { x, y in
      let color = (100..<220).contains(x) && y >= 20 ? skin : background
      return (0..<3).map { Int(min(max(color[$0], 0), 1) * 255 + 0.5) }
    }
    return Scene(image: image.converted(to: format, color: .video), time: time)
  }

  private func evidence(hasFace: Bool = true, hasPerson: Bool = true) -> Evidence {
    var evidence = Evidence()
    guard hasPerson else { return evidence }
    var matte = Plane<UInt16>(repeating: 0, width: Self.width, height: Self.height)
    for y in 20..<Self.height { for x in 100..<220 { matte[x, y] = Matte.one } }
    (evidence.subject, evidence.subjectOrigin) = (Matte(q15: matte), .person)
    evidence.faces = hasFace ? [Self.face] : []
    return evidence
  }

  private func options(_ exposure: Double = 0, _ balance: Double = 0, _ key: Double = 0) -> SubjectLight {
    var options = SubjectLight()
    (options.exposure, options.whiteBalance, options.keyLight) = (exposure, balance, key)
    return options
  }

  private func luma(_ image: Image, _ x: Int, _ y: Int) -> Double {
    let row = image.converted(to: .rgb8, color: .jpeg).row(y)
    return (0.2126 * Double(row[3 * x]) + 0.7152 * Double(row[3 * x + 1]) + 0.0722 * Double(row[3 * x + 2])) / 255
  }

  /// Light skin of the ColorChecker (194, 150, 130), in light of a different strength.
  private func skin(_ factor: Double) -> SIMD3<Double> { SIMD3(194, 150, 130) / 255 * factor }

  @Test(arguments: [true, false]) func aDarkPersonIsBroughtToWhereFacesAreSeen(_ hasFace: Bool) {
    var light = LightFollower(options(1))
    let dark = scene(skin(0.3))
    let before = luma(dark.image, 160, 60)
    let lit = dark.image.relit(light.light(of: dark, evidence(hasFace: hasFace), isStill: true))
    let after = luma(lit, 160, 60)
    #expect(before < 0.21 && after > before * 1.5 && after <= LightFollower.goodLuma.upperBound, "\(before) → \(after)")
    // Half the strength is half the way.
    var half = LightFollower(options(0.5))
    let some = luma(dark.image.relit(half.light(of: dark, evidence(hasFace: hasFace), isStill: true)), 160, 60)
    #expect(abs(some - (before + after) / 2) < 0.02)
  }

  @Test(arguments: [0.65, 0.8, 1]) func goodLightStays(_ factor: Double) {
    var light = LightFollower(options(1, 1))
    let good = scene(skin(factor))
    #expect(light.light(of: good, evidence(), isStill: true).curve[0, 0] == 0)
  }

  /// The light does not turn near black into noise, and no value exceeds its limits.
  @Test func limits() {
    for (factor, red) in product(stride(from: 0.0, through: 1.3, by: 0.1), [0.6, 1, 1.6]) {
      var light = LightFollower(options(1, 1, 1))
      let one = scene(skin(factor) * SIMD3(red, 1, 1 / red), background: SIMD3(red, 1, 1 / red) * 0.5)
      let found = light.light(of: one, evidence(), isStill: true)
      let largest = (0..<found.curve.height).flatMap { y in (0..<found.curve.width).map { found.curve[$0, y] } }
      #expect(largest.allSatisfy { abs($0) <= 1.36 }, "\(factor)")
      for channel in 0..<3 { #expect((0.87...1.15).contains(found.balance[channel]), "\(found.balance)") }
    }
    var light = LightFollower(options(1))
    #expect(light.light(of: scene(SIMD3(repeating: 0.01)), evidence(), isStill: true).curve[0, 0] == 0)
  }

  /// White balance partly removes a warm cast over a grey room and a face; a red wall behind a face in white light is not a cast.
  @Test func whiteBalance() throws {
    let cast = SIMD3(1.15, 1, 0.8)
    let warm = scene(skin(0.75) * cast, background: SIMD3(repeating: 0.5) * cast)
    var light = LightFollower(options(0, 1))
    let balance = light.light(of: warm, evidence(), isStill: true).balance
    #expect(balance.x / balance.y < 0.97 && balance.z / balance.y > 1.04, "\(balance)")
    let wall = scene(skin(0.8), background: SIMD3(0.7, 0.2, 0.2))
    var other = LightFollower(options(0, 1))
    let shown = wall.image.relit(other.light(of: wall, evidence(), isStill: true))
    let reading = try #require(LightReading(shown, evidence())?.skin)
    #expect(LightFollower.skin.red.contains(reading.x) || abs(reading.x - LightFollower.skin.red.lowerBound) < 0.05)
    #expect(LightFollower.skin.blue.contains(reading.y) || abs(reading.y - LightFollower.skin.blue.upperBound) < 0.05)
  }

  /// Skin detection accepts published skin tones: all ten of Monk's scale (2019), and the ColorChecker's two.
  @Test func skinTones() {
    let tones = [
      0xf6ede4, 0xf3e7db, 0xf7ead0, 0xeadaba, 0xd7bd96, 0xa07e56, 0x825c43, 0x604134, 0x3a312a, 0x292420, 0x735244,
      0xc29682,
    ]
    for tone in tones {
      let color = SIMD3(Double(tone >> 16), Double(tone >> 8 & 255), Double(tone & 255)) / 255
      let one = scene(color, format: .rgb8)
      let reading = LightReading(one.image, evidence())?.skin
      #expect(
        reading.map { LightFollower.skin.red.contains($0.x) && LightFollower.skin.blue.contains($0.y) } ?? false,
        "\(tone)")
    }
  }

  /// With noise and a lamp that flickers by a fifth ten times a second, the light changes by less than a step of 256 from frame to frame.
  @Test func neverFlickers() {
    var random = SeededRandom(seed: 5)
    var light = LightFollower(options(1, 1))
    var last: SIMD3<Double>?
    var largest = 0.0
    for frame in 0..<300 {
      let flicker = 1 + 0.1 * (frame % 3 == 0 ? 1.0 : -1.0) + Double.random(in: -0.02...0.02, using: &random)
      _ = light.light(of: scene(skin(0.4 * flicker), at: Double(frame) / 30), evidence(), isStill: false)
      if let last { largest = max(largest, pointwiseMax(light.present - last, last - light.present).max()) }
      last = light.present
    }
    // k (1 − v) v is at most a quarter of k, so a change of k by 0.5 a second is at most 0.004 for each frame.
    #expect(largest / 4 <= 0.5 / 30 / 4 + 1e-9)
    // With a steady lamp, the picture is steady.
    for frame in 300..<600 { _ = light.light(of: scene(skin(0.4), at: Double(frame) / 30), evidence(), isStill: false) }
    let settled = light.present
    for frame in 600..<660 {
      _ = light.light(
        of: scene(skin(0.4 * Double.random(in: 0.98...1.02, using: &random)), at: Double(frame) / 30), evidence(),
        isStill: false)
      #expect(pointwiseMax(light.present - settled, settled - light.present).max() < 1e-9)
    }
  }

  /// If the person leaves the picture, the light fades slowly, not at once.
  @Test func nobody() {
    var light = LightFollower(options(1))
    for frame in 0..<60 { _ = light.light(of: scene(skin(0.3), at: Double(frame) / 30), evidence(), isStill: false) }
    let lit = light.present.x
    #expect(lit > 0.5)
    for frame in 60..<120 {
      _ = light.light(of: scene(skin(0.3), at: Double(frame) / 30), evidence(hasPerson: false), isStill: false)
    }
    #expect(light.present.x == lit, "it stays for two seconds")
    for frame in 120..<600 {
      _ = light.light(of: scene(skin(0.3), at: Double(frame) / 30), evidence(hasPerson: false), isStill: false)
    }
    #expect(abs(light.present.x) < 0.01)
  }

  /// The key light falls only on the person, brighter on the side of the light, and has no effect without a shape.
  @Test(arguments: [true, false]) func keyLight(_ hasDepth: Bool) throws {
    var one = scene(skin(0.8))
    if hasDepth {
      // A 25 cm cylinder in front of a wall, at 1 m.
      var metres = Plane<Float>(repeating: 3, width: 160, height: 90)
      for (y, x) in product(0..<90, 50..<110) {
        let off = (Float(x) - 79.5) / 30
        metres[x, y] = 1.25 - 0.25 * max(0, 1 - off * off).squareRoot()
      }
      one.depth = DepthMap(metres: metres)
    }
    var light = LightFollower(options(0, 0, 1))
    let found = light.light(of: one, evidence(), isStill: true)
    let lit = one.image.relit(found)
    // The key light comes from the left unless the face indicates otherwise.
    let (left, right) = (luma(lit, hasDepth ? 115 : 140, 60), luma(lit, hasDepth ? 205 : 185, 60))
    let before = luma(one.image, 160, 60)
    #expect(left > before + 0.02 && left > right + 0.03, "\(before): \(left), \(right)")
    #expect(abs(luma(lit, 20, 60) - luma(one.image, 20, 60)) < 0.005, "the room is not lit")
    var none = LightFollower(options(0, 0, 1))
    var flat = one
    flat.depth = nil
    #expect(none.light(of: flat, evidence(hasFace: false), isStill: true).isNeutral)
  }

  /// With any light, the picture equals the new background to the last step where the matte hides the real one. If the light has no effect,
  /// it says so.
  @Test func theRealBackgroundStaysHidden() throws {
    let stage = LookStage()
    let look = try #require(Look.named("backdrop"))
    let (usual, matte, findings) = try stage.draw(look, by: .depthWithFace)
    let lit = try stage.draw(look, by: .depthWithFace) { $0.light = self.options(1, 1, 1) }
    #expect(PictureDifference(lit.image, usual).map { $0.maximum > 2 } ?? false)
    let mask = matte.scaled(toWidth: usual.width, height: usual.height)
    for y in 0..<usual.height {
      let (one, other) = (usual.row(y), lit.image.row(y))
      for x in 0..<usual.width where x % 3 == 0 {
        // Matte samples extend slightly beyond their pixel.
        let near = [(-5, 0), (5, 0), (0, -5), (0, 5), (0, 0)].contains { dx, dy in
          let (u, v) = (min(max(x + dx, 0), usual.width - 1), min(max(y + dy, 0), usual.height - 1))
          return mask.q15[u, v] > 0
        }
        if near { continue }
        for channel in 0..<3 { #expect(one[4 * x + channel] == other[4 * x + channel], "\(x), \(y)") }
      }
    }
    let table = Renderer.Options.parameters
    let names = ["auto-exposure", "white-balance", "key-light"]
    let active = table.inactive(where: findings.facts(isStill: false, hasBackground: true))
    #expect(names.allSatisfy { active[$0] == nil })
    let none = table.inactive(where: Evidence().findings.facts(isStill: false, hasBackground: true))
    #expect(names.allSatisfy { none[$0] == .subject })
    let faceless = table.inactive(where: evidence(hasFace: false).findings.facts(isStill: false, hasBackground: true))
    #expect(faceless["key-light"] == .relief && faceless["auto-exposure"] == nil)
  }
}
