import BackdropImaging
import Foundation
import TestSupport
import Testing

@testable import BackdropCodecs

/// Animations of every kind, read back by Pillow.
@Suite struct AnimationTests {
  static let hasPillow = OutsideTool.succeeds(
    OutsideTool.python, ["-c", "from PIL import features; assert features.check('webp')"])

  /// Pillow's result: the number of plays, and each picture's duration in milliseconds and pixels with alpha.
  struct Shown {
    var plays: String
    var times: [Double] = []
    var pictures: [[UInt8]] = []
  }

  static func shown(_ bytes: [UInt8], _ kind: AnimationKind) throws -> Shown {
    let folder = TemporaryFolder()
    // Pillow recognizes kinds by content, not by name.
    let file = try folder.write(bytes, "x." + kind.fileExtension)
    let script = """
      import sys
      from PIL import Image
      i = Image.open(sys.argv[1])
      print(i.info.get('loop', 'none'))
      for k in range(getattr(i, 'n_frames', 1)):
          i.seek(k); i.load()
          print(i.info.get('duration', 0), i.convert('RGBA').tobytes().hex())
      """
    let lines = try OutsideTool.text(OutsideTool.python, ["-c", script, file]).split(separator: "\n")
    var result = Shown(plays: String(lines.first ?? ""))
    for line in lines.dropFirst() {
      let parts = line.split(separator: " ")
      result.times.append(Double(parts[0]) ?? -1)
      var pixels: [UInt8] = []
      var rest = parts[1].utf8[...]
      while let high = rest.popFirst(), let low = rest.popFirst() {
        pixels.append(UInt8(String(decoding: [high, low], as: UTF8.self), radix: 16) ?? 0)
      }
      result.pictures.append(pixels)
    }
    return result
  }

  /// A square of one colour on another or on nothing, farther to the right in each picture; every fourth repeats the previous one.
  static func picture(_ number: Int, _ width: Int, _ height: Int, alpha: Bool) -> Image {
    let at = number % 4 == 3 ? number - 1 : number
    var image = Image.drawn(.rgba8, width, height, color: .jpeg) { x, y in
      let isInside = x >= at && x < at + max(1, width / 3) && y >= height / 4
      return isInside ? [250, 20, 30, 255] : alpha ? [0, 0, 0, 0] : [40, 200, 60, 255]
    }
    image.alpha = alpha ? .straight : .opaque
    return image
  }

  @Test(
    .enabled(if: hasPillow, "needs Pillow"), arguments: AnimationKind.allCases, [(1, 1), (7, 5), (64, 48)])
  func picturesAndTimesComeBack(kind: AnimationKind, size: (Int, Int)) throws {
    for alpha in [false, true] {
      var settings = AnimationSettings(width: size.0, height: size.1, timeBase: Rational(1, 100))
      (settings.keepsAlpha, settings.isLossless, settings.plays) = (alpha, kind.canBeLossless, 3)
      var writer = try kind.writer(settings)
      let ends: [Int64] = [8, 20, 23, 60, 160]
      for (number, end) in ends.enumerated() {
        try writer.append(
          Self.picture(number, size.0, size.1, alpha: alpha), from: number == 0 ? 0 : ends[number - 1], to: end)
      }
      let shown = try Self.shown(writer.whole(), kind)
      // A GIF stores the number of repetitions.
      #expect(shown.plays == (kind == .gif ? "2" : "3"))
      #expect(shown.times == [80, 120, 30, 370, 1000], "\(kind) \(alpha)")
      try #require(shown.pictures.count == 5)
      for (number, pixels) in shown.pictures.enumerated() {
        let wanted = Self.picture(number, size.0, size.1, alpha: alpha).packedBytes
        for offset in stride(from: 0, to: wanted.count, by: 4) {
          #expect(pixels[offset + 3] == wanted[offset + 3], "\(kind) alpha of \(number) at \(offset / 4)")
          guard wanted[offset + 3] > 0 else { continue }
          #expect(pixels[offset..<offset + 3] == wanted[offset..<offset + 3], "\(kind) \(number) at \(offset / 4)")
        }
      }
    }
  }

