import Backdrop
import BackdropDepth
import BackdropImaging
import BackdropModels
import TestSupport
import Testing

@testable import BackdropSimulation

/// Infrequent mattes, and a cut to another shot between two of them.
@Suite(
  .enabled(
    if: NetworkRuntime.isInstalled && ModelStore().isComplete, "needs the network runtime: backdrop models install"))
struct SceneCutTests {
  private let width = 640, height = 360

  /// A person in a room in the evening, then a garden without a person. The mean difference is too small to reveal the cut.
  private func frames() throws -> (before: [Image], after: Image) {
    let indoors = try SimulatedCamera(address: "sim:talking?size=\(width)x\(height)")
    let garden = try SimulatedCamera(address: "sim:outdoor?size=\(width)x\(height)")
    let before = (0..<4).map { indoors.frame($0).frame.image.dimmed }
    var after = Image(.bgra8, width: width, height: height, color: .jpeg)
    let empty = garden.setting.picture
    for y in 0..<height {
      let from = empty.row(y)
      var row = after.mutableRow(y)
      for x in row.indices { row[x] = from[x] }
    }
    after = after.dimmed
    let difference = zip(before[3].levels, after.levels).reduce(0.0) { $0 + Double(abs($1.0 - $1.1)) }
    #expect(difference / Double(width * height) < 0.15 * 255, "a cut that is no cut by the mean difference")
    return (before, after)
  }

  /// With two mattes a second, the old silhouette must not show the garden until the next matte: it covers a fifth of the picture.
  @Test(arguments: [2.0, 5, nil]) func aCutEndsTheMatte(mattesPerSecond: Double?) throws {
    let (before, after) = try frames()
    var options = PersonMatteMaker.Options()
    (options.mattesPerSecond, options.restsWhenCalm) = (mattesPerSecond, true)
    let maker = try PersonMatteMaker.load(options, workers: WorkerPool(threads: 2))
    var matte = Matte(constant: 0, width: 1, height: 1)
    for (index, image) in before.enumerated() { try maker.update(&matte, from: image, at: Double(index) / 30) }
    #expect(matte.coverage > 0.15, "somebody is there: \(matte.coverage)")
    #expect(!maker.isNewShot)
    let runs = maker.runCount
    for index in 0..<6 {
      try maker.update(&matte, from: after, at: Double(before.count + index) / 30)
      #expect(matte.coverage < 0.02, "frame \(index) after the cut shows \(matte.coverage)")
      #expect(maker.isNewShot == (index == 0))
    }
    #expect(maker.runCount > runs)
  }

  /// The engine of live sessions and video jobs also keeps nothing of the garden, and forgets the face of the first shot.
  @Test func aCutEndsTheCutoffOfTheFace() throws {
    let (before, after) = try frames()
    let indoors = try SimulatedCamera(address: "sim:talking?size=\(width)x\(height)")
    var options = AnalyzerOptions()
    options.person.mattesPerSecond = 2
    let analyzer = SceneAnalyzer(
      StreamDescription(width: width, height: height, hasDepth: true), options: options, workers: WorkerPool(threads: 2)
    )
    var evidence = Evidence()
    let request = EvidenceRequest(.backdrop, try Look.backdrop.settings())
    for index in before.indices {
      var scene = indoors.frame(index).frame
      // The person sits farther away than the looks' cutoff.
      scene.image = before[index]
      scene.depth = scene.depth.map { DepthMap(metres: $0.metres.moved(by: 0.9), intrinsics: $0.intrinsics) }
      try analyzer.analyze(scene, for: request, into: &evidence)
    }
    #expect(evidence.isCutoffFromFace && evidence.cutoffMetres.map { $0 > 1.5 && $0 < 2 } ?? false)
    let garden = Plane<Float>(repeating: 1.4, width: width / 2, height: height / 2)
    let scene = Scene(image: after, depth: DepthMap(metres: garden), time: 4 / 30)
    try analyzer.analyze(scene, for: request, into: &evidence)
    #expect(!evidence.isCutoffFromFace && evidence.cutoffMetres == 1)
    #expect(evidence.subject.coverage < 0.02)
  }
}

extension Plane<Float> {
  /// All values increased by this much.
  func moved(by metres: Float) -> Plane<Float> { map { $0 + metres } }
}

extension Image {
  /// The image with three fifths of its contrast.
  fileprivate var dimmed: Image {
    var result = self
    for y in 0..<height {
      var row = result.mutableRow(y)
      for x in row.indices { row[x] = UInt8(Double(row[x]) * 0.6 + 20) }
    }
    return result
  }

  /// Luma of each pixel, in levels.
  fileprivate var levels: [Int] {
    let gray = converted(to: .gray8)
    return (0..<height).flatMap { y in
      let row = gray.row(y)
      return (0..<width).map { Int(row[$0]) }
    }
  }
}
