import BackdropCodecs
import BackdropDepth
import BackdropImaging
import BackdropMatting
import BackdropModels
import Foundation
import TestSupport
import Testing

@testable import Backdrop
@testable import BackdropSimulation

/// The decision whether a face may increase the cutoff.
@Suite struct FaceJudgeTests {
  private static let width = 320, height = 180

  /// A wall 4 m away and objects in front of it, with the noise of a structured-light sensor: 1.4 mm at one metre, growing with the square.
  private func map(_ metres: (_ x: Int, _ y: Int) -> Double?) -> DepthMap {
    var random = SeededRandom(seed: 7)
    let plane = Plane<Float>(width: Self.width, height: Self.height) { x, y in
      let z = metres(x, y) ?? 4
      let noise = (0..<12).reduce(-6.0) { sum, _ in sum + Double.random(in: 0..<1, using: &random) }
      return Float(z + 0.0014 * z * z * noise)
    }
    return DepthMap(metres: plane)
  }

  /// A face of 24 pixels, the width of 15 cm at 2.2 m with this camera's angle of view.
  private static let face = Rect(x: 148, y: 40, width: 24, height: 32)

  private func refusal(
    _ depth: DepthMap, at metres: Double = 2.2, network: Evidence.CoarseMatte? = nil
  ) -> FaceJudge.Refusal? {
    FaceJudge(depth: depth, width: Self.width, height: Self.height, network: network)
      .refusal(of: Self.face, at: metres)
  }

  /// A head and shoulders: two ellipsoids, 22 and 40 cm wide.
  private func body(_ x: Int, _ y: Int, at metres: Double) -> Double? { Self.body(x, y, of: Self.face, at: metres) }

  private static func body(_ x: Int, _ y: Int, of face: Rect, at metres: Double) -> Double? {
    let scale = 0.15 / face.width
    let (u, v) = ((Double(x) - face.center.x) * scale, (Double(y) - face.center.y) * scale)
    func front(_ a: Double, _ b: Double, _ depth: Double, _ v: Double, _ z: Double) -> Double? {
      let rest = 1 - u * u / (a * a) - v * v / (b * b)
      return rest > 0 ? z - depth * rest.squareRoot() : nil
    }
    return front(0.09, 0.14, 0.1, v, metres + 0.1) ?? front(0.22, 0.3, 0.12, v - 0.42, metres + 0.14)
  }

  @Test(arguments: [0.9, 1.5, 2.2, 2.8]) func aPersonOpens(metres: Double) {
    #expect(refusal(map { body($0, $1, at: metres) }, at: metres) == nil)
  }

  /// A face on a poster is in a plane, whether it hangs free at 2.2 m, is part of the wall, or is rotated.
  @Test(arguments: [0, 0.3, 1]) func aPosterIsFlat(turn: Double) {
    let poster = map { x, y in
      (130..<190).contains(x) && (30..<130).contains(y) ? 2.2 + turn * (Double(x) - 160) / 24 * 0.15 : nil
    }
    #expect(refusal(poster) == .flat)
    #expect(refusal(map { _, _ in nil }, at: 4) == .flat)
    // The network also sees the person on the poster, but depth decides.
    let seen = Evidence.CoarseMatte(Matte(constant: 1, width: 32, height: 18))
    #expect(refusal(poster, network: seen) == .flat)
  }

  /// According to depth, a ball or a picture above furniture has no body, unless the network sees one.
  @Test func aHeadAlone() {
    let ball = map { x, y in
      body(x, y, at: 2.2).flatMap { y < 72 ? $0 : nil }
    }
    #expect(refusal(ball) != nil)
    // A portrait as large as the face, above a nearer sofa: it is not flat, but does not stand out either.
    let portrait = map { x, y in y > 75 ? 2.45 - Double(y - 75) / 400 : 2.5 }
    #expect(refusal(portrait, at: 2.5) == .bodiless)
    let seen = Evidence.CoarseMatte(Matte(constant: 1, width: 32, height: 18))
    #expect(refusal(portrait, at: 2.5, network: seen) == nil)
  }

  /// In holes of the depth map only the network decides.
  @Test func inAHole() {
    let holes = DepthMap(metres: Plane(repeating: Float.nan, width: Self.width, height: Self.height))
    #expect(refusal(holes) == .bodiless)
    #expect(refusal(holes, network: Evidence.CoarseMatte(Matte(constant: 1, width: 32, height: 18))) == nil)
    #expect(refusal(holes, network: Evidence.CoarseMatte(Matte(constant: 0, width: 32, height: 18))) == .bodiless)
  }

