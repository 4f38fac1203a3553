import Backdrop
import TestSupport
import Testing

/// Person detection in drawn pictures and in photos of objects.
@Suite(
  .enabled(if: NetworkRuntime.isInstalled && ModelStore().isComplete, "needs the network runtime: make setup-test"))
struct PersonPresenceDrawnTests {
  private let cache = ModelCache()

  private func presence(of image: Image) throws -> PersonPresence {
    let networks = try cache.networks(PersonMatteMaker.ranked(in: ModelStore()), classes: nil, threads: 1)
    let result = try PortraitSegmenter(networks[0], boundedBy: Array(networks.dropFirst())).segment(image)
    return try PersonPresenceJudge(networks: cache).judge(
      image, matte: result.matte, agreement: result.agreement)
  }

  /// All people of the simulated camera, except those in the dark, whom the picture does not show.
  @Test(arguments: Scenario.allCases)
  func simulatedPeople(scenario: Scenario) throws {
    for seed in 1...4 {
      let camera = try SimulatedCamera(address: "sim:\(scenario.rawValue)?size=640x360&seed=\(seed)")
      for index in [0, 100] {
        let found = try presence(of: camera.frame(index).frame.image)
        let isSeen = found.verdict == .person
        #expect(isSeen == (scenario != .dark), "seed \(seed), frame \(index): \(found)")
      }
    }
  }

  @Test(arguments: Scenery.allCases)
  func scenery(_ scenery: Scenery) throws {
    for (width, height) in [(640, 360), (360, 640), (480, 480)] {
      let found = try presence(of: scenery.image().filling(width: width, height: height))
      #expect(found.verdict != .person, "\(width)×\(height): \(found)")
    }
  }

  /// A cat and a cup; a dog, a glass of tea and a wooden table: networks see a person in most of them.
  @Test(
    .enabled(if: TestData.hasPhotos, "needs make setup-test"),
    arguments: TestData.things.prefix(2)
      + TestData.present(
        [
          "iphone13pro_pug_depth_gainmap", "iphone14pro_glass_depth_gainmap", "iphone14pro_rotated_mirrored_nodepth",
        ].map { "photos/\($0).heic" }))
  func photosOfThings(name: String) throws {
    let photo = try DepthPhoto.read(TestData.path(name))
    let found = try presence(of: photo.image(as: .rgba8))
    #expect(found.verdict != .person, "\(found)")
  }
}
