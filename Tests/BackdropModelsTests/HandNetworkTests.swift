import BackdropCodecs
import BackdropDepth
import BackdropImaging
import TestSupport
import Testing

@testable import BackdropModels

/// The hand networks on real pictures.
@Suite(.enabled(if: NetworkTests.hasDefaultModels, NetworkTests.needsRuntime))
struct HandNetworkTests {
  /// What MediaPipe 0.10.21 finds: `mp.solutions.hands` in Python with `static_image_mode`, `model_complexity=0` and 4 hands at most,
  /// pictures read by OpenCV: wrist and tips of thumb, index, middle and little finger, in pixels of the picture.
  private static let reference: [(name: String, hands: [[SIMD2<Double>]])] = [
    (
      "matting/humanseg/166.jpg",
      [
        [
          SIMD2(426.03, 423.98), SIMD2(367.97, 387.8), SIMD2(384.26, 394.65), SIMD2(378.63, 406.57),
          SIMD2(382.01, 433.99),
        ]
      ]
    ),
    (
      "matting/p3m/p_bd6af989.jpg",
      [
        [
          SIMD2(632.78, 1377.74), SIMD2(572.21, 1466.39), SIMD2(575.41, 1487.8), SIMD2(594.12, 1486.22),
          SIMD2(634.78, 1468.59),
        ],
        [
          SIMD2(330.96, 1269.56), SIMD2(301.4, 1370.18), SIMD2(312.73, 1397.34), SIMD2(332.5, 1392.01),
          SIMD2(343.52, 1369.74),
        ],
      ]
    ),
  ]

  /// The same hands within 6 % of a palm's length, about what half precision and MediaPipe's own sampling make of it.
  @Test(.enabled(if: TestData.isPresent, PoseNetworkTests.needsData))
  func agreesWithMediaPipe() throws {
    let detector = try LandmarkDetector<HandLandmarks>.load()
    let landmarker = try Landmarker<HandLandmarks>.load()
    for (name, hands) in Self.reference {
      let image = try Picture.load(TestData.path(name), as: .rgba8)
      let found = try detector.detect(in: image).compactMap { try landmarker.look(at: $0, in: image) }
        .filter { $0.presence >= 0.5 }
      #expect(found.count == hands.count, "\(name)")
      for wanted in hands {
        func distance(_ hand: HandShape) -> Double {
          zip([0, 4, 8, 12, 20], wanted).map { joint, point in
            let arm = hand.joints[joint] - point
            return (arm.x * arm.x + arm.y * arm.y).squareRoot()
          }.max() ?? .infinity
        }
        let nearest = try #require(found.min { distance($0) < distance($1) })
        #expect(distance(nearest) < 0.06 * nearest.palmLength, "\(name): \(distance(nearest)) of \(nearest.palmLength)")
      }
    }
  }

  @Test(arguments: [(1, 1), (1, 2000), (640, 480), (33, 7)])
  func noHands(width: Int, height: Int) throws {
    var image = Image(.bgra8, width: width, height: height)
    image.fill(.white)
    #expect(try LandmarkDetector<HandLandmarks>.load().detect(in: image).isEmpty)
    let witness = try #require(PalmWitness(networks: ModelCache(), threads: 1))
    #expect(try witness.hands(in: image, near: Rect(x: 0, y: 0, width: 1, height: 1)).isEmpty)
  }

  @Test func anotherNetworkIsSaid() throws {
    let other = try #require(ModelStore().path(of: FaceDetector.file))
    do {
      _ = try LandmarkDetector<HandLandmarks>.load(path: other)
      Issue.record("a face network was taken for a palm network")
    } catch {
      #expect(error.kind == .badData && error.message.contains("1×2016×18"), "\(error.message)")
    }
    do {
      _ = try Landmarker<HandLandmarks>.load(path: other)
      Issue.record("a face network was taken for a landmark network")
    } catch {
      #expect(error.kind == .badData && error.message.contains("1×63"), "\(error.message)")
    }
  }

  @Test func absentModelsAreNoWitness() {
    let folder = TemporaryFolder()
    #expect(PalmWitness(networks: ModelCache(), threads: 1, store: ModelStore(folder: folder.path)) == nil)
  }
}
