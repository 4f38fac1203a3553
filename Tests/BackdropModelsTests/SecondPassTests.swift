import BackdropDepth
import BackdropImaging
import BackdropMatting
import TestSupport
import Testing

@testable import BackdropModels

/// A stand-in for a network that takes bright areas of its picture for a person.
private final class BrightnessNetwork: PersonSegmenting {
  private(set) var small = Image(.bgra8, width: 64, height: 64)
  private(set) var looks: [(picture: Image, frame: IntegerRect?)] = []
  let isAveraged = true
  let hasMemory = false
  func load(_ image: Image, frame: IntegerRect?) {
    looks.append((image, frame))
    small = image
  }
  func run(into matte: inout Matte) {
    var opacities = Plane<UInt16>(repeating: 0, width: small.width, height: small.height)
    for y in 0..<small.height {
      let row = small.row(y)
      for x in 0..<small.width where row[4 * x] > 128 { opacities[x, y] = Matte.one }
    }
    matte = Matte(q15: opacities)
  }
  func reset() {}
}

@Suite struct SecondPassTests {
  private static let side = 64

  /// A picture with a bright left quarter.
  private static func picture() -> Image {
    Image.drawn(.bgra8, side, side) { x, _ in 4 * x < side ? [255, 255, 255, 255] : [20, 20, 20, 255] }
  }

  private static func blue(_ image: Image, _ x: Int) -> UInt8 {
    let row = image.row(0)
    return row[4 * x]
  }

  /// The second pass of the whole picture uses the mirror image and mirrors its result back: if both passes agree, nothing changes.
  @Test func usesTheMirrorImage() throws {
    let (secondPass, first, second) = (SecondPass(), BrightnessNetwork(), BrightnessNetwork())
    let image = Self.picture()
    let whole = IntegerRect(x: 0, y: 0, width: Self.side, height: Self.side)
    var matte = Matte(constant: 0, width: 1, height: 1)
    first.load(image, frame: whole)
    first.run(into: &matte)
    let likelihood = try #require(
      try secondPass.likelihood(of: image, whole, beside: matte, of: first, among: [first, second]))
    for y in 0..<Self.side { for x in 0..<Self.side { #expect(abs(likelihood.logLikelihoodRatios[x, y]) < 1e-4) } }
    #expect(secondPass.drainRunCount() == 2 && secondPass.drainRunCount() == 0)
    // The frame, its mirror image, and the frame again for its own result.
    try #require(first.looks.count == 3)
    let mirrored = first.looks[1].picture
    let (left, right) = (Self.blue(mirrored, 0), Self.blue(mirrored, Self.side - 1))
    #expect(left == 20 && right == 255)
    let now = Self.blue(first.small, 0)
    #expect(first.looks[2].frame == whole && now == 255)
    #expect(second.looks.count == 1 && secondPass.whole == nil)
  }

  /// The second pass of a part of the picture uses the whole picture, and the mirror image only when a shot begins; a single network that
  /// sees everything has no second pass.
  @Test func usesTheWholePicture() throws {
    let (secondPass, network) = (SecondPass(), BrightnessNetwork())
    let image = Self.picture()
    let whole = IntegerRect(x: 0, y: 0, width: Self.side, height: Self.side)
    let part = IntegerRect(x: 0, y: 0, width: 32, height: 32)
    var matte = Matte(constant: 0, width: 1, height: 1)
    network.load(image, frame: part)
    network.run(into: &matte)
    secondPass.begin()
    _ = try #require(try secondPass.likelihood(of: image, part, beside: matte, of: network, among: [network]))
    #expect(secondPass.whole != nil && secondPass.drainRunCount() == 2)
    #expect(network.looks.map(\.frame) == [part, nil, part, whole, part])
    for number in 1...10 {
      secondPass.begin()
      _ = try #require(try secondPass.likelihood(of: image, part, beside: matte, of: network, among: [network]))
      #expect(secondPass.drainRunCount() == (number == 10 ? 1 : 0))
    }
    #expect(network.looks.map(\.frame).suffix(2) == [whole, part])
    secondPass.begin()
    #expect(secondPass.whole == nil)
    #expect(try secondPass.likelihood(of: image, whole, beside: matte, of: network, among: [network]) == nil)
  }
}
