import BackdropImaging
import Foundation
import TestSupport
import Testing

@testable import BackdropFFmpeg
@testable import BackdropVideo

/// Colours of videos: the marks that ffprobe reads, and the conversion of pictures in other colours.
@Suite struct VideoColorTests {
  let folder = TemporaryFolder()

  static func flat(_ color: RGBColor, _ description: ColorDescription, _ format: PixelFormat = .rgb8) -> Image {
    var image = Image(format, width: 64, height: 32, color: description)
    image.fill(color)
    return image
  }

  func tags(_ path: String) throws -> [String] {
    try ["color_range", "color_space", "color_primaries", "color_transfer"].map { try MediaTool.videoField(path, $0) }
  }

  func written(_ image: Image, _ color: ColorDescription, _ name: String = "a.mp4") throws -> VideoReader {
    let path = folder.file(name)
    var settings = VideoSettings(width: 64, height: 32, frameRate: Rational(25, 1), color: color)
    settings.quality = 1
    let writer = try VideoWriter(OutputFile(path, overwrite: true), settings: settings)
    for time in 0..<3 { try writer.write(image, time: Int64(time), duration: 1) }
    try writer.finish()
    return try VideoReader(path: path)
  }

  @Test(arguments: [
    (ColorDescription.video, ["tv", "bt709", "bt709", "bt709"]),
    (ColorDescription(matrix: .bt601, range: .limited), ["tv", "smpte170m", "bt709", "smpte170m"]),
    (
      ColorDescription(matrix: .bt601, range: .limited, space: ColorSpace(.bt601Lines525)),
      ["tv", "smpte170m", "smpte170m", "smpte170m"]
    ),
    (
      ColorDescription(matrix: .bt601, range: .full, space: ColorSpace(.bt601Lines625)),
      ["pc", "smpte170m", "bt470bg", "smpte170m"]
    ),
    (
      ColorDescription(matrix: .bt2020, range: .limited, space: .bt2020), ["tv", "bt2020nc", "bt2020", "bt2020-10"]
    ),
    (ColorDescription.video.with(.displayP3), ["tv", "bt709", "smpte432", "bt709"]),
    (
      ColorDescription(matrix: .bt2020, range: .limited, space: ColorSpace(.bt2020, .pq)),
      ["tv", "bt2020nc", "bt2020", "smpte2084"]
    ),
    // Videos have no marks for this space, so the writer converts pictures.
    (ColorDescription.video.with(.adobeRGB), ["tv", "bt709", "bt709", "bt709"]),
  ])
  func videosSayWhatTheyAre(color: ColorDescription, marks: [String]) throws {
    let reader = try written(Self.flat(RGBColor(red: 0.5, green: 0.4, blue: 0.3), color), color)
    #expect(try tags(reader.path) == marks)
    #expect(reader.color == (color.space == .adobeRGB || color.space.transfer.isHDR ? .video : color))
    #expect(try reader.next()?.image.color == reader.color)
  }

  /// The writer converts pictures in other colours than the video's, and does not just relabel them.
  @Test(arguments: [PixelFormat.rgb8, .bgra8, .i420, .nv12])
  func picturesAreConverted(format: PixelFormat) throws {
    let color = RGBColor(red: 0.6, green: 0.4, blue: 0.25)
    for space in [ColorSpace.displayP3, .adobeRGB, .sRGB] {
      let reader = try written(Self.flat(color, .video.with(space), format), .video, "\(space.name).mp4")
      let image = try #require(try reader.next()).image.converted(to: .rgb8)
      #expect(image.color.space == .sRGB)
      for (found, wanted) in zip(image.packedBytes, [153, 102, 63.75]) {
        #expect(abs(Double(found) - wanted) <= 4, "\(space.name) \(format)")
      }
    }
  }

  /// The writer copies the source's marks only if they are still true.
  @Test func marksOfTheSource() throws {
    let source = folder.file("in.mp4")
    try MediaTool.make(
      "-f lavfi -i color=c=orange:s=64x32:r=25:d=0.2 -c:v libx264 -pix_fmt yuv420p -colorspace smpte170m -color_range tv "
        + "-color_primaries smpte170m -color_trc bt709", source)
    let (reader, _) = try passThrough(source, folder.file("same.mp4"))
    #expect(reader.color.space == ColorSpace(.bt601Lines525))
    #expect(try tags(folder.file("same.mp4")) == tags(source))
    try passThrough(source, folder.file("other.mp4")) { $0.color = .video }
    #expect(try tags(folder.file("other.mp4")) == ["tv", "bt709", "bt709", "bt709"])
  }

  /// A video without marks has sRGB colours, or BT.2020's with that matrix.
  @Test(arguments: [
    ("bt709", ColorSpace.sRGB), ("smpte170m", .sRGB), ("bt2020nc", .bt2020),
  ])
  func whatIsNotSaid(matrix: String, space: ColorSpace) throws {
    let source = folder.file("in.mp4")
    try MediaTool.make(
      "-f lavfi -i color=c=orange:s=64x32:r=25:d=0.2 -c:v libx264 -pix_fmt yuv420p -colorspace \(matrix)", source)
    let reader = try VideoReader(path: source)
    #expect(reader.color.space == space)
    #expect(try reader.next()?.image.color.space == space)
  }

  /// A pipe does not declare the colours of its samples.
  @Test func pipesAreSRGB() throws {
    let (path, color) = (folder.file("a.y4m"), RGBColor(red: 0.6, green: 0.4, blue: 0.25))
    let file = open(path, O_WRONLY | O_CREAT, 0o600)
    let writer = try Y4MWriter(
      descriptor: file, width: 64, height: 32, frameRate: Rational(25, 1), pixelAspect: Rational(1, 1), color: .video)
    try writer.write(Self.flat(color, .video.with(.displayP3)))
    close(file)
    let samples = try Array(Data(contentsOf: URL(fileURLWithPath: path)).suffix(64 * 32 * 3 / 2))
    let image = try Image(.i420, width: 64, height: 32, packed: samples.span, color: .video)
    for (found, wanted) in zip(image.converted(to: .rgb8).packedBytes, [153, 102, 63.75]) {
      #expect(abs(Double(found) - wanted) <= 3)
    }
  }
}
