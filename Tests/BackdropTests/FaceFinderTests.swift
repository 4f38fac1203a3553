import BackdropDepth
import BackdropImaging
import BackdropModels
import TestSupport
import Testing

@testable import Backdrop
@testable import BackdropSimulation

@Suite struct FaceFinderTests {
  /// For a camera with a focal length of 525 pixels, a box of 100 pixels is 19 cm wide at 1 m and 48 cm at 2.5 m.
  @Test(arguments: [(1.0, true), (1.8, true), (1.9, false), (2.5, false)])
  func aFaceAsWideAsAShoulderIsNone(metres: Double, isPlausible: Bool) {
    let box = Rect(x: 200, y: 100, width: 100, height: 100)
    for scale in [1, 2] {
      // A depth map of half the picture's size, with a camera for either size, gives the same result.
      let camera = Intrinsics(fx: 525, fy: 525, cx: 320, cy: 240, width: 640, height: 480)
        .scaled(toWidth: 640 / scale, height: 480 / scale)
      let depth = DepthMap(metres: Plane(repeating: Float(metres), width: 320, height: 240), intrinsics: camera)
      let frame = Scene(image: Image(.gray8, width: 640, height: 480), depth: depth)
      #expect(FaceFinder.isPlausible(box, in: frame) == isPlausible)
    }
    var unknown = Scene(image: Image(.gray8, width: 640, height: 480))
    #expect(FaceFinder.isPlausible(box, in: unknown))
    unknown.depth = DepthMap(metres: Plane(repeating: Float(metres), width: 320, height: 240))
    #expect(FaceFinder.isPlausible(box, in: unknown))
  }

  /// The network also finds the drawn faces of the simulated camera, at the positions that the camera reports.
  @Test(
    .enabled(
      if: NetworkRuntime.isInstalled && ModelStore().isComplete, "needs the network runtime: backdrop models install"),
    arguments: ["sim:talking", "sim:two-people"])
  func findsDrawnFaces(address: String) throws {
    let camera = try SimulatedCamera(address: address + "?size=640x360&seconds=3")
    let finder = FaceFinder()
    for index in stride(from: 0, to: camera.frameCount, by: 15) {
      var frame = camera.frame(index).frame
      let told = try #require(frame.faces)
      try finder.find(in: &frame)
      let found = try #require(frame.faces)
      #expect(found.count == told.count, "frame \(index)")
      for (face, known) in zip(found, told) {
        let miss = max(abs(face.center.x - known.center.x), abs(face.center.y - known.center.y))
        #expect(miss < known.width / 4, "frame \(index): \(face) \(known)")
      }
    }
    #expect(finder.warnings.isEmpty)
  }

  /// With an empty store frames do not change, and the finder reports it once.
  @Test func withoutTheNetwork() throws {
    let folder = TemporaryFolder()
    let finder = FaceFinder(store: ModelStore(folder: folder.path))
    var frame = Scene(image: Image(.rgba8, width: 64, height: 48))
    for _ in 0..<3 { try finder.find(in: &frame) }
    #expect(frame.faces == nil && finder.warnings.count == 1)
  }
}
