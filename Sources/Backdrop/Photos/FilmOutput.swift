import BackdropCodecs
import BackdropFFmpeg
import BackdropImaging
import BackdropVideo

/// Writes pictures of one photo to a video or an animation, one after the other at a steady rate.
final class FilmOutput {
  private let file: OutputFile
  private let animation: AnimationKind?
  private let options: StreamOutput.Options
  private var video: VideoWriter?
  private var stream: AnimationStream?
  private var count: Int64 = 0

  /// Pictures per second of a video.
  private static let motionRate: Int32 = 30, sweepRate: Int32 = 12
  /// The length of a tick of an animation, in seconds.
  private static let animationTick = Rational(8, 100)

  init(_ file: OutputFile, animation: AnimationKind?, options: StreamOutput.Options) {
    (self.file, self.animation, self.options) = (file, animation, options)
  }

  /// The longer side of its pictures; animations are smaller, because their files are large.
  var side: Int { animation == nil ? 1920 : 640 }

  /// Pictures per second of a moving look.
  var motionRate: Double { animation == nil ? Double(Self.motionRate) : Self.animationTick.inverse.value }

  /// Adds a picture; the first one sets the size.
  ///
  /// - Parameter isSweep: whether viewers compare the pictures, which makes them pass more slowly.
  func append(_ image: Image, isSweep: Bool) throws(BackdropError) {
    defer { count += 1 }
    if let animation {
      let stream =
        stream
        ?? AnimationStream(
          file, animation,
          for: StreamOutput.Stream(
            width: image.width, height: image.height, frameRate: Self.animationTick.inverse), keepsAlpha: false,
          options: options)
      self.stream = stream
      return try stream.append(image, time: count, duration: 1)
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
  }

  /// Writes the end, and moves the file into place.
  func finish() throws(BackdropError) {
    try video?.finish()
    try stream?.complete()
    try stream?.commit()
  }
}
