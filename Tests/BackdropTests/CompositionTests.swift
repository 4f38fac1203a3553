import BackdropLooks
import TestSupport
import Testing

@testable import Backdrop

@Suite struct CompositionTests {
  private let workers = WorkerPool(threads: 2)

  @Test func shapesAreThoseThatWereAskedFor() {
    var composition = Composition()
    #expect(composition.size(width: 4032, height: 3024) == (4032, 3024) && composition.keepsGeometry)
    for (aspect, wide, tall) in [
      (Composition.Aspect.square, (3024, 3024), (3024, 3024)), (.portrait, (2420, 3024), (3024, 3780)),
      (.tall, (1702, 3024), (2268, 4032)), (.wide, (4032, 2268), (3024, 1702)),
    ] {
      composition.aspect = aspect
      #expect(composition.size(width: 4032, height: 3024) == wide, "\(aspect)")
      #expect(composition.size(width: 3024, height: 4032) == tall, "\(aspect)")
      for (width, height) in [(1, 1), (2, 900), (33, 7)] {
        let size = composition.size(width: width, height: height)
        #expect(size.width >= 1 && size.height >= 1 && size.width <= width && size.height <= height)
      }
    }
  }

  private func subject(_ x: Range<Int>, _ y: Range<Int>, _ width: Int, _ height: Int) -> Matte {
    Matte(q15: Plane(width: width, height: height) { x.contains($0) && y.contains($1) ? 32768 : 0 })
  }

  /// For a person at the left of a wide picture, a square crop moves to the subject.
  @Test func theSubjectStaysInSight() {
    var composition = Composition()
    composition.aspect = .square
    let box = SubjectBox(subject(20..<80, 10..<100, 300, 100))
    let frame = composition.frame(width: 300, height: 100, subject: box, isFree: false)
    #expect(frame.y == 0 && frame.width == 300 && frame.height == 100)
    #expect(abs(frame.x + 50 - 50) < 1, "\(frame)")
    // A composition that shows the real background never leaves the picture.
    (composition.scale, composition.x) = (0.5, 1)
    let cropped = composition.frame(width: 300, height: 100, subject: box, isFree: false)
    #expect(cropped.width == 300 && cropped.x <= 0 && cropped.x + cropped.width >= 100)
    // In front of another background, the picture is smaller and at its chosen position.
    let free = composition.frame(width: 300, height: 100, subject: box, isFree: true)
    #expect(free.width == 150 && free.x == (100 - 150) / 2 + 100)
    // Without a chosen position, it stands on the lower edge.
    composition.x = nil
    let standing = composition.frame(width: 300, height: 100, subject: box, isFree: true)
    #expect(standing.y + standing.height == 100)
  }

  /// Draws a grey frame with a white square on green, with the square's matte and a changed composition.
  private func draw(_ change: (inout Composition) -> Void) throws -> (image: Image, rendering: Rendering) {
    let (width, height) = (200, 100)
    var image = Image(.rgb8, width: width, height: height, color: .jpeg)
    image.fill(RGBColor(red: 0.5, green: 0.5, blue: 0.5))
    for y in 20..<80 {
      var row = image.mutableRow(y)
      for x in 3 * 70..<3 * 130 { row[x] = 255 }
    }
    var evidence = Evidence()
    evidence.subject = subject(70..<130, 20..<80, width, height)
    evidence.subjectOrigin = .person
    evidence.independentMattes = [Evidence.CoarseMatte(evidence.subject)]
    var options = Renderer.Options()
    options.isStill = true
    change(&options.composition)
    let size = options.composition.size(width: width, height: height)
    let renderer = try Renderer(
      .backdrop, try Look.backdrop.settings(), width: width, height: height,
      background: try BackgroundSource("#00A000", width: size.width, height: size.height), options: options,
      workers: workers)
    var spare = Image(.rgb8, width: 1, height: 1)
    let rendering = renderer.render(Scene(image: image), evidence, into: &spare).rendering
    try #require(rendering.standing == .shown)
    #expect(rendering.image.width == size.width && rendering.image.height == size.height)
    return (rendering.image.converted(to: .rgb8), rendering)
  }

