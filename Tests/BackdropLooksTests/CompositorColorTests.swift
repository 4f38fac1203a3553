import BackdropDepth
import BackdropImaging
import BackdropMatting
import TestSupport
import Testing

@testable import BackdropLooks

/// Pictures with several colour spaces in one composition: the result is in the frame's space.
@Suite struct CompositorColorTests {
  static func flat(_ bytes: [UInt8], _ width: Int, _ height: Int, _ space: ColorSpace) throws -> Image {
    let all = (0..<width * height).flatMap { _ in bytes }
    return try Image(.rgb8, width: width, height: height, packed: all.span, color: .jpeg.with(space))
  }

  /// The upper left pixel in sRGB.
  static func corner(_ image: Image) -> [Double] {
    image.converted(to: .rgb8).converted(to: .sRGB).packedBytes[..<3].map(Double.init)
  }

  @Test(
    arguments: Compositor.formats,
    [
      (ColorSpace.displayP3, ColorSpace.sRGB), (.sRGB, .displayP3), (.bt2020, .adobeRGB), (.sRGB, .sRGB),
      (.displayP3, .displayP3),
    ])
  func backgroundsAreConverted(format: PixelFormat, spaces: (frame: ColorSpace, background: ColorSpace)) throws {
    let color = ColorDescription.video.with(spaces.frame)
    let frame = try Self.flat([90, 120, 60], 16, 12, spaces.frame).converted(to: format, color: color)
    let matte = Matte(constant: 0, width: 1, height: 1)
    let compositor = try Compositor(
      .backdrop, width: 16, height: 12, format: format, color: color, workers: WorkerPool(threads: 1))
    // A colour inside all four spaces, in a background of the frame's size, which needs no scaling, and in a larger one.
    for (width, height) in [(16, 12), (40, 20)] {
      let picture = try Self.flat([130, 110, 90], width, height, spaces.background)
      for given in [picture, picture.converted(to: format, color: color.with(spaces.background))] {
        try compositor.setBackground(.picture(given))
        var output = Image(format, width: 16, height: 12)
        try compositor.render(frame, matte: matte, into: &output)
        #expect(output.color.space == spaces.frame)
        for (found, wanted) in zip(Self.corner(output), Self.corner(picture)) {
          // One level for each conversion, and one or two for 8-bit Y′CbCr.
          #expect(abs(found - wanted) <= (format == .i420 || format == .nv12 ? 4 : 2), "\(width)")
        }
      }
    }
  }

  @Test(arguments: Compositor.formats) func coloursAreSRGB(format: PixelFormat) throws {
    let color = ColorDescription.video.with(.displayP3)
    let frame = try Self.flat([90, 120, 60], 16, 12, .displayP3).converted(to: format, color: color)
    let compositor = try Compositor(
      .backdrop, width: 16, height: 12, format: format, color: color, workers: WorkerPool(threads: 1))
    try compositor.setBackground(.color(RGBColor(red: 200.0 / 255, green: 60.0 / 255, blue: 40.0 / 255)))
    var output = Image(format, width: 16, height: 12)
    try compositor.render(frame, matte: Matte(constant: 0, width: 1, height: 1), into: &output)
    let tolerance = format == .i420 || format == .nv12 ? 4.0 : 2
    for (found, wanted) in zip(Self.corner(output), [200.0, 60, 40]) { #expect(abs(found - wanted) <= tolerance) }
    compositor.renderStandby(into: &output)
    for (found, wanted) in zip(Self.corner(output), [200.0, 60, 40]) { #expect(abs(found - wanted) <= tolerance) }
    // The person's own colours do not change by a single bit.
    try compositor.render(frame, matte: Matte(constant: 1, width: 1, height: 1), into: &output)
    #expect(output.packedBytes == frame.packedBytes)
  }
}
