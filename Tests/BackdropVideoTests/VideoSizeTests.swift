import BackdropImaging
import TestSupport
import Testing

@testable import BackdropVideo

/// Sizes at the limits of each codec, and beyond.
@Suite struct VideoSizeTests {
  let folder = TemporaryFolder()

  /// Sizes beyond a codec's give an error that names its limit.
  @Test(arguments: [
    ("a.mp4", VideoSettings.Codec.h264, 120, 29_791, "16384"), ("a.webm", .vp9, 16_386, 16, "16384"),
    ("a.mp4", .h264, 20_001, 2, "16384"), ("a.mkv", .h265, 1, 1, "16"), ("a.mov", .h265, 8, 2000, "16"),
  ])
  func sizesBeyondTheCodec(name: String, codec: VideoSettings.Codec, width: Int, height: Int, limit: String) throws {
    let settings = VideoSettings(codec: codec, width: width, height: height, frameRate: Rational(25, 1))
    let output = try OutputFile(folder.file(name), overwrite: false)
    let error = try #require(refusal { try VideoWriter(output, settings: settings) })
    #expect(error.kind == (limit == "16" ? .unsupported : .overLimit))
    #expect(error.message.contains("\(width)×\(height)") && error.message.contains("\(limit) pixels"), "\(error)")
    #expect(error.hint?.text.contains("codec") == true && folder.contents.isEmpty)
  }

  /// An encoder's own refusal is no failure of the system: libx265 takes no narrow pictures of this length.
  @Test func refusalOfAnEncoder() throws {
    let settings = VideoSettings(codec: .h265, width: 16, height: 16_384, frameRate: Rational(25, 1))
    let output = try OutputFile(folder.file("a.mp4"), overwrite: false)
    let error = try #require(refusal { try VideoWriter(output, settings: settings) })
    #expect(error.kind == .unsupported && error.message.contains("the h265 encoder refuses 16×16384"), "\(error)")
  }

  /// Other sizes at the limits are written and read.
  @Test(arguments: [
    ("a.mp4", VideoSettings.Codec.h264, 2, 16_384), ("a.webm", .vp9, 16_384, 1), ("a.mp4", .av1, 16, 29_791),
    ("a.mov", .prores, 32_768, 16), ("a.mkv", .ffv1, 16, 32_768), ("a.mkv", .av1, 1, 1),
  ])
  func sizesAtTheLimit(name: String, codec: VideoSettings.Codec, width: Int, height: Int) throws {
    let settings = VideoSettings(codec: codec, width: width, height: height, frameRate: Rational(25, 1))
    let writer = try VideoWriter(OutputFile(folder.file(name), overwrite: false), settings: settings)
    try writer.write(Image(.gray8, width: width, height: height, color: .jpeg), time: 0, duration: 1)
    try writer.finish()
    let reader = try VideoReader(path: folder.file(name))
    #expect(reader.width == width && reader.height == height)
    #expect(try reader.next() != nil)
  }
}