  /// The bounding box of everything that is not green.
  private func box(_ image: Image) -> IntegerRect {
    var (left, top, right, bottom) = (Int.max, Int.max, -1, -1)
    for y in 0..<image.height {
      let row = image.row(y)
      for x in 0..<image.width where row[3 * x] > 128 {
        (left, top, right, bottom) = (min(left, x), min(top, y), max(right, x), max(bottom, y))
      }
    }
    return IntegerRect(x: left, y: top, width: right - left + 1, height: bottom - top + 1)
  }

  @Test func theSubjectIsWhereItWasPut() throws {
    #expect(box(try draw { _ in }.image) == IntegerRect(x: 70, y: 20, width: 60, height: 60))
    let moved = box(try draw { ($0.x, $0.y) = (0.25, -0.1) }.image)
    #expect(moved == IntegerRect(x: 120, y: 10, width: 60, height: 60))
    let small = box(try draw { ($0.x, $0.y, $0.scale) = (0, 0, 0.5) }.image)
    #expect(
      abs(small.x - 85) <= 1 && abs(small.y - 35) <= 1 && abs(small.width - 30) <= 2 && abs(small.height - 30) <= 2)
    let large = box(try draw { ($0.x, $0.y, $0.scale) = (0, 0, 1.5) }.image)
    #expect(abs(large.width - 90) <= 2 && abs(large.height - 90) <= 2)
    let square = box(try draw { $0.aspect = .square }.image)
    #expect(abs(square.x - 20) <= 1 && square.width == 60)
    // With the subject completely outside, only the background remains.
    #expect(box(try draw { ($0.x, $0.scale) = (1, 0.2) }.image).width <= 0)
  }

  /// The guard never counts the real background as visible, wherever the subject is.
  @Test func independentMattesMoveAlong() throws {
    for (x, scale) in [(0.2, 1.0), (-0.2, 0.6), (0, 1.7)] {
      #expect(try draw { ($0.x, $0.y, $0.scale) = (x, 0, scale) }.rendering.exposedBackground < 0.01)
    }
  }

  @Test func shadowsFallOnTheBackgroundAlone() throws {
    let plain = try draw { _ in }.image
    let shaded = try draw { $0.shadow = 1 }.image
    func green(_ image: Image, _ x: Int, _ y: Int) -> Int { Int(image.row(y)[3 * x + 1]) }
    // The shadow darkens the area below the feet, but neither the distance nor the subject.
    #expect(green(shaded, 100, 81) < green(plain, 100, 81) * 3 / 4)
    #expect(green(shaded, 5, 5) == green(plain, 5, 5))
    #expect(shaded.row(50)[3 * 100] == plain.row(50)[3 * 100])
    let half = try draw { $0.shadow = 0.5 }.image
    #expect((green(shaded, 100, 81)..<green(plain, 100, 81)).contains(green(half, 100, 81)))
  }

  @Test func lightFollowsTheBackground() throws {
    func flat(_ color: RGBColor) -> Image {
      var image = Image(.rgb8, width: 40, height: 30, color: .jpeg)
      image.fill(color)
      return image
    }
    let (grey, matte) = (flat(RGBColor(red: 0.5, green: 0.5, blue: 0.5)), Matte(constant: 1, width: 4, height: 4))
    let red = try LightMatch(of: grey, matte: matte, to: flat(RGBColor(red: 0.56, green: 0.5, blue: 0.46)), strength: 1)
    #expect(red.gains.x > red.gains.y && red.gains.y > red.gains.z)
    let dark = try LightMatch(of: grey, matte: matte, to: flat(RGBColor(red: 0.1, green: 0.1, blue: 0.1)), strength: 1)
    #expect(dark.gains.x < 0.9 && abs(dark.gains.x - dark.gains.z) < 1e-6)
    let none = try LightMatch(of: grey, matte: matte, to: flat(RGBColor(red: 0.9, green: 0.1, blue: 0.1)), strength: 0)
    #expect(none.gains == SIMD3(repeating: 1) && none.apply(to: grey).row(0)[0] == grey.row(0)[0])
    #expect(red.apply(to: grey).row(3)[9] > grey.row(3)[9])
    // The result has the same colours for every channel order.
    let picture = red.apply(to: grey.converted(to: .bgra8)).converted(to: .rgb8)
    for c in 0..<3 { #expect(picture.row(7)[c] == red.apply(to: grey).row(7)[c]) }
  }
}
