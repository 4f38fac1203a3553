import BackdropCodecs
import BackdropDepth
import BackdropImaging
import BackdropMatting
import Foundation
import TestSupport
import Testing

@testable import BackdropModels

/// The rule for detecting a person, with artificial evidence.
@Suite struct PersonPresenceTests {
  private func presence(_ face: Double, _ body: Double, agreement: Double = 1) -> PersonPresence {
    PersonPresence(coverage: 0.2, agreement: agreement, face: face, body: body)
  }

  /// 1 − (1 − agreement · face) (1 − body).
  @Test func probabilities() {
    #expect(presence(0, 0).probability == 0)
    #expect(presence(1, 0).probability == 1 && presence(0, 1).probability == 1)
    #expect(abs(presence(0.9, 0, agreement: 0.8).probability - 0.72) < 1e-12)
    #expect(abs(presence(0.5, 0.5, agreement: 0.8).probability - 0.7) < 1e-12)
    // Evidence from a body's outline needs no agreement.
    #expect(presence(0, 0.6, agreement: 0).probability == 0.6)
  }

  @Test func verdicts() {
    #expect(presence(0.6, 0).verdict == .person)
    #expect(presence(0.599, 0).verdict == .nobody(.noLikeness))
    // A face on which the networks do not agree.
    #expect(presence(0.8, 0, agreement: 0.7).verdict == .nobody(.noLikeness))
    // Two detectors that would not suffice alone: 1 − 0.6², 1 − 0.64².
    #expect(presence(0.4, 0.4).verdict == .person)
    #expect(presence(0.36, 0.36).verdict == .nobody(.noLikeness))
    #expect(PersonPresence(coverage: 0).verdict == .nobody(.nothingFound))
  }

  /// A body that contributes exactly the missing part is enough.
  @Test(arguments: [0, 0.1, 0.25, 0.4, 0.6])
  func whatIsMissing(face: Double) {
    var found = presence(face, 0, agreement: 0.9)
    let missing = found.missingBody(for: PersonPresence.enough)
    #expect(missing > 0 && missing <= 0.6)
    found.body = missing - 1e-9
    #expect(found.verdict == .nobody(.noLikeness))
    found.body = missing + 1e-9
    #expect(found.verdict == .person)
  }

  // MARK: - Maps

  /// Means of squares: each sample of the map covers one square of a checkerboard of 4×4 samples.
  @Test func meansOfMattes() {
    var matte = Matte(constant: 0, width: 64, height: 32)
    for y in 0..<32 {
      for x in 0..<64 where (x / 4 + y / 4) % 2 == 0 { matte.q15[x, y] = UInt16(x < 32 ? 32768 : 8192) }
    }
    let map = ProbabilityMap(meansOf: matte, side: 16)
    #expect(map.width == 16 && map.height == 8)
    for y in 0..<8 {
      for x in 0..<16 { #expect(map.values[y * 16 + x] == ((x + y) % 2 == 0 ? (x < 8 ? 1 : 0.25) : 0)) }
    }
    // A small map does not change.
    let same = ProbabilityMap(meansOf: matte, side: 100)
    #expect(same.width == 64 && same.height == 32 && same.values[0] == 1)
  }

  @Test func meansOverRectangles() {
    var map = ProbabilityMap(width: 20, height: 10)
    for y in 0..<10 { for x in 10..<20 { map.values[y * 20 + x] = 1 } }
    func mean(_ x: Double, _ y: Double, _ width: Double, _ height: Double) -> Double {
      map.mean(over: Rect(x: x, y: y, width: width, height: height))
    }
    #expect(mean(0, 0, 1, 1) == 0.5 && mean(0.5, 0, 0.5, 1) == 1 && mean(0.25, 0.5, 0.5, 0.5) == 0.5)
    // The half beyond the picture does not count as a person.
    #expect(mean(0.75, 0, 0.5, 1) == 0.5 && mean(5, 5, 1, 1) == 0)
    // Too small for a sample, without a size, and extremely large.
    #expect(mean(0.6, 0.6, 1e-6, 1e-6) == 1 && mean(0.6, 0.6, 0, 0) == 1)
    #expect(mean(-1e300, -1e300, 2e300, 2e300) < 0.01 && mean(1e300, 0, 1, 1) == 0)
  }
}

/// The judge of presence, with real networks.
@Suite(.enabled(if: NetworkTests.hasDefaultModels, NetworkTests.needsRuntime))
struct PersonPresenceJudgeTests {
  private let cache = ModelCache()

  private func judge() throws -> PersonPresenceJudge { try PersonPresenceJudge(networks: cache) }

  private func presence(
    of image: Image, quality: PersonMatteMaker.Quality = .best
  ) throws -> (presence: PersonPresence, result: PortraitSegmenter.Result) {
    let networks = try cache.networks(PersonMatteMaker.ranked(in: ModelStore()), classes: nil, threads: 1)
    let result = try PortraitSegmenter(networks[0], boundedBy: Array(networks.dropFirst())).segment(image)
    let presence = try judge().judge(image, matte: result.matte, agreement: result.agreement, quality: quality)
    return (presence, result)
  }

  /// People from the front, from the side, from behind, and small ones. The list leaves out one picture of the folder, `p_71bcce3a.jpg`: no
  /// network recognizes its face, which fills a third of the picture and is masked.
  static let people = TestData.present(
    TestData.people + otherPeople.flatMap { folder in folder.names.map { "\(folder.start)\($0).jpg" } })

