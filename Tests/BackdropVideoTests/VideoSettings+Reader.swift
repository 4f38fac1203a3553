import BackdropImaging

@testable import BackdropVideo

/// Reads `source` and writes everything unchanged to `target`.
@discardableResult
func passThrough(
  _ source: String, _ target: String, codec: VideoSettings.Codec? = nil,
  change: (inout VideoSettings) -> Void = { _ in }
) throws -> (reader: VideoReader, writer: VideoWriter) {
  let reader = try VideoReader(path: source)
  var settings = VideoSettings(codec: try codec ?? VideoSettings.codec(forPath: target), like: reader)
  change(&settings)
  let writer = try VideoWriter(
    OutputFile(target, overwrite: false), settings: settings, source: reader)
  while let frame = try reader.next() { try writer.write(frame.image, like: frame) }
  try writer.finish()
  return (reader, writer)
}

extension VideoSettings {
  /// Settings for pictures with the size, times, colours and orientation of `reader`'s.
  init(codec: Codec = .h264, like reader: VideoReader) {
    self.init(
      codec: codec, width: reader.width, height: reader.height, frameRate: reader.frameRate ?? Rational(25, 1),
      color: reader.color)
    timeBase = reader.timeBase
    frameRate = reader.frameRate
    orientation = reader.orientation
  }
}

extension VideoWriter {
  /// Adds a picture at the time of a frame that has the settings' time base.
  func write(_ image: Image, like frame: VideoFrame) throws {
    try write(image, time: frame.time, duration: frame.duration)
  }
}
