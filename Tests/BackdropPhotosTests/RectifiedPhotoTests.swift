import BackdropDepth
import TestSupport
import Testing

@testable import BackdropPhotos

/// Removing the lens distortion of photos like those of phones.
@Suite(.enabled(if: ExifTool.isPresent, "needs exiftool")) struct RectifiedPhotoTests {
  /// The two polynomials of a photo are inverse to each other. The photos of phones confirm the meaning of these, which no source documents.
  @Test(arguments: PhonePhoto.jpegWithDepth) func polynomialsAreInverse(_ name: String) throws {
    let calibration = try #require(try PhonePhoto.read(name).calibration)
    let camera = calibration.camera
    guard case .radial(let tables) = camera.lens else {
      Issue.record("no tables: \(camera)")
      return
    }
    #expect(tables.distorting.contains { abs($0) > 0.001 } && tables.distorting.allSatisfy { abs($0) < 0.02 })
    let size = calibration.intrinsics
    let step = Double(max(size.width, size.height)) / 20
    for y in stride(from: step, to: Double(size.height) - step, by: step) {
      for x in stride(from: step, to: Double(size.width) - step, by: step) {
        let direction = camera.direction(x: x, y: y)
        let pixel = camera.pixel(x: direction.x, y: direction.y)
        #expect(abs(pixel.x - x) < 0.5 && abs(pixel.y - y) < 0.5, "(\(x), \(y)): \(pixel)")
      }
    }
  }

  @Test(arguments: PhonePhoto.withPortraitMatte) func pictureAndDepth(_ name: String) throws {
    let photo = try PhonePhoto.read(name)
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