  private static let otherPeople: [(start: String, names: [String])] = [
    (
      "matting/humanseg/",
      [
        "112", "114", "126", "127", "130", "131", "133", "144", "157", "166", "177", "188", "217", "254", "73", "78",
        "84", "86",
      ]
    ),
    ("matting/p3m/p_", ["22fc0130", "514ca06a", "818e689d", "819ea202", "bac3c1ff", "bd6af989", "d684dae3"]),
    ("matting/known_background/", ["0001_img", "0500_img"]),
    ("rgbd/person_turntable/00000000", ["00", "08", "16", "23"]),
    ("video/davis_parkour/000", ["20", "27", "34", "41", "48"]),
  ]

  @Test(.enabled(if: TestData.hasPhotos, "needs make setup-test"), arguments: people)
  func isSomebody(name: String) throws {
    let found = try presence(of: Picture.load(TestData.path(name), as: .rgba8)).presence
    #expect(found.verdict == .person, "\(found)")
  }

  static let things = TestData.present(
    TestData.things
      + ["android_gdepth_table.jpg", "iphone_gainmap_only.jpeg", "iphonex_vase_depth.jpg"].map { "photos/\($0)" }
      + ["backgrounds/city.jpg", "backgrounds/porch.jpg", "matting/known_background/0001_back.jpg"]
      + (0..<5).map { "rgbd/livingroom/color/0000\($0).jpg" })

  @Test(.enabled(if: TestData.hasPhotos, "needs make setup-test"), arguments: things)
  func isNobody(name: String) throws {
    let found = try presence(of: Picture.load(TestData.path(name), as: .rgba8)).presence
    #expect(found.verdict != .person, "\(found)")
  }

  /// Skipping detectors does not change the verdict.
  @Test(
    .enabled(if: TestData.hasPhotos, "needs make setup-test"),
    arguments: people.prefix(2) + people.dropFirst(2).suffix(7) + things)
  func thriftChangesNothing(name: String) throws {
    let image = try Picture.load(TestData.path(name), as: .rgba8)
    let (found, result) = try presence(of: image)
    let all = try judge().judge(
      image, matte: result.matte, agreement: result.agreement, enough: 2)
    #expect((found.verdict == .person) == (all.verdict == .person), "\(found) \(all)")
    #expect(found.face <= all.face && found.body <= all.body)
  }

  @Test(arguments: [(1, 1), (1, 300), (300, 1), (33, 7), (640, 480)])
  func anySize(width: Int, height: Int) throws {
    for format in [PixelFormat.bgra8, .i420, .gray8] {
      var image = Image(.bgra8, width: width, height: height)
      image.fill(.white)
      let white = image.converted(to: format, color: .jpeg)
      for value in [0.0, 1] {
        let matte = Matte(constant: value, width: 40, height: 30)
        for quality in PersonMatteMaker.Quality.allCases {
          let found = try judge().judge(white, matte: matte, quality: quality)
          #expect(found.verdict == .nobody(value == 0 ? .nothingFound : .noLikeness), "\(format) \(found)")
        }
      }
    }
  }

  /// Without a matte no detector runs, so the pose networks are not even loaded; nor are they if a face is enough.
  @Test(.enabled(if: TestData.hasPhotos, "needs make setup-test"))
  func asksNoMoreThanItHasTo() throws {
    let image = try Picture.load(TestData.path(TestData.people[1]), as: .rgba8)
    let judge = try judge()
    #expect(cache.count == 1)
    let empty = try judge.judge(image, matte: Matte(constant: 0.4, width: 64, height: 48))
    #expect(empty.verdict == .nobody(.nothingFound) && empty.face == 0)
    let found = try judge.judge(image, matte: Matte(constant: 1, width: 64, height: 48))
    #expect(found.verdict == .person && found.body == 0)
    #expect(cache.count == 1)
    // This face lies entirely in the matte: MediaPipe's score for it remains (``FaceReference``).
    #expect(abs(found.face - 0.9354) < 0.01)
  }

  /// A detection elsewhere does not support the matte.
  @Test(.enabled(if: TestData.hasPhotos, "needs make setup-test"))
  func detectionsElsewhere() throws {
    let image = try Picture.load(TestData.path(TestData.people[0]), as: .rgba8)
    // The woman is in the middle; the matte covers the wall at the upper right.
    var matte = Matte(constant: 0, width: 64, height: 48)
    for y in 0..<12 { for x in 52..<64 { matte.q15[x, y] = Matte.one } }
    let found = try judge().judge(image, matte: matte)
    #expect(found.verdict == .nobody(.noLikeness) && found.probability < 0.1, "\(found)")
  }

  @Test func missingModelsAreSaid() throws {
    let folder = TemporaryFolder()
    do {
      _ = try PersonPresenceJudge(store: ModelStore(folder: folder.path))
      Issue.record("models were found in an empty folder")
    } catch {
      #expect(error.kind == .unsupported && error.hint == .installNetworks)
    }
    // The face network alone is not enough: an installation of an earlier version.
    try FileManager.default.createDirectory(atPath: folder.file("models"), withIntermediateDirectories: true)
    try FileManager.default.copyItem(
      atPath: try #require(ModelStore().path(of: FaceDetector.file)), toPath: folder.file("models/" + FaceDetector.file)
    )
    do {
      _ = try PersonPresenceJudge(store: ModelStore(folder: folder.path))
      Issue.record("the pose networks were found where there are none")
    } catch {
      #expect(error.kind == .unsupported && error.message.contains(BodyLandmarks.detector.file))
    }
  }
}
