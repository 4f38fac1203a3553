import BackdropImaging
import TestSupport
import Testing

@testable import BackdropCameras

/// The mode chosen from typical lists of real cameras and from invented ones.
@Suite struct CameraModeTests {
  static func mode(_ encoding: CameraMode.Encoding, _ width: Int, _ height: Int, _ rates: Double...) -> CameraMode {
    CameraMode(encoding: encoding, width: width, height: height, rates: rates)
  }

  /// The modes of a typical USB webcam: large raw pictures are slow.
  static let webcam = [
    mode(.mjpeg, 1920, 1080, 30), mode(.mjpeg, 1280, 720, 60, 30), mode(.mjpeg, 640, 480, 30),
    mode(.yuyv, 1920, 1080, 5), mode(.yuyv, 1280, 720, 10), mode(.yuyv, 640, 480, 30, 15),
    mode(.h264, 1280, 720, 30),
  ]

  struct Case: CustomTestStringConvertible {
    var request: CameraRequest
    var modes: [CameraMode]
    var expected: CameraMode.Choice
    var testDescription: String { "\(request.width)×\(request.height) \(request.rate)" }

    init(_ width: Int, _ height: Int, _ rate: Double, _ modes: [CameraMode], _ index: Int, _ chosen: Double?) {
      request = CameraRequest(width: width, height: height, rate: rate)
      self.modes = modes
      expected = CameraMode.Choice(mode: modes[index], rate: chosen)
    }
  }

  @Test(arguments: [
    // Raw does not reach the rate, so JPEG; not H.264, which takes more work to decode.
    Case(1280, 720, 30, webcam, 1, 30),
    Case(1280, 720, 60, webcam, 1, 60),
    Case(1920, 1080, 30, webcam, 0, 30),
    // Raw reaches it.
    Case(640, 480, 30, webcam, 5, 30),
    Case(640, 480, 15, webcam, 5, 15),
    Case(1280, 720, 10, webcam, 4, 10),
    // 29.97 is as good as 30.
    Case(1280, 720, 30, [mode(.yuyv, 1280, 720, 29.97), mode(.mjpeg, 1280, 720, 30)], 0, 29.97),
    // A smaller moving picture is better than a still one.
    Case(1280, 720, 30, [mode(.yuyv, 1280, 720, 5), mode(.yuyv, 640, 480, 30)], 1, 30),
    // A slightly lower rate is better than half the size.
    Case(1280, 720, 30, [mode(.yuyv, 640, 480, 30), mode(.yuyv, 1280, 720, 24)], 1, 24),
    // Too large is better than too small.
    Case(1280, 720, 30, [mode(.mjpeg, 640, 480, 30), mode(.mjpeg, 1920, 1080, 30)], 1, 30),
    // A camera that does not list its rates.
    Case(1280, 720, 30, [mode(.mjpeg, 1280, 720, 30), mode(.nv12, 1280, 720)], 1, nil),
    // Only an H.264 stream.
    Case(1280, 720, 30, [mode(.h264, 1280, 720, 30)], 0, 30),
  ])
  func nearest(_ test: Case) {
    #expect(CameraMode.nearest(to: test.request, among: test.modes) == test.expected)
  }

  @Test func depthIsNoColour() {
    #expect(CameraMode.nearest(to: CameraRequest(), among: [Self.mode(.depth16, 1280, 720, 30)]) == nil)
    #expect(CameraMode.deepest(for: CameraRequest(), among: Self.webcam) == nil)
  }

  @Test func depthWithTheMostPixels() {
    let modes = [
      Self.mode(.depth16, 640, 480, 90, 30), Self.mode(.depth16, 1280, 720, 15, 6), Self.mode(.yuyv, 1920, 1080, 30),
      Self.mode(.depth16, 848, 480, 90),
    ]
    #expect(CameraMode.deepest(for: CameraRequest(), among: modes) == CameraMode.Choice(mode: modes[1], rate: 15))
  }

  /// A mode that is at least as good in every respect is never rejected for a worse one.
  @Test func aDominatedModeIsNeverChosen() {
    for seed in 1...300 as ClosedRange<UInt64> {
      var random = SeededRandom(seed: seed)
      let sizes = [(320, 240), (640, 360), (640, 480), (1280, 720), (1920, 1080)]
      let request = CameraRequest(
        width: 1280, height: 720, rate: [15.0, 24, 30, 60].randomElement(using: &random) ?? 30)
      let modes = (0..<8).map { _ in
        let size = sizes.randomElement(using: &random) ?? (640, 480)
        let encoding: CameraMode.Encoding = [.yuyv, .nv12, .mjpeg, .h264].randomElement(using: &random) ?? .yuyv
        return Self.mode(encoding, size.0, size.1, [5, 10, 15, 24, 30, 60].randomElement(using: &random) ?? 30)
      }
      guard let choice = CameraMode.nearest(to: request, among: modes) else {
        Issue.record("nothing chosen, seed \(seed)")
        continue
      }
      // With the same encoding and the requested rate, none is closer in size from below.
      let rate = choice.rate ?? 0
      for other in modes
      where other.encoding == choice.mode.encoding && other.width <= 1280 && choice.mode.width <= 1280 {
        let isBetter =
          other.width > choice.mode.width && other.height >= choice.mode.height && other.rates[0] >= rate
          && (other.rates[0] <= request.rate || other.rates[0] == rate)
        #expect(!isBetter, "seed \(seed): \(other) against \(choice)")
      }
    }
  }
}
