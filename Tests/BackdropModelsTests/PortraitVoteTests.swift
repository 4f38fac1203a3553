import BackdropDepth
import BackdropImaging
import TestSupport
import Testing

@testable import BackdropModels

/// Stands in for a network that draws edges: marks what is bright at its size, and whatever it marked since it forgot last.
private final class RememberingNetwork: PersonSegmenting {
  enum Event: Equatable {
    case reset, look, run
  }

  let name: String
  let side: Int
  let hasMemory: Bool
  let isAveraged = true
  private(set) var small: Image
  private(set) var events: [Event] = []
  private var memory: Plane<UInt16>

  init(_ name: String, side: Int, hasMemory: Bool = true) {
    (self.name, self.side, self.hasMemory) = (name, side, hasMemory)
    small = Image(.bgra8, width: side, height: side)
    memory = Plane(repeating: 0, width: side, height: side)
  }

  func look(at image: Image, frame: IntegerRect?) throws(BackdropError) {
    events.append(.look)
    small = try image.scaled(toWidth: side, height: side, filter: .area)
  }

  func reset() {
    events.append(.reset)
    memory = Plane(repeating: 0, width: side, height: side)
  }

  func run(into matte: inout Matte) throws(BackdropError) {
    events.append(.run)
    for y in 0..<side {
      for x in 0..<side where small.row(y)[4 * x] > 128 { memory[x, y] = Matte.one }
    }
    matte = Matte(q15: memory)
  }
}

/// Says where bodies are.
private struct Bystander: BodyWitness {
  let names = ["bystander"]
  let outlines: [BodyOutline]

  func outlines(in image: Image, near frame: Rect?) throws(BackdropError) -> [BodyOutline] { outlines }
}

@Suite struct PortraitVoteTests {
  private func map(_ width: Int, _ height: Int, _ value: (Int, Int) -> Float) -> ProbabilityMap {
    var map = ProbabilityMap(width: width, height: height)
    for y in 0..<height { for x in 0..<width { map.values[y * width + x] = value(x, y) } }
    return map
  }

  private func random(_ width: Int, _ height: Int, _ random: inout SeededRandom) -> ProbabilityMap {
    var map = ProbabilityMap(width: width, height: height)
    for i in map.values.indices { map.values[i] = Float.random(in: 0...1, using: &random) }
    return map
  }

  // MARK: - Medians and means

  @Test(arguments: 1...9) func mediansAreThoseOfSortedVotes(count: Int) {
    var random = SeededRandom(seed: UInt64(count))
    let maps = (0..<count).map { _ in self.random(13, 7, &random) }
    let found = ProbabilityMap.median(of: maps)
    for i in found.values.indices {
      let sorted = maps.map { $0.values[i] }.sorted()
      let expected =
        count % 2 == 1 ? sorted[count / 2] : (sorted[count / 2 - 1] + sorted[count / 2]) / 2
      #expect(abs(found.values[i] - expected) < 1e-6)
    }
  }

  @Test(arguments: [(1, 1, 3), (5, 1, 1), (1, 9, 2), (17, 11, 0), (17, 11, 2), (6, 4, 20)])
  func meansAreThoseOfWindows(width: Int, height: Int, radius: Int) {
    var random = SeededRandom(seed: 5)
    let map = self.random(width, height, &random)
    let found = map.means(radius: radius)
    for y in 0..<height {
      for x in 0..<width {
        var sum = 0.0
        var count = 0.0
        for row in max(0, y - radius)...min(height - 1, y + radius) {
          for column in max(0, x - radius)...min(width - 1, x + radius) {
            sum += Double(map.values[row * width + column])
            count += 1
          }
        }
        #expect(abs(Double(found.values[y * width + x]) - sum / count) < 1e-5, "\(x) \(y)")
      }
    }
  }

  @Test func samplesPartsOfTheirPictures() {
    // The left half of a picture, brighter to the right: 0.125, 0.375, 0.625, 0.875 of the half.
    let half = map(4, 2) { x, _ in (Float(x) + 0.5) / 4 }
    let frame = Rect(x: 0, y: 0, width: 0.5, height: 1)
    #expect(half.sampled(from: frame, in: frame, width: 4, height: 2).values == half.values)
    // All of the picture: nothing is known of its right half.
    let all = half.sampled(from: frame, in: Rect(x: 0, y: 0, width: 1, height: 1), width: 8, height: 2)
    #expect(all.values[0..<8].elementsEqual([0.125, 0.375, 0.625, 0.875, 0, 0, 0, 0]))
    // The middle of the half, between its samples: of a ramp the places themselves.
    let part = half.sampled(from: frame, in: Rect(x: 0.125, y: 0, width: 0.25, height: 1), width: 4, height: 1)
    for (found, expected) in zip(part.values, [0.3125, 0.4375, 0.5625, 0.6875] as [Float]) {
      #expect(abs(found - expected) < 1e-6)
    }
  }

  // MARK: - Details

