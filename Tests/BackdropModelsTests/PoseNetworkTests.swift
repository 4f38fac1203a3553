import BackdropCodecs
import BackdropDepth
import BackdropImaging
import Foundation
import TestSupport
import Testing

@testable import BackdropModels

/// The pose networks on real pictures.
@Suite(.enabled(if: NetworkTests.hasDefaultModels, NetworkTests.needsRuntime))
struct PoseNetworkTests {
  /// The same bodies and outlines as MediaPipe's, within the error of its half-precision kernels.
  @Test(.enabled(if: TestData.hasPhotos, "needs make setup-test"))
  func agreesWithMediaPipe() throws {
    let detector = try LandmarkDetector()
    let landmarker = try Landmarker()
    let present = TestData.present(PoseReference.pictures.map(\.name))
    for (name, wanted) in PoseReference.pictures where present.contains(name) {
      let image = try Picture.load(TestData.path(name), as: .rgba8)
      let found = try detector.detect(in: image)
      guard let wanted else {
        #expect(found.isEmpty, "\(name)")
        continue
      }
      let body = try #require(found.first, "\(name)")
      #expect(abs(body.score - wanted.score) < 0.002, "\(name): \(body.score)")
      let values =
        [body.head.x, body.head.y, body.head.width, body.head.height]
        + [body.hips, body.crown].flatMap { [$0.x, $0.y] }
      // A thousandth of the picture's longer side.
      let tolerance = Double(max(image.width, image.height)) / 1000
      for (a, b) in zip(values, wanted.coordinates) { #expect(abs(a - b) < tolerance, "\(name): \(a) \(b)") }
      let outline = try #require(try landmarker.shape(of: body, in: image))
      #expect(outline.presence > 0.5, "\(name): \(outline.presence)")
      #expect(abs(area(of: outline, image) - wanted.outline) < 0.01, "\(name): \(area(of: outline, image))")
    }
  }

  /// The share of the picture that an outline covers, from its samples inside the picture.
  private func area(of outline: BodyOutline, _ image: Image) -> Double {
    let part = 1 / Double(outline.side)
    var count = 0
    for (index, likelihood) in outline.likelihood.enumerated() where likelihood > 0.5 {
      let position = outline.square.point(
        (Double(index % outline.side) + 0.5) * part, (Double(index / outline.side) + 0.5) * part)
      if position.x >= 0 && position.y >= 0 && position.x < Double(image.width) && position.y < Double(image.height) {
        count += 1
      }
    }
    let edge = outline.square.right
    return Double(count) * (edge.x * edge.x + edge.y * edge.y) * part * part / Double(image.width * image.height)
  }

  @Test(arguments: [(1, 1), (1, 2000), (640, 480), (33, 7)])
  func nobody(width: Int, height: Int) throws {
    var image = Image(.bgra8, width: width, height: height)
    image.fill(.white)
    #expect(try LandmarkDetector().detect(in: image).isEmpty)
  }

  /// With a minimum score of 0 all 2254 anchors are candidates, and the network must handle each.
  @Test func everyAnchorAtOnce() throws {
    var image = Image(.bgra8, width: 64, height: 48)
    image.fill(.black)
    let found = try LandmarkDetector().detect(in: image, minimumScore: 0)
    #expect(found.count > 10)
    for (a, b) in zip(found, found.dropFirst()) { #expect(a.score >= b.score) }
    let landmarker = try Landmarker()
    for pose in found.prefix(20) {
      if let outline = try landmarker.shape(of: pose, in: image) { #expect((0...1).contains(outline.presence)) }
    }
  }

  @Test func anotherNetworkIsSaid() throws {
    let other = try #require(ModelStore().path(of: FaceDetector.file))
    let (folder, files) = (TemporaryFolder(), [BodyLandmarks.detector.file, BodyLandmarks.landmarker.file])
    for file in files { try FileManager.default.copyItem(atPath: other, toPath: folder.file(file)) }
    let store = ModelStore(folder: folder.file("none"), ownFolder: folder.path)
    do {
      _ = try LandmarkDetector(store: store)
      Issue.record("a face network was taken for a pose network")
    } catch {
      #expect(error.kind == .badData && error.path == folder.file(files[0]))
      #expect(error.message.contains("1×2254×12") && error.message.contains("1×896×16"), "\(error.message)")
    }
    do {
      _ = try Landmarker(store: store)
      Issue.record("a face network was taken for a landmark network")
    } catch {
      #expect(error.kind == .badData && error.message.contains("1×256×256×1"), "\(error.message)")
    }
  }

  @Test(arguments: [BodyLandmarks.detector.file, BodyLandmarks.landmarker.file])
  func anAbsentModelIsSaid(file: String) throws {
    let folder = TemporaryFolder()
    let store = ModelStore(folder: folder.path)
    do {
      if file == BodyLandmarks.detector.file {
        _ = try LandmarkDetector(store: store)
      } else {
        _ = try Landmarker(store: store)
      }
      Issue.record("a model was found in an empty folder")
    } catch {
      #expect(error.kind == .unsupported && error.message.contains(file))
      #expect(error.hint == .installNetworks)
    }
  }
}