  /// A poster that ends under the chin, above nearer furniture, is not flat together with it.
  @Test func aPosterThatEndsUnderTheChin() {
    for end in [92, 110] {
      let poster = map { x, y in
        (130..<190).contains(x) && (30..<end).contains(y) ? 2.2 : y >= end ? 2.05 - Double(y - end) / 300 : nil
      }
      #expect(refusal(poster) == .flat, "\(end)")
    }
  }

  /// The people of the simulated camera have bodies, wherever they sit. The network must confirm people who sit side by side or behind a
  /// mug, because their heads do not stand out on both sides.
  @Test(arguments: ["sim:talking", "sim:mug", "sim:two-people", "sim:outdoor", "sim:dark"], [0, 0.8, 1.5])
  func simulatedPeopleOpen(address: String, farther: Float) throws {
    let camera = try SimulatedCamera(address: address + "?size=640x360")
    for index in [0, 20, 45] {
      var scene = camera.frame(index).frame
      scene.depth = scene.depth.map { DepthMap(metres: $0.metres.moved(by: farther), intrinsics: $0.intrinsics) }
      let depth = try #require(scene.depth)
      let needsNetwork = camera.characters.count > 1 || address == "sim:mug"
      let network = needsNetwork ? Evidence.CoarseMatte(Matte(q15: camera.frame(index).alpha)) : nil
      for face in try #require(scene.faces) {
        let metres = Double(try #require(DepthMatteMaker.distance(of: face, in: scene)))
        let judge = FaceJudge(depth: depth, width: 640, height: 360, network: network)
        let relief = judge.relief(of: face, at: metres) ?? -1
        #expect(judge.refusal(of: face, at: metres) == nil, "frame \(index), \(metres) m: relief \(relief)")
      }
    }
  }

  // MARK: - The whole engine

  /// The simulated room without people, and a flat picture in it, 2.2 m away.
  private func emptyScene(with poster: Image, _ corner: (x: Int, y: Int)) throws -> Scene {
    let camera = try SimulatedCamera(address: "sim:talking?size=1280x720")
    var image = Image(.bgra8, width: 1280, height: 720, color: .jpeg)
    let empty = camera.setting.picture
    for y in 0..<720 {
      let from = empty.row(y)
      var row = image.mutableRow(y)
      for x in row.indices { row[x] = from[x] }
    }
    let picture = poster.converted(to: .bgra8)
    image.paste(picture, x: corner.x, y: corner.y)
    var metres = camera.setting.metres
    let scale = metres.width
    for y in corner.y * scale / 1280..<(corner.y + picture.height) * scale / 1280 {
      for x in corner.x * scale / 1280..<(corner.x + picture.width) * scale / 1280 { metres[x, y] = 2.2 }
    }
    return Scene(
      image: image,
      depth: DepthMap(metres: metres, intrinsics: camera.intrinsics.scaled(toWidth: scale, height: scale * 9 / 16)))
  }

