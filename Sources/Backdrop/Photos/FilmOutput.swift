import BackdropCodecs
import BackdropFFmpeg
import BackdropImaging
import BackdropVideo

/// The video, or the GIF, that pictures of one photo go to, one after the other at a steady rate.
final class FilmOutput {
  private let file: OutputFile
  private let isGIF: Bool
  private let options: StreamOutput.Options
  private var video: VideoWriter?
  private var gif: GIFWriter?
  private var count: Int64 = 0

  /// A GIF has no more than hundredths of a second.
  private static let gifHundredths = 8
  /// Pictures in a second of a video.
  private static let motionRate: Int32 = 30, sweepRate: Int32 = 12

  init(_ file: OutputFile, isGIF: Bool, options: StreamOutput.Options) {
    (self.file, self.isGIF, self.options) = (file, isGIF, options)
  }

  /// The longer side of its pictures: GIFs are large for what they show.
  var side: Int { isGIF ? 640 : 1920 }

  /// Pictures in a second of what moves by itself.
  var motionRate: Double { isGIF ? 100 / Double(Self.gifHundredths) : Double(Self.motionRate) }

  /// Adds a picture; the first one decides the size.
  ///
  /// - Parameter isSweep: whether pictures are to be told apart, so that they pass more slowly.
  func append(_ image: Image, isSweep: Bool) throws(BackdropError) {
    if isGIF {
      var writer =
        if let gif { gif } else {
          try GIFWriter(width: image.width, height: image.height, hundredths: Self.gifHundredths)
        }
      // Held twice it would be copied.
      gif = nil
      try writer.append(image)
      gif = writer
      return
    }
    let writer: VideoWriter
    if let video {
      writer = video
    } else {
      let codec: VideoSettings.Codec =
        if let chosen = options.codec { chosen } else { try VideoSettings.codec(forPath: file.path) }
      var settings = VideoSettings(
        codec: codec, width: image.width, height: image.height,
        frameRate: Rational(isSweep ? Self.sweepRate : Self.motionRate, 1))
      settings.quality = options.quality
      settings.threads = options.threads
      writer = try VideoWriter(file, settings: settings)
      video = writer
    }
    try writer.write(image, time: count, duration: 1)
    count += 1
  }

  /// Writes the end, and moves the file into place.
  func finish() throws(BackdropError) {
    try video?.finish()
    guard var gif else { return }
    let bytes = gif.finish()
    try file.write(bytes.span)
  }
}
