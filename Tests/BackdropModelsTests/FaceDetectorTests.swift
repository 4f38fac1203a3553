import BackdropCodecs
import BackdropDepth
import BackdropImaging
import Foundation
import TestSupport
import Testing

@testable import BackdropModels

/// The face network on real pictures.
@Suite(.enabled(if: NetworkTests.hasDefaultModels, NetworkTests.needsRuntime))
struct FaceDetectorTests {
  /// The same faces, within rounding: 0.2 pixels. OpenCV rounds sampling positions to 1/32 of a pixel, so positions in the middle between
  /// two steps cause the largest differences, of 0.1 pixels.
  @Test(.enabled(if: TestData.hasPhotos, "needs make setup-test"))
  func agreesWithMediaPipe() throws {
    let detector = try FaceDetector()
    let present = TestData.present(FaceReference.pictures.map(\.name))
    for (name, wanted) in FaceReference.pictures where present.contains(name) {
      let image = try Picture.load(TestData.path(name), as: .rgba8)
      let found = try detector.detect(in: image).sorted { $0.score > $1.score }
      try #require(found.count == wanted.count, "\(name)")
      for (face, want) in zip(found, wanted) {
        #expect(abs(face.score - want.score) < 5e-4, "\(name): \(face.score)")
        let box = [face.box.x, face.box.y, face.box.width, face.box.height]
        for (a, b) in zip(box, want.box) { #expect(abs(a - b) < 0.2, "\(name): \(a) \(b)") }
      }
    }
  }

  @Test(.enabled(if: TestData.hasPhotos, "needs make setup-test"))
  func largestFirst() throws {
    // Two people side by side, the smaller face first.
    var image = Image(.rgba8, width: 1024, height: 512, color: .jpeg)
    for (index, name) in TestData.people.enumerated() {
      let (x, side) = index == 0 ? (75, 300) : (0, 512)
      let person = try Picture.load(TestData.path(name), as: .rgba8)
        .cropped(x: x, y: 0, width: side, height: side).scaled(toWidth: 512, height: 512)
      image.paste(person, x: 512 * index, y: 0)
    }
    let faces = try FaceDetector().detect(in: image)
    try #require(faces.count == 2)
    #expect(faces[0].box.width > faces[1].box.width && faces[0].box.x > 512)
  }

  /// Formats with the same samples produce the same faces; those that round colours, faces within a pixel.
  @Test(.enabled(if: TestData.hasPhotos, "needs make setup-test"))
  func formatsAgree() throws {
    let image = try Picture.load(TestData.path(TestData.people[0]), as: .rgba8)
    let detector = try FaceDetector()
    let wanted = try #require(try detector.detect(in: image).first)
    for format in PixelFormat.allCases {
      let face = try #require(try detector.detect(in: image.converted(to: format, color: .jpeg)).first, "\(format)")
      switch format {
      case .bgra8, .rgba8, .rgb8: #expect(face == wanted, "\(format)")
      case .i420, .nv12, .yuyv: #expect(abs(face.box.center.x - wanted.box.center.x) < 1, "\(format)")
      // The network was never trained on faces without colour.
      case .gray8, .gray16, .grayFloat: #expect(abs(face.box.center.x - wanted.box.center.x) < 10, "\(format)")
      }
    }
  }

  @Test(arguments: [(1, 1), (1, 2000), (640, 480), (33, 7)])
  func nobody(width: Int, height: Int) throws {
    var image = Image(.bgra8, width: width, height: height)
    image.fill(.white)
    #expect(try FaceDetector().detect(in: image).isEmpty)
  }

  /// With a minimum score of 0 all 896 anchors are candidates. Most are not faces, but the detector must handle them.
  @Test func everyAnchorAtOnce() throws {
    let detector = try FaceDetector()
    detector.minimumScore = 0
    var image = Image(.bgra8, width: 64, height: 48)
    image.fill(.black)
    let faces = try detector.detect(in: image)
    #expect(faces.count > 10)
    for (a, b) in zip(faces, faces.dropFirst()) { #expect(a.box.width * a.box.height >= b.box.width * b.box.height) }
  }

  @Test func anotherNetworkIsSaid() throws {
    let other = try #require(ModelStore().path(of: NetworkDescription.selfieGeneral.file))
    let folder = TemporaryFolder()
    try FileManager.default.copyItem(atPath: other, toPath: folder.file(FaceDetector.file))
    let store = ModelStore(folder: folder.file("none"), ownFolder: folder.path)
    do {
      _ = try FaceDetector(store: store)
      Issue.record("a selfie network was taken for a face network")
    } catch {
      #expect(error.kind == .badData && error.path == folder.file(FaceDetector.file))
      #expect(error.message.contains("1×896×16") && error.message.contains("1×256×256×3"), "\(error.message)")
    }
  }

  @Test func anAbsentModelIsSaid() throws {
    let folder = TemporaryFolder()
    do {
      _ = try FaceDetector(store: ModelStore(folder: folder.path))
      Issue.record("a model was found in an empty folder")
    } catch {
      #expect(error.kind == .unsupported && error.hint == .installNetworks)
    }
  }
}