  /// An edge that runs a sample aside is a detail, and a strand of hair is; a wing of ten samples is another opinion.
  @Test func detailsAreTakenWhereOpinionsAgree() {
    let opinion = map(60, 60) { x, _ in x < 30 ? 1 : 0 }
    let shifted = map(60, 60) { x, _ in x < 31 ? 1 : 0 }
    #expect(opinion.detailed(by: shifted, radius: 7).values == shifted.values)
    let hair = map(60, 60) { x, y in x < 30 || (y == 20 && x < 45) ? 1 : 0 }
    #expect(opinion.detailed(by: hair, radius: 7).values == hair.values)
    let wing = map(60, 60) { x, y in x < 30 || (x < 40 && y > 10 && y < 50) ? 1 : 0 }
    #expect(opinion.detailed(by: wing, radius: 7).values == opinion.values)
    let hole = map(60, 60) { x, y in x < 30 && !(x > 8 && x < 22 && y > 20 && y < 40) ? 1 : 0 }
    let filled = opinion.detailed(by: hole, radius: 5)
    #expect(filled.values[30 * 60 + 15] == 1)
  }

  /// Against the definition, sample by sample.
  @Test func detailsFollowTheirDefinition() {
    var random = SeededRandom(seed: 11)
    let (a, b) = (self.random(24, 18, &random), map(24, 18) { x, _ in x < 12 ? 0.9 : 0.1 })
    let found = a.detailed(by: b, radius: 3)
    var difference = a
    for i in a.values.indices { difference.values[i] = b.values[i] - a.values[i] }
    let means = difference.means(radius: 3)
    for i in a.values.indices {
      let size = abs(means.values[i])
      let trust: Float = size <= 0.1 ? 1 : size >= 0.2 ? 0 : (0.2 - size) / 0.1
      #expect(abs(found.values[i] - (a.values[i] + trust * (b.values[i] - a.values[i]))) < 1e-5)
    }
  }

  // MARK: - Bodies

  private func outline(_ center: SIMD2<Double>, _ likelihood: (Int) -> Float) throws -> BodyOutline {
    // 2.5 · 16: a square of 40 pixels.
    let pose = DetectedPose(
      head: Rect(x: 0, y: 0, width: 1, height: 1), score: 1, hips: center, crown: center - SIMD2(0, 16))
    let square = try #require(TurnedSquare(pose))
    return BodyOutline(presence: 1, square: square, likelihood: (0..<256).map { likelihood($0 % 16) }, side: 16)
  }

  @Test func outlinesKnowTheirPlace() throws {
    let outline = try outline(SIMD2(30, 30)) { Float($0) / 16 }
    #expect(outline.likelihood(at: SIMD2(10, 10)) == 0 && outline.likelihood(at: SIMD2(49.9, 49.9)) == 15.0 / 16)
    #expect(outline.likelihood(at: SIMD2(30.1, 12)) == 8.0 / 16)
    #expect(outline.likelihood(at: SIMD2(9.9, 30)) == nil && outline.likelihood(at: SIMD2(30, 50.1)) == nil)
  }

  /// Two runs see a person everywhere and two nobody: a body decides where it was looked for, and elsewhere it stays open.
  @Test func bodiesVote() throws {
    let image = Image(.bgra8, width: 100, height: 80)
    let whole = Rect(x: 0, y: 0, width: 1, height: 1)
    var view = PortraitView(frame: whole)
    for value in [0.0, 1, 0, 1] { view.add(Matte(constant: value, width: 256, height: 256), isMirrored: false) }
    let outline = try outline(SIMD2(30, 30)) { $0 < 8 ? 1 : 0 }
    let found = PortraitSegmenter.merged([view], in: whole, [outline], of: image)
    func sample(_ x: Double, _ y: Double) -> Float { found.values[Int(y / 80 * 256) * 256 + Int(x / 100 * 256)] }
    #expect(sample(20, 30) == 1 && sample(40, 30) == 0 && sample(70, 30) == 0.5 && sample(20, 60) == 0.5)
    // Of two views it has two votes, and of three against one it has none that counts.
    #expect(PortraitSegmenter.merged([view, view], in: whole, [outline], of: image).values == found.values)
    var sure = PortraitView(frame: whole)
    for value in [1.0, 1, 1, 0] { sure.add(Matte(constant: value, width: 256, height: 256), isMirrored: false) }
    #expect(PortraitSegmenter.merged([sure], in: whole, [outline], of: image).values.allSatisfy { $0 == 1 })
  }

  // MARK: - Networks that draw

  /// A bright rectangle in the dark.
  private func picture() -> Image {
    var image = Image(.bgra8, width: 320, height: 240)
    image.fill(.black)
    for row in 60..<200 {
      var bytes = image.mutableRow(row)
      for column in 100..<180 { for c in 0..<4 { bytes[4 * column + c] = 255 } }
    }
    return image
  }

  private func segmenter(
    _ networks: [any PersonSegmenting], _ voters: [any PersonSegmenting], _ artist: any PersonSegmenting,
    _ bodies: [BodyOutline] = []
  ) -> PortraitSegmenter {
    PortraitSegmenter(
      networks, matting: PortraitMatting(voters: voters, artist: artist), bodies: Bystander(outlines: bodies),
      hands: nil,
      workers: WorkerPool(threads: 1))
  }

