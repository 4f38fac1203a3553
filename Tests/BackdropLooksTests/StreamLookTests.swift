import BackdropDepth
import BackdropImaging
import BackdropMatting
import Foundation
import TestSupport
import Testing

@testable import BackdropLooks

/// Looks that draw a stream's frames in another way than photos.
@Suite struct StreamLookTests {
  static let looks: [Look] = [.bokeh, .parallax, .anaglyph, .sideBySide]

  /// A red subject with a soft edge in front of grey stripes.
  static func scene(_ width: Int, _ height: Int, format: PixelFormat = .rgb8, left: Double? = nil) throws
    -> (frame: Image, behind: Image, matte: Matte)
  {
    var behind = Image(format, width: width, height: height)
    let step = format == .rgb8 ? 3 : 4
    for y in 0..<height {
      var row = behind.mutableRow(y)
      for x in 0..<width { for c in 0..<step { row[step * x + c] = c == 3 ? 255 : y / 6 % 2 == 0 ? 70 : 130 } }
    }
    let middle = left ?? Double(width) / 2
    let plane = Plane<UInt16>(width: width, height: height) { x, y in
      let away = hypot(Double(x) - middle, Double(y - height / 2)) - Double(height) / 4
      return UInt16(min(max(0.5 - away / 4, 0), 1) * 32768)
    }
    let red = Image(RGBColor(red: 0.98, green: 0.04, blue: 0.04), format, width: width, height: height)
    return (try red.blended(over: behind, mask: plane), behind, Matte(q15: plane))
  }

  static func compositor(
    _ look: Look, _ values: [String: Double] = [:], like frame: Image, threads: Int = 2, cpu: CPULevel = .current
  ) throws -> Compositor {
    let made = try Compositor(
      look, settings: try look.settings(values), width: frame.width, height: frame.height, format: frame.format,
      workers: WorkerPool(threads: threads), cpu: cpu)
    made.estimatesForeground = true
    return made
  }

  /// A frame drawn with two distances, as in a stream without depth.
  static func draw(_ compositor: Compositor, _ frame: Image, _ subject: Matte) throws -> Image {
    var output = Image(.gray8, width: 1, height: 1)
    let disparity = NormalizedDisparity(subject: subject, side: 384)
    let matte = try compositor.look.matte(compositor.settings, from: disparity) ?? subject
    try compositor.render(frame, matte: matte, disparity: disparity, subject: subject, into: &output)
    return output
  }

  // MARK: - What stays

  @Test(arguments: looks, [PixelFormat.rgb8, .bgra8, .rgba8])
  func aConstantPictureStays(look: Look, format: PixelFormat) throws {
    for (width, height) in [(1, 1), (2, 1), (3, 5), (16, 9), (33, 47), (130, 71)] {
      for cpu in CPULevel.supported {
        var frame = Image(format, width: width, height: height)
        frame.fill(RGBColor(red: 0.7, green: 0.3, blue: 0.2))
        for focus in [0, 0.5, 1] {
          let compositor = try Self.compositor(look, ["focus": focus], like: frame, cpu: cpu)
          let drawn = try Self.draw(compositor, frame, try Self.scene(width, height).matte)
          let wide = Image(RGBColor(red: 0.7, green: 0.3, blue: 0.2), format, width: drawn.width, height: drawn.height)
          let worst = zip(drawn.packedBytes, wide.packedBytes).map { abs(Int($0) - Int($1)) }.max() ?? 0
          #expect(worst <= 1, "\(look.id) \(width)×\(height) focus \(focus) on \(cpu)")
        }
      }
    }
  }

  /// Measured depth that is flat and in focus leaves nothing to draw; without shift, nothing moves.
  @Test(arguments: CPULevel.supported) func nothingChangesWithoutDepthOrShift(cpu: CPULevel) throws {
    var random = SeededRandom(seed: 12)
    let frame = Image.noise(.rgb8, 75, 41, &random)
    let flat = NormalizedDisparity(values: Plane(repeating: 0.5, width: 30, height: 20))
    for look in Self.looks {
      let compositor = try Self.compositor(look, ["focus": 0.5], like: frame, cpu: cpu)
      var output = Image(.gray8, width: 1, height: 1)
      let matte = Matte(constant: 1, width: 1, height: 1)
      try compositor.render(frame, matte: matte, disparity: flat, into: &output)
      try Self.expectSame(output, frame, look)
      guard look.id != "bokeh" else { continue }
      let still = try Self.compositor(look, ["shift": 0], like: frame, cpu: cpu)
      try Self.expectSame(try Self.draw(still, frame, try Self.scene(75, 41).matte), frame, look)
    }
  }

