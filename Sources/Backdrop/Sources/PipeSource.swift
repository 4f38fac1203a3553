/// The frames of a YUV4MPEG2 stream on standard input, with optional depth from a folder of pictures.
final class PipeSource: SceneSource {
  let info: SourceInfo
  private(set) var warnings: [BackdropError] = []
  private let reader: Y4MReader
  private var depth: DepthPictures?
  /// Whether frames are scaled to square pixels.
  private let isScaled: Bool

  init(_ input: DescriptorInput, _ options: SceneInput.Options) throws(BackdropError) {
    reader = try Y4MReader(input, limits: options.limits)
    var stored = SourceProperties(storedWidth: reader.width, storedHeight: reader.height, color: reader.color)
    stored.pixelAspect = reader.pixelAspect
    let size = stored.squareSize(options.limits)
    isScaled = size != (reader.width, reader.height)
    if isScaled { stored.changes.insert(.squared) }
    depth = try DepthPictures(options, for: "standard input", width: size.width, height: size.height)
    var info = SourceInfo(
      StandardInput.name, width: size.width, height: size.height, format: .i420,
      framesPerSecond: reader.frameRate.value)
    (info.color, info.stored, info.exactRate, info.tick) = (reader.color, stored, reader.frameRate, reader.timeBase)
    (info.providesDepth, info.files) = (depth != nil, depth?.files ?? [])
    // The pipe may stall, and reading must then stop at once.
    info.isWorthReadingAhead = false
    self.info = info
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
    if isScaled { frame.image = try frame.image.scaled(toWidth: width, height: height) }
    return Scene(frame, &depth)
  }
}
