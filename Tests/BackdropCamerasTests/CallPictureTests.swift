import BackdropImaging
import Testing

@testable import BackdropCameras

/// Call programs receive one colour format, whatever the formats of the camera and of the standby frames.
@Suite struct CallPictureTests {
  static let descriptions: [ColorDescription] = [
    .jpeg, .video, CallPicture.color, ColorDescription(matrix: .bt709, range: .full),
  ]

  @Test(arguments: [PixelFormat.yuyv, .i420, .nv12], [PixelFormat.i420, .nv12, .yuyv, .bgra8])
  func allComeOutInTheSameColors(_ format: PixelFormat, _ source: PixelFormat) {
    var pictures = CallPicture()
    // #00A000 by BT.601 in limited range: 16 + 219 · .587 · 160/255, 128 − 224 · .3313 · 160/255, 128 − 224 · .4187 · 160/255.
    let expected = [97, 81, 69]
    for color in Self.descriptions + Self.descriptions.reversed() {
      for (width, height) in [(2, 2), (34, 6), (6, 34)] {
        var image = Image(source, width: width, height: height, color: color)
        image.fill(RGBColor(red: 0, green: 160 / 255.0, blue: 0))
        let result = pictures(image, as: format)
        #expect(result.format == format && result.color == CallPicture.color)
        #expect(result.width == width && result.height == height)
        let i420 = result.converted(to: .i420)
        for plane in 0..<3 {
          let found = Int(i420.plane(plane, as: UInt8.self)[0, 0])
          #expect(abs(found - expected[plane]) <= 1, "\(source) \(color) as \(format): \(found) in plane \(plane)")
        }
      }
    }
  }

  @Test func whatFitsIsNotTouched() {
    var pictures = CallPicture()
    var image = Image(.i420, width: 8, height: 8, color: CallPicture.color)
    image.fill(.black)
    #expect(pictures(image, as: .i420).plane(0, as: UInt8.self)[0, 0] == 16)
  }
}