  private static func expectSame(_ drawn: Image, _ frame: Image, _ look: Look) throws {
    for x in stride(from: 0, to: drawn.width, by: frame.width) {
      let part = try drawn.cropped(x: x, y: 0, width: frame.width, height: frame.height)
      #expect(part.packedBytes == frame.packedBytes, "\(look.id)")
    }
  }

  /// Where its matte is 1, a subject in focus is the frame itself; a viewpoint leaves a subject in its zero plane.
  @Test(arguments: looks, CPULevel.supported) func theSubjectInFocusStays(look: Look, cpu: CPULevel) throws {
    var random = SeededRandom(seed: 3)
    let frame = Image.noise(.bgra8, 200, 120, &random)
    let matte = try Self.scene(200, 120).matte
    let drawn = try Self.draw(try Self.compositor(look, ["focus": 1], like: frame, cpu: cpu), frame, matte)
    let inner = try matte.q15.eroded(.square(radius: 1))
    for (y, x) in product(0..<120, 0..<200) where inner[x, y] == Matte.one {
      for c in 0..<4 {
        #expect(drawn.row(y)[4 * x + c] == frame.row(y)[4 * x + c], "\(look.id) \(x) \(y) on \(cpu)")
      }
    }
  }

  // MARK: - What is behind

  /// Nothing of the subject's colour is seen away from it: neither in the blur nor where a view uncovers what it hid.
  @Test(arguments: CPULevel.supported) func theSubjectLeavesNoTrace(cpu: CPULevel) throws {
    let scene = try Self.scene(320, 180, format: .bgra8)
    let blurred = try Self.draw(
      try Self.compositor(.bokeh, ["focus": 1, "aperture": 1], like: scene.frame, cpu: cpu), scene.frame, scene.matte)
    try Self.expectNoRed(blurred, at: 160, "bokeh")
    let views = ViewSynthesizer(workers: WorkerPool(threads: 2), cpu: cpu)
    let disparity = NormalizedDisparity(subject: scene.matte, side: 384).values
    for (subject, move) in product([scene.matte, nil], [0.03, -0.03]) {
      try views.prepareFrame(scene.frame, disparity: disparity, subject: subject)
      var output = Image(.gray8, width: 1, height: 1)
      try views.render(x: move, y: 0, zeroPlane: 0, into: &output)
      try Self.expectNoRed(output, at: 160 + move * 320, "view \(move)")
      // The stripes of the wall stay in place.
      #expect(output.row(9)[4 * 20] == scene.frame.row(9)[4 * 20])
    }
  }

  private static func expectNoRed(_ image: Image, at middle: Double, _ name: String) throws {
    for y in 0..<image.height {
      let row = image.row(y)
      for x in 0..<image.width
      where hypot(Double(x) - middle, Double(y - image.height / 2)) > Double(image.height) / 4 + 6 {
        #expect(Int(row[4 * x + 2]) - Int(row[4 * x + 1]) < 12, "\(name) \(x) \(y)")
      }
    }
  }

  /// Behind the subject lie colours alone: no patches are searched, which would bring the noise of the wall there.
  @Test func nothingIsSearchedForPatches() throws {
    var random = SeededRandom(seed: 9)
    var frame = Image.noise(.rgb8, 240, 160, &random)
    let matte = try Self.scene(240, 160).matte
    frame = try Image(RGBColor(red: 1, green: 0, blue: 0), .rgb8, width: 240, height: 160).blended(
      over: frame, mask: matte.q15)
    let divider = FrameDivider(workers: WorkerPool(threads: 1), cpu: .current)
    let layers = try divider.divide(frame, Plane(repeating: 0, width: 1, height: 1), matte, reusing: nil)
    var (sum, squares, count) = (0.0, 0.0, 0.0)
    for (y, x) in product(0..<160, 0..<240) where hypot(Double(x - 120), Double(y - 80)) < 30 {
      let value = Double(layers.far.row(y)[3 * x + 1])
      (sum, squares, count) = (sum + value, squares + value * value, count + 1)
    }
    // The wall's noise is even in 0…255: a variance of 255² / 12 = 5,419.
    #expect(squares / count - sum / count * sum / count < 100)
  }