  /// Each look begins with nothing remembered, and one with a memory runs until it has settled; whoever leaked one look into the
  /// next would see the rectangle and its mirror image.
  @Test func forgetsBetweenLooks() throws {
    let (plain, voter, artist) = (
      RememberingNetwork("plain", side: 64, hasMemory: false), RememberingNetwork("voter", side: 64),
      RememberingNetwork("artist", side: 128)
    )
    let result = try segmenter([plain], [voter], artist).segment(picture())
    for (network, runs) in [(plain, 1), (voter, 2), (artist, 2)] {
      let look = [.reset, .look] + [RememberingNetwork.Event](repeating: .run, count: runs)
      #expect(network.events.count % look.count == 0)
      for start in stride(from: 0, to: network.events.count, by: look.count) {
        #expect(Array(network.events[start..<start + look.count]) == look, "\(network.name)")
      }
    }
    // The whole picture, the frame and its mirror image; the one that draws sees the frame only.
    #expect(voter.events.count == 3 * 4 && artist.events.count == 2 * 4)
    #expect(result.isFine && abs(result.matte.coverage - 80 * 140 / (320 * 240)) < 0.01)
    #expect(result.matte[140, 130] > 0.99 && result.matte[60, 130] < 0.01 && result.matte[260, 130] < 0.01)
  }

  /// In the order in which they are asked; those that had nothing to say are not among them.
  @Test func namesItsNetworks() throws {
    func network(_ name: String) -> RememberingNetwork { RememberingNetwork(name, side: 64) }
    let both = segmenter([network("a"), network("b")], [network("c"), network("d")], network("d"))
    #expect(try both.segment(picture()).networks == ["a", "b", "c", "d"])
    let body = try outline(SIMD2(140, 130)) { _ in 1 }
    let all = segmenter([network("a")], [network("c")], network("d"), [body])
    #expect(try all.segment(picture()).networks == ["a", "bystander", "c", "d"])
    var dark = Image(.bgra8, width: 50, height: 40)
    dark.fill(.black)
    let nobody = try both.segment(dark)
    #expect(nobody.networks == ["a", "b"] && !nobody.isFine && nobody.matte.coverage == 0)
    let alone = try PortraitSegmenter([network("a")], workers: WorkerPool(threads: 1)).segment(picture())
    #expect(alone.networks == ["a"] && !alone.isFine)
  }

  /// The person networks see 256×256 of their frame; one that draws has its own size.
  @Test func knowsHowFineItIs() throws {
    let alone = try PortraitSegmenter([RememberingNetwork("a", side: 64)], workers: WorkerPool(threads: 1))
      .segment(picture())
    // Nothing speaks against the first frame, the whole picture.
    #expect(abs(alone.pixelsPerSample * 256 - (320.0 * 240).squareRoot()) < 0.01)
    let drawn = try segmenter(
      [RememberingNetwork("a", side: 64)], [RememberingNetwork("b", side: 64)],
      RememberingNetwork("c", side: 50)
    ).segment(picture())
    #expect(abs(drawn.pixelsPerSample * 50 - (96.0 * 168).squareRoot()) < 4)
  }

  @Test func mixesMattes() {
    let (a, b) = (Matte(constant: 0.25, width: 5, height: 3), Matte(constant: 1, width: 5, height: 3))
    #expect(a.mixed(with: b, share: 0).q15 == a.q15 && a.mixed(with: b, share: 1).q15 == b.q15)
    #expect(a.mixed(with: b, share: 0.5)[4, 2] == 0.625)
  }

  // MARK: - Descriptions

  /// The refiner sees twice the width and height of what its network sees; its memory is that network's.
  @Test func finestDescription() {
    let (fine, plain) = (NetworkDescription.robustVideoMattingFine, NetworkDescription.robustVideoMattingViews)
    #expect(
      fine.sizes.map { [$0.width, $0.height] } == [[1024, 576], [896, 672], [768, 768], [672, 896], [576, 1024]])
    #expect(fine.constants["downsample_ratio"] == [0.5] && fine.file == plain.file && fine.id == plain.id)
    for size in fine.sizes {
      let half = NetworkDescription.Size(size.width / 2, size.height / 2)
      for (name, state) in fine.states { #expect(state.shape(size) == plain.states[name]?.shape(half), "\(name)") }
    }
  }

  @Test func limitedDescriptions() {
    let network = NetworkDescription.robustVideoMattingViews
    for limit in [90_000, 40_000] {
      let sizes = network.limited(toPixels: limit).sizes
      #expect(!sizes.isEmpty && sizes == network.sizes.filter { $0.width * $0.height <= limit })
    }
    #expect(network.limited(toPixels: 90_000).size(for: (1280, 720)) == .init(384, 216))
    #expect(network.limited(toPixels: 40_000).size(for: (480, 640)) == .init(168, 224))
  }
}
