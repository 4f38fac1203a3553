import BackdropDepth
import BackdropImaging
import TestSupport
import Testing

@testable import BackdropLive

@Suite struct AutoFramingTests {
  private let width = 1280, height = 720

  private func face(_ x: Double, _ y: Double, _ size: Double) -> [Rect] {
    [Rect(x: x - size / 2, y: y - size / 2, width: size, height: size)]
  }

  /// Lets time pass, with the faces of each moment from `faces`; returns all views.
  private func run(
    _ framing: inout AutoFraming, from start: Double = 0, seconds: Double, _ faces: (Double) -> [Rect]
  ) -> [AutoFraming.View] {
    stride(from: start, to: start + seconds, by: 1 / 30).map { time in
      if Int((time * 30).rounded()) % 8 == 0 { framing.see(faces(time), width: width, height: height, at: time) }
      framing.move(to: time)
      return framing.view
    }
  }

  /// At rest the face takes 0.3 of the visible height, 0.42 from its top; a small one is magnified 1.8 times at most.
  @Test(arguments: [(180.0, 1.2), (60, 1.8)]) func theFaceHasItsSizeAndPosition(size: Double, zoom: Double) {
    var framing = AutoFraming()
    _ = run(&framing, seconds: 20) { _ in face(640, 330, size) }
    let region = framing.region(width: width, height: height)
    #expect(abs(720 / region.height - zoom) < 0.01)
    #expect(abs((330 - region.y) / region.height - 0.42) < 0.01)
  }

  /// A far face is followed at 0.15 widths and 0.25 of magnification a second; after a second of movement there remains a distance that
  /// falls to a third in 0.7 s.
  @Test func theSpeedIsLimitedAndEnds() {
    var framing = AutoFraming()
    let views = run(&framing, seconds: 3) { _ in face(640, 330, 100) }
    #expect(abs(views[45].zoom - views[15].zoom - 0.25) < 0.01)
    _ = run(&framing, from: 3, seconds: 17) { _ in face(500, 330, 100) }
    let across = run(&framing, from: 20, seconds: 1) { _ in face(780, 330, 100) }
    #expect(abs(across[18].x - across[8].x - 0.05) < 0.0005)
    var near = AutoFraming()
    _ = run(&near, seconds: 20) { _ in face(640, 330, 180) }
    let left = run(&near, from: 20, seconds: 2.1) { _ in face(720, 330, 180) }
    let goal = 720.0 / 1280
    // The last third of the way, slower than the limit.
    #expect(abs((goal - left[50].x) / (goal - left[29].x) - 0.3679) < 0.02, "\(left[29].x) \(left[50].x)")
  }

  /// After three seconds without a face, and not before, the whole picture comes back; small remainders are not drawn out.
  @Test func absence() {
    var framing = AutoFraming()
    _ = run(&framing, seconds: 15) { _ in face(300, 250, 130) }
    let rest = framing.view
    let views = run(&framing, from: 15, seconds: 3.6) { _ in [] }
    let first = views.firstIndex { $0 != rest } ?? 0
    #expect((88...100).contains(first), "\(first)")
    _ = run(&framing, from: 18.6, seconds: 9) { _ in [] }
    #expect(framing.showsAll)
  }

  @Test func itGoesToTheFaceSlowlyAndStaysInside() {
    var framing = AutoFraming()
    let views = run(&framing, seconds: 15) { _ in face(300, 250, 130) }
    for (before, after) in zip(views, views.dropFirst()) {
      #expect(abs(after.x - before.x) <= AutoFraming.maximumSpeed / 30 + 1e-9)
      #expect(abs(after.y - before.y) <= AutoFraming.maximumSpeed / 30 + 1e-9)
      #expect(abs(after.zoom - before.zoom) <= AutoFraming.maximumZoomSpeed / 30 + 1e-9)
    }
    for view in views {
      let half = 0.5 / view.zoom
      #expect(
        view.x - half >= -1e-9 && view.x + half <= 1 + 1e-9 && view.y - half >= -1e-9 && view.y + half <= 1 + 1e-9)
      #expect((1...AutoFraming.maximumZoom).contains(view.zoom))
    }
    let region = framing.region(width: width, height: height)
    // The region keeps the picture's shape, and the face is nearer to its middle.
    #expect(abs(region.width / region.height - 16 / 9) < 1e-6 && region.width < 1000)
    #expect(abs(300 - region.center.x) < abs(300 - 640.0) - 80)
    #expect(views.suffix(60).allSatisfy { $0 == views.last }, "it does not come to rest")
  }

  /// Nodding, or a face detected slightly off, does not move the view.
  @Test func smallMovesAreLeftAlone() {
    var framing = AutoFraming()
    _ = run(&framing, seconds: 15) { _ in face(500, 300, 180) }
    let rest = framing.view
    var random = SeededRandom(seed: 1)
    let views = run(&framing, from: 15, seconds: 20) { _ in
      face(
        500 + .random(in: -20...20, using: &random), 300 + .random(in: -15...15, using: &random),
        180 + .random(in: -9...9, using: &random))
    }
    #expect(views.allSatisfy { $0 == rest })
  }

  @Test func withoutAFaceAllIsShownAgain() {
    var framing = AutoFraming()
    _ = run(&framing, seconds: 15) { _ in face(300, 250, 130) }
    #expect(!framing.showsAll)
    // A face that the detector misses for a moment still counts.
    let rest = framing.view
    #expect(run(&framing, from: 15, seconds: 2) { _ in [] }.allSatisfy { $0 == rest })
    _ = run(&framing, from: 17, seconds: 20) { _ in [] }
    #expect(
      framing.showsAll && framing.region(width: width, height: height) == Rect(x: 0, y: 0, width: 1280, height: 720))
  }

  /// The view does not cut a face that fills the picture, and does not leave the picture for a face at a corner.
  @Test(arguments: [(640.0, 360.0, 700.0), (10, 10, 40), (1270, 715, 60), (-50, -50, 20)])
  func oddFaces(x: Double, y: Double, size: Double) {
    var framing = AutoFraming()
    for view in run(&framing, seconds: 12, { _ in face(x, y, size) }) {
      let half = 0.5 / view.zoom
      #expect(
        view.x - half >= -1e-9 && view.x + half <= 1 + 1e-9 && view.y - half >= -1e-9 && view.y + half <= 1 + 1e-9)
    }
    #expect(size < 100 || framing.showsAll)
  }

  /// After a long pause, as when the computer sleeps, the view does not jump.
  @Test func aLongPauseIsNoJump() {
    var framing = AutoFraming()
    framing.see(face(200, 200, 100), width: width, height: height, at: 0)
    framing.move(to: 0)
    let before = framing.view
    framing.move(to: 3600)
    #expect(abs(framing.view.x - before.x) <= AutoFraming.maximumSpeed * 0.2 + 1e-9)
  }
}
