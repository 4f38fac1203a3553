import BackdropCodecs
import BackdropFFmpeg
import BackdropImaging
import BackdropVideo

/// Writes drawings of one photo to a video or an animation, at a constant frame rate.
final class FilmOutput {
  private let file: OutputFile
  private let animation: AnimationKind?
  private let options: StreamOutput.Options
  private var video: VideoWriter?
  private var stream: AnimationStream?
  private var count: Int64 = 0

  /// Frames per second of a video: for a moving look, and for a sweep.
  private static let motionRate: Int32 = 30, sweepRate: Int32 = 12
  /// The length of a tick of an animation, in seconds.
  private static let animationTick = Rational(8, 100)

  init(_ file: OutputFile, animation: AnimationKind?, options: StreamOutput.Options) {
    (self.file, self.animation, self.options) = (file, animation, options)
  }

  /// The longer side of the pictures, in pixels. Animations are smaller, because their files are large.
  var side: Int { animation == nil ? 1920 : 640 }

  /// Pictures per second of a moving look.
  var motionRate: Double { animation == nil ? Double(Self.motionRate) : Self.animationTick.inverse.value }

  /// Adds a picture; the first one sets the size.
  ///
  /// - Parameter isSweep: whether the pictures belong to a sweep, which plays more slowly so that viewers can compare them.
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

  /// Finishes the file and moves it into place.
  func finish() throws(BackdropError) {
    try video?.finish()
    try stream?.complete()
    try stream?.commit()
  }
}
