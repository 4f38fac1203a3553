import BackdropDepth
import BackdropImaging
import BackdropRecordings
import TestSupport
import Testing

/// The real recordings, compared with results of NumPy 2.4.6 and OpenCV 5.0 (`cv2.imread(…, -1)`).
@Suite(.enabled(if: TestData.isPresent, "needs BACKDROP_DATA"))
struct RecordingDataTests {
  struct Case: Sendable {
    var folder: String
    var frames: Int
    var unitsPerMetre: Double?
    /// The number of valid samples in the first frame.
    var valid: Int
    var median: Float
    var intrinsics: Intrinsics?
  }

  static let cases = [
    Case(
      folder: "livingroom", frames: 5, valid: 267_129, median: 1.861,
      intrinsics: Intrinsics(fx: 525, fy: 525, cx: 320, cy: 240, width: 640, height: 480)),
    Case(
      folder: "person_turntable", frames: 24, valid: 226_560, median: 2.599,
      intrinsics: Intrinsics(fx: 525, fy: 525, cx: 320.5, cy: 240.5, width: 640, height: 480)),
    Case(
      folder: "truedepth_iphone11pro", frames: 1, unitsPerMetre: 10_000, valid: 261_813, median: 0.1955),
    Case(
      folder: "truedepth_raw_box", frames: 1, valid: 275_357, median: 1.8085938,
      intrinsics: Intrinsics(
        fx: 2738.990234375, fy: 2738.990234375, cx: 2029.7266845703125, cy: 1512.198974609375, width: 4032,
        height: 3024)),
  ]

  @Test(arguments: cases) func realRecordings(_ expected: Case) throws {
    var options = RecordingOptions()
    options.unitsPerMetre = expected.unitsPerMetre
    options.raw = RawFrameLayout(width: 640, height: 480, depth: DepthEncoding(.float16))
    var recording = try PictureFolderRecording(folder: TestData.path("rgbd/" + expected.folder), options: options)
    #expect(recording.width == 640 && recording.height == 480 && recording.frameCount == expected.frames)
    #expect(recording.intrinsics == expected.intrinsics)
    let first = try #require(try recording.next())
    let statistics = try #require(first.depth).statistics
    #expect(statistics.validCount == expected.valid)
    #expect(abs(try #require(statistics.median) - expected.median) < 1e-6)
    var count = 1
    while let frame = try recording.next() {
      count += 1
      #expect(frame.depth?.isEmpty == false && frame.image.format == .rgba8)
    }
    #expect(count == expected.frames)
    #expect(recording.skipped.isEmpty && recording.warnings.isEmpty)
  }
}
