import BackdropImaging
import BackdropModels
import Foundation
import TestSupport
import Testing

/// For inputs with depth, the faces that the network finds in the colour picture determine the cutoff.
@Suite struct FaceJobTests {
  static let isReady = TestData.hasPhotos && NetworkRuntime.isInstalled && ModelStore().isComplete
  static let needs: Comment = "needs make setup-test"
  let work = Workplace()

  /// The depth is 0.874 m at the middle of the box that MediaPipe 0.10.21 finds in the last frame.
  @Test(.enabled(if: isReady && TestData.isPresent, "needs BACKDROP_DATA and the network runtime"))
  func theFaceOfARecording() throws {
    let folder = TestData.path("rgbd/person_turntable")
    let found = try work.summary("replace \(folder) -o out.mp4")
    #expect(abs((found.cutoffMetres ?? 0) - 1.124) < 0.0005 && found.warnings.isEmpty, "\(found)")
    #expect(try work.summary("replace \(folder) -o other.mp4 --cutoff 2").cutoffMetres == 2)
    #expect(abs((try work.summary("replace \(folder) -o wide.mp4 --margin 0.4").cutoffMetres ?? 0) - 1.274) < 0.0005)
  }

  /// Two people side by side: the larger face is in the left half, at 0.8 m, the other at 1.5 m. Flat depth never increases the cutoff, but
  /// decreasing it needs no body.
  @Test(.enabled(if: isReady, needs), arguments: [("", 1.05), ("--faces largest", 1.05), ("--faces all", 1.75)])
  func oneOrAll(flags: String, cutoff: Double) throws {
    try work.depth("depth.png", 640, 480, 800, right: 1500)
    let (left, right) = (TestData.path(TestData.people[1]), TestData.path(TestData.people[0]))
    try MediaTool.make(
      [
        "-i", left, "-i", right, "-filter_complex",
        "[0]crop=512:512:0:0,scale=320:480[a];[1]crop=300:300:75:0,scale=320:480[b];[a][b]hstack", "-frames:v", "1",
      ], work.path("pair.png"))
    let found = try work.summary("replace pair.png --depth depth.png -o out.png --cutoff 2 --face \(flags)")
    #expect(abs((found.cutoffMetres ?? 0) - cutoff) < 1e-6, "\(found)")
  }

  private var withoutRuntime: [String: String] {
    ["XDG_DATA_HOME": work.path("data"), "BACKDROP_OPENVINO": "", "VIRTUAL_ENV": ""]
  }

  /// Without the runtime the cutoff does not change. The command reports it once, or not at all if face detection is off.
  @Test func withoutARuntime() throws {
    for index in 1...3 {
      try work.picture("recording/rgb/\(index).png")
      try work.depth("recording/depth/\(index).png")
    }
    let line = "replace recording -o out.mp4 --force"
    for (flags, warnings) in [("", 1), (" --no-face", 0)] {
      let found = try work.summary(line + flags, environment: withoutRuntime)
      #expect(found.cutoffMetres == 1, "\(found)")
      let ofFaces = found.warnings.filter {
        $0.contains("does not look for faces") && $0.contains("backdrop models install")
      }
      #expect(ofFaces.count == warnings, "\(found)")
      // The depth is flat and near, so the matte covers the whole picture, without a detected person.
      #expect(found.warnings.count == warnings + 1 && found.warnings.last?.contains("the room shows") == true)
    }
  }

  /// The simulated camera reports its own faces, and needs no network for a frame without any.
  @Test func theSimulatedCameraNeedsNoNetwork() throws {
    let line = "replace sim:talking?size=320x180&seconds=0.1 -o out.mp4"
    #expect(try work.summary(line, environment: withoutRuntime).warnings.isEmpty)
  }

  /// The commands list, inspect and test the face network like the others.
  @Test(.enabled(if: isReady, needs)) func listedAndTried() throws {
    let listed = try work.text("models").split(separator: "\n").first { $0.hasPrefix("face-short-range") }
    #expect(listed?.contains(" 0.2 MB ") == true, "\(listed ?? "")")
    let info = try work.text("models info face-short-range")
    #expect(info.contains("1×896×16 f32") && info.contains("licence: Apache-2.0"), "\(info)")
    // MediaPipe 0.10.21 finds 95.34×95.34 at 177.57, 82.87.
    let found = try work.text("models test face-short-range --picture \(TestData.path(TestData.people[0]))")
    #expect(found.hasSuffix(" ms, face 95×95 at 178, 83\n") && found.hasPrefix("face-short-range: "), "\(found)")
  }

  @Test func refusesWrongChoices() throws {
    try work.pair()
    try work.refuse("replace p.png --depth d.png -o out.png --faces both", says: "--faces cannot be 'both'")
  }
}