  /// Pictures at 30000/1001 a second have their own fraction in an animated PNG; elsewhere rounding errors must not accumulate.
  @Test(.enabled(if: hasPillow, "needs Pillow"), arguments: AnimationKind.allCases) func timesDoNotDrift(
    kind: AnimationKind
  ) throws {
    var settings = AnimationSettings(width: 8, height: 8, timeBase: Rational(1001, 30_000))
    settings.plays = 1
    var writer = try kind.writer(settings)
    for number in 0..<60 {
      try writer.append(
        Self.picture(number % 6, 8, 8, alpha: false), from: Int64(number), to: Int64(number) + 1)
    }
    let shown = try Self.shown(writer.whole(), kind)
    #expect(shown.times.count == 60)
    let sum: Double = shown.times.reduce(0, +)
    let tolerance = kind == .gif ? 5 : 0.6
    #expect(abs(sum - 2002) <= tolerance, "\(kind)")
    if kind == .apng { #expect(shown.times.allSatisfy { abs($0 - 1001 / 30.0) < 1e-6 }) }
    // Without the extension a GIF is played once.
    #expect(shown.plays == (kind == .gif ? "none" : "1"))
  }

  /// Around one half a pattern decides; below a quarter everything is clear, above three quarters everything is solid.
  @Test(.enabled(if: hasPillow, "needs Pillow")) func halfTransparencyOfGIFs() throws {
    var settings = AnimationSettings(width: 256, height: 16, timeBase: Rational(1, 10))
    settings.keepsAlpha = true
    var image = Image.drawn(.rgba8, 256, 16, color: .jpeg) { x, _ in [200, 100, 50, x] }
    image.alpha = .straight
    var writer = try GIFWriter(settings)
    try writer.append(image, from: 0, to: 1)
    let pixels = try #require(try Self.shown(writer.whole(), .gif).pictures.first)
    let there: [Int] = (0..<256).map { x in
      (0..<16).count { y in pixels[4 * (y * 256 + x) + 3] == 255 }
    }
    #expect(there[..<60].allSatisfy { $0 == 0 } && there[196...].allSatisfy { $0 == 16 })
    let middle = there[100..<156].reduce(0, +)
    #expect(middle > 56 * 5 && middle < 56 * 11)
  }

  /// Readers return the number of plays, also from files of other programs.
  @Test(arguments: AnimationKind.allCases) func playsAreRead(kind: AnimationKind) throws {
    for plays in [0, 1, 2, 7] {
      var settings = AnimationSettings(width: 8, height: 8, timeBase: Rational(1, 10))
      settings.plays = plays
      var writer = try kind.writer(settings)
      try writer.append(Self.picture(0, 8, 8, alpha: false), from: 0, to: 1)
      let bytes = writer.whole()
      #expect(AnimationPlays.count(in: bytes) == plays)
      for length in 0..<bytes.count { _ = AnimationPlays.count(in: Array(bytes[..<length])) }
    }
    #expect(AnimationPlays.count(in: Array("no animation at all".utf8)) == nil)
  }

  @Test func refusesWhatItCannotDo() throws {
    for kind in AnimationKind.allCases {
      #expect(throws: BackdropError.self) {
        try kind.writer(AnimationSettings(width: 0, height: 4, timeBase: Rational(1, 10)))
      }
      var writer = try kind.writer(AnimationSettings(width: 4, height: 4, timeBase: Rational(1, 10)))
      #expect(throws: BackdropError.self) { try writer.append(Image(.rgb8, width: 5, height: 4), from: 0, to: 1) }
    }
    #expect(throws: BackdropError.self) {
      try WebPAnimationWriter(AnimationSettings(width: 16_384, height: 4, timeBase: Rational(1, 10)))
    }
  }
}
