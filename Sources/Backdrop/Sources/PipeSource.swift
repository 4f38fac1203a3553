import BackdropDepth
import BackdropFFmpeg
import BackdropImaging
import BackdropVideo

/// The frames of a YUV4MPEG2 stream on standard input, with optional depth from a folder of pictures.
final class PipeSource: SceneSource {
  let name = "-"
  var width: Int { size.width }
  var height: Int { size.height }
  var format: PixelFormat { .i420 }
  var color: ColorDescription { reader.color }
  private(set) var properties: SourceProperties
  var frameRate: Rational { reader.frameRate }
  var framesPerSecond: Double { frameRate.value }
  var timeBase: Rational { reader.timeBase }
  var frameCount: Int? { nil }
  var providesDepth: Bool { depth != nil }
  var files: [String] { depth?.files ?? [] }
  /// False, because the pipe may stall and reading must then stop at once.
  var isWorthReadingAhead: Bool { false }
  private(set) var warnings: [BackdropError] = []
  private let reader: Y4MReader
  private var depth: DepthPictures?
  private let size: (width: Int, height: Int)

  init(_ input: DescriptorInput, _ options: SceneInput.Options) throws(BackdropError) {
    reader = try Y4MReader(input, limits: options.limits)
    properties = SourceProperties(storedWidth: reader.width, storedHeight: reader.height, color: reader.color)
    properties.pixelAspect = reader.pixelAspect
    size = properties.squareSize(options.limits)
    if size != (reader.width, reader.height) { properties.changes.insert(.squared) }
    depth = try SceneInput.depthPictures(options, "standard input", width: size.width, height: size.height)
  }

  func next() throws(BackdropError) -> Scene? {
    guard var frame = try reader.next() else {
      if reader.endedEarly {
        warnings.append(
          BackdropError(.badData, "the stream ends in the middle of a frame; Backdrop leaves that frame out"))
      }
      warnings += (depth?.leftOver ?? []).map { BackdropError(.badData, $0) }
      return nil
    }
    if properties.changes.contains(.squared) {
      frame.image = try frame.image.scaled(toWidth: size.width, height: size.height)
    }
    return Scene(frame, &depth)
  }
}