  /// The output of a live session for a scene, with default settings.
  private func shown(_ scene: Scene) throws -> (evidence: Evidence, rendering: Rendering, faces: Int, reliefs: [String])
  {
    var found = scene
    if scene.faces == nil { try FaceFinder().find(in: &found) }
    let judge = FaceJudge(depth: try #require(scene.depth), width: 1280, height: 720, network: nil)
    let reliefs = (found.faces ?? []).map { face in
      let metres = Double(DepthMatteMaker.distance(of: face, in: found) ?? -1)
      return "\(face) \(metres) \(judge.relief(of: face, at: metres) ?? -1)"
    }
    let workers = WorkerPool(threads: 2)
    let engine = try StreamEngine(
      StreamSettings(), StreamDescription(width: 1280, height: 720, hasDepth: true), for: .live(rate: nil),
      workers: workers)
    var spare = Image(.bgra8, width: 1280, height: 720)
    let rendering = engine.render(scene, into: &spare).rendering
    return (engine.evidence, rendering, reliefs.count, reliefs)
  }

  /// A colour picture and its depth.
  private func recorded(_ name: String) throws -> (image: Image, depth: DepthMap) {
    var input = SceneInput.Options()
    input.depth = TestData.path(name.dropLast(4) + "_depth.png")
    var source = try SceneInput.open(TestData.path(name), options: input)
    let read = try source.next()
    return (try #require(read?.image), try #require(read?.depth))
  }

  /// A portrait, and depth of a head and shoulders 0.9 m away where the face is, in front of a wall at 2.6 m.
  private func seated(_ name: String) throws -> (image: Image, depth: DepthMap) {
    let image = try Picture.load(TestData.path(name), as: .bgra8)
    let face = try #require(try FaceDetector().detect(in: image).first).box
    var metres = Plane<Float>(repeating: 2.6, width: image.width, height: image.height)
    for (y, x) in product(0..<image.height, 0..<image.width) {
      if let z = Self.body(x, y, of: face, at: 0.9) { metres[x, y] = Float(z) }
    }
    return (image, DepthMap(metres: metres))
  }

  static let needsNetworks: ConditionTrait = .enabled(
    if: NetworkRuntime.isInstalled && ModelStore().isComplete, "needs the network runtime: backdrop models install")

  /// A drawn portrait on a poster must not move the cutoff to 2.45 m, which would show 85 % of the real background.
  @Test(FaceJudgeTests.needsNetworks) func aPosterInAnEmptyScene() throws {
    let portrait = try SimulatedCamera(address: "sim:talking?size=1280x720").frame(0).frame
    let face = try #require(portrait.faces?.first)
    let small = try portrait.image.scaled(toWidth: 768, height: 432)
    var scene = try emptyScene(with: small, (x: 256, y: 150))
    // Faces that the camera reports itself.
    scene.faces = [
      Rect(x: 256 + 0.6 * face.x, y: 150 + 0.6 * face.y, width: 0.6 * face.width, height: 0.6 * face.height)
    ]
    let outcome = try shown(scene)
    #expect(outcome.evidence.cutoffMetres == 1 && !outcome.evidence.isCutoffFromFace)
    #expect(outcome.evidence.subject.coverage < 0.01)
    #expect(outcome.rendering.exposedBackground == 0)
  }

  /// The same with photos of people: none of their faces reveals the real background.
  @Test(
    FaceJudgeTests.needsNetworks, .enabled(if: TestData.hasPhotos, "needs make setup-test"),
    arguments: TestData.people
      + TestData.present(
        ["73", "78", "84", "114", "126", "130", "131", "157", "188", "217"].map { "matting/humanseg/\($0).jpg" }))
  func aPhotoInAnEmptyScene(name: String) throws {
    let photo = try Picture.load(TestData.path(name))
    let scale = min(460 / Double(photo.width), 420 / Double(photo.height))
    let small = try photo.scaled(
      toWidth: Int(Double(photo.width) * scale) & ~1, height: Int(Double(photo.height) * scale) & ~1)
    let outcome = try shown(try emptyScene(with: small, (x: 500, y: 250)))
    let reliefs = outcome.reliefs
    #expect(outcome.evidence.cutoffMetres == 1 && !outcome.evidence.isCutoffFromFace, "faces and reliefs: \(reliefs)")
    #expect(outcome.evidence.subject.coverage < 0.01)
  }

  /// The cutoff follows a person, although the default cutoff is in front of the face and the margin.
  @Test(
    FaceJudgeTests.needsNetworks, .enabled(if: TestData.hasPhotos, "needs make setup-test"),
    arguments: [TestData.people[1]] + TestData.present(["rgbd/person_turntable/0000000000.jpg"]))
  func aRealPersonIsFollowed(name: String) throws {
    let (image, depth) = try TestData.people.contains(name) ? seated(name) : recorded(name)
    for (farther, range) in [(Float(0), 3.0), (1.3, 3), (1.3, 2)] {
      let moved = DepthMap(metres: depth.metres.moved(by: farther))
      var options = AnalyzerOptions()
      options.farthestFaceMetres = range
      let analyzer = SceneAnalyzer(
        StreamDescription(width: image.width, height: image.height, hasDepth: true), options: options,
        workers: WorkerPool(threads: 2))
      var evidence = Evidence()
      let request = EvidenceRequest(.backdrop, try Look.backdrop.settings())
      try analyzer.analyze(Scene(image: image, depth: moved), for: request, into: &evidence)
      let isInRange = 0.9 + Double(farther) <= range
      #expect(evidence.isCutoffFromFace == isInRange, "\(farther) m farther, up to \(range) m")
      #expect(analyzer.warnings.isEmpty == isInRange)
    }
  }
}
