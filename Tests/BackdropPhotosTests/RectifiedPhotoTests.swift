import BackdropDepth
import TestSupport
import Testing

@testable import BackdropPhotos

/// Removing the lens distortion of photos from phones.
@Suite(.enabled(if: TestData.isPresent, "needs BACKDROP_DATA")) struct RectifiedPhotoTests {
  /// The two polynomials of a photo are inverse to each other. The test confirms their meaning, which no source documents.
  @Test(arguments: ["iphonex_person_depth_matte.jpg", "iphone7plus_statue_orient6.jpg"])
  func polynomialsAreInverse(_ name: String) throws {
    let calibration = try #require(try DepthPhoto.read(TestData.path("photos/" + name)).calibration)
    let camera = calibration.camera
    guard case .radial(let tables) = camera.lens else {
      Issue.record("no tables: \(camera)")
      return
    }
    #expect(tables.distorting.contains { abs($0) > 0.001 } && tables.distorting.allSatisfy { abs($0) < 0.02 })
    let size = calibration.intrinsics
    for y in stride(from: 200.0, to: Double(size.height) - 200, by: 300) {
      for x in stride(from: 200.0, to: Double(size.width) - 200, by: 300) {
        let direction = camera.direction(x: x, y: y)
        let pixel = camera.pixel(x: direction.x, y: direction.y)
        #expect(abs(pixel.x - x) < 0.5 && abs(pixel.y - y) < 0.5, "(\(x), \(y)): \(pixel)")
      }
    }
  }

  @Test func pictureAndDepth() throws {
    let photo = try DepthPhoto.read(TestData.path("photos/iphonex_person_depth_matte.jpg"))
    let straight = try photo.rectified()
    #expect(straight.image.width == photo.width && straight.image.height == photo.height)
    let depth = try #require(try photo.depth())
    #expect(straight.disparity.width == depth.width && straight.disparity.height == depth.height)
    // A magnification below 1 % moves little.
    let (before, after) = (
      try #require(depth.disparity.percentile(50)), try #require(straight.disparity.percentile(50))
    )
    #expect(abs(before - after) < 0.05 * abs(before))
  }
}
