struct VideoOutput: OutputKind {
  let path: String

  static func named(_ path: String) -> VideoOutput? {
    VideoSettings.fileExtensions.contains(FileName(path).fileExtension) ? VideoOutput(path: path) : nil
  }

  static var fileExtensions: String? { "\(VideoSettings.suffixes) for a video" }

  var files: OutputFiles { .one(path) }
  var isVideo: Bool { true }
  var film: FilmFormat? { FilmFormat(side: 1920, motionRate: Rational(30, 1), sweepRate: Rational(12, 1)) }

  /// A video of a picture in front of a background has a single frame.
  func makesFilm(of look: Look) -> Bool { look.motion != nil || look.matteSource != .depth }

  static func isNoPicture(_ path: String) -> BackdropError {
    BackdropError(
      .wrongArgument, "lossless output is for pictures, and this is a video", path: path, hint: .chooseLosslessCodec)
  }

  func check(keepsAlpha: Bool, _ options: StreamOutput.Options) throws(BackdropError) {
    if options.photoIsLossless { throw Self.isNoPicture(path) }
    if let codec = options.codec {
      guard try VideoSettings.canHold(codec, path: path) else { throw VideoSettings.refusal(of: codec, path: path) }
    } else {
      _ = try VideoSettings.codec(forPath: path, keepingAlpha: keepsAlpha)
    }
    try files.check(overwrite: options.overwrite)
  }

  func open(_ stream: StreamOutput.Stream, _ options: StreamOutput.Options) throws(BackdropError) -> any FrameWriter {
    let codec: VideoSettings.Codec =
      if let chosen = options.codec { chosen } else if options.keepsDynamicRange {
        try VideoSettings.deepCodec(forPath: path)
      } else {
        try VideoSettings.codec(forPath: path, keepingAlpha: stream.keepsAlpha)
      }
    let deep = options.keepsDynamicRange ? stream.dynamicRange : nil
    var settings = VideoSettings(
      codec: codec, width: stream.width, height: stream.height, frameRate: stream.frameRate,
      color: deep ?? stream.color, pixelFormat: stream.format)
    settings.isDeep = deep != nil
    (settings.timeBase, settings.keepsAlpha) = (stream.timeBase, stream.keepsAlpha)
    (settings.quality, settings.threads, settings.hasSound) = (options.quality, options.threads, options.hasSound)
    let file = try OutputFile(path, overwrite: options.overwrite, growing: options.isGrowing)
    return Writer(try VideoWriter(file, settings: settings, source: options.copiesStreams ? stream.video : nil))
  }

  private final class Writer: FrameWriter {
    private let writer: VideoWriter

    init(_ writer: VideoWriter) { self.writer = writer }

    var notes: [String] { writer.notes }
    var videoFile: OutputFile? { writer.output }

    func write(_ image: Image, deep: DeepFrame?, time: Int64, duration: Int64) throws(BackdropError) {
      if let deep, writer.settings.isDeep {
        try writer.write(deep, time: time, duration: duration)
      } else {
        try writer.write(image, time: time, duration: duration)
      }
    }

    func write(sound samples: [Float]) throws(BackdropError) { try writer.write(sound: samples) }

    func complete() throws(BackdropError) {
      try writer.complete()
      try writer.output.checkName()
    }

    func commit() throws(BackdropError) { try writer.finish() }
  }
}