  /// What the camera saw before somebody moved in front of it comes back; after a cut, nothing of it does.
  @Test func theBackgroundIsRemembered() throws {
    var random = SeededRandom(seed: 4)
    let room = Image.noise(.bgra8, 160, 96, &random), other = Image.noise(.bgra8, 160, 96, &random)
    let red = Image(RGBColor(red: 1, green: 0, blue: 0), .bgra8, width: 160, height: 96)
    let (start, end) = (try Self.scene(160, 96, left: 40).matte, try Self.scene(160, 96, left: 110).matte)
    let remembered = RememberedBackground()
    /// What is seen without the subject, and how much of it is unknown.
    func view(of room: Image, without subject: Matte) throws -> (picture: Image, unknown: Double) {
      var (hole, soft, _) = try BackgroundFill.widened(subject, 80, 48)
      let picture = remembered.view(try red.blended(over: room, mask: subject.q15), hole: &hole, soft: &soft)
      return (picture, Matte(q15: hole).coverage)
    }
    for _ in 0..<RememberedBackground.patience { _ = try view(of: room, without: start) }
    let seen = try view(of: room, without: end)
    #expect(seen.unknown == 0)
    for y in 0..<96 { for x in 4 * 80..<4 * 160 { #expect(seen.picture.row(y)[x] == room.row(y)[x]) } }
    // Uncovered for one frame only: not yet known.
    #expect(try view(of: room, without: start).unknown > 0)
    let cut = try view(of: other, without: end)
    #expect(cut.unknown == Matte(q15: try BackgroundFill.widened(end, 80, 48).hole).coverage)
    #expect(cut.picture.packedBytes == (try red.blended(over: other, mask: end.q15)).packedBytes)
  }

  // MARK: - Over time and beside photos

  /// A scene without movement does not flicker, and threads change nothing.
  @Test(arguments: looks) func aStaticSceneIsSteady(look: Look) throws {
    let scene = try Self.scene(161, 99, format: .bgra8)
    let compositor = try Self.compositor(look, like: scene.frame)
    let first = try Self.draw(compositor, scene.frame, scene.matte).packedBytes
    for _ in 0..<2 * Int(RememberedBackground.patience) {
      #expect(try Self.draw(compositor, scene.frame, scene.matte).packedBytes == first)
    }
    for threads in [1, 3] {
      let other = try Self.compositor(look, like: scene.frame, threads: threads)
      #expect(try Self.draw(other, scene.frame, scene.matte).packedBytes == first, "\(threads) threads")
    }
  }

  /// The picture is close to the one of a photo.
  @Test(arguments: looks + [.marching], [0.0, 0.5, 1]) func streamsLookLikePhotos(look: Look, focus: Double) throws {
    let scene = try PhotoLookTests.scene(240, 180)
    let values: [String: Double] = look.focusParameter == nil ? [:] : ["focus": focus, "aperture": 1.4]
    let known = values.filter { value in look.parameters.contains { $0.name == value.key } }
    var pictures: [[UInt8]] = []
    for isStill in [true, false] {
      let compositor = try Self.compositor(look, known, like: scene.frame)
      compositor.isStill = isStill
      pictures.append(try Self.draw(compositor, scene.frame, scene.matte).packedBytes)
    }
    let differences = zip(pictures[0], pictures[1]).map { Double($0) - Double($1) }
    let mean = differences.reduce(0) { $0 + $1 * $1 } / Double(differences.count)
    #expect(10 * log10(255 * 255 / max(mean, 1e-9)) > 30, "\(look.id): \(mean)")
  }
}
