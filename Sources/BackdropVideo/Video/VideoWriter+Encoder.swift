import BackdropFFmpeg
import BackdropImaging
import CFFmpeg

extension VideoSettings {
  var encoderName: String {
    switch codec {
    case .h264: "libx264"
    case .h265: "libx265"
    case .vp9: "libvpx-vp9"
    case .av1: "libaom-av1"
    case .ffv1: "ffv1"
    case .prores: "prores_ks"
    }
  }

  private var qualityRange: (range: ClosedRange<Double>, usual: Double)? {
    switch codec {
    case .h264: (0...51, 18)
    case .h265: (0...51, 20)
    case .vp9: (0...63, 24)
    case .av1: (0...63, 22)
    case .ffv1, .prores: nil
    }
  }

  func check(_ container: VideoContainer, path: String) throws(BackdropError) {
    do { try ImageLimits.standard.check(width: width, height: height) } catch { throw error.at(path) }
    try checkSize(container, path)
    guard timeBase.isPositive else {
      throw BackdropError(.wrongArgument, "a time base of \(timeBase) s is not possible", path: path)
    }
    if let quality, let allowed = qualityRange?.range, !allowed.contains(quality) {
      throw BackdropError(
        .wrongArgument,
        "the quality \(quality) is out of range: \(codec.rawValue) uses \(Int(allowed.lowerBound))…\(Int(allowed.upperBound))",
        path: path, hint: .leaveQualityOut)
    }
    guard container.canHold(codec) else { throw VideoSettings.refusal(of: codec, path: path) }
    if keepsAlpha {
      switch codec {
      case .ffv1, .prores: break
      // Its alpha is a second stream, which only Matroska can hold.
      case .vp9 where container != .mp4: break
      case .vp9, .h264, .h265, .av1: throw VideoSettings.noAlpha(path)
      }
    }
    if isDeep && (!codec.canBeDeep || keepsAlpha) { throw VideoSettings.tooShallow(path) }
    guard orientation == .up || container.isQuickTime else {
      throw BackdropError(
        .unsupported, "this kind of file cannot store a rotation", path: path,
        hint: "end the name in .mp4, or rotate the pictures first")
    }
  }

  private func checkSize(_ container: VideoContainer, _ path: String) throws(BackdropError) {
    let (least, most) = (codec.sides.lowerBound, codec.sides.upperBound)
    let isSmall = min(width, height) < least
    guard isSmall || max(width, height) > most else { return }
    let others = Codec.allCases.filter {
      container.canHold($0) && $0.sides.contains(min(width, height)) && $0.sides.contains(max(width, height))
    }
    throw BackdropError(
      isSmall ? .unsupported : .overLimit,
      "the video would be \(width)×\(height); \(codec.rawValue) takes sides "
        + (isSmall ? "from \(least) pixels" : "up to \(most) pixels"), path: path,
      hint: .chooseCodecForSize(codecs: others.map(\.rawValue).listed("or")))
  }

  /// The error of an encoder that refuses size or rate, within the limits known here.
  fileprivate func refusal(
    _ code: FFmpegCode, _ messages: [String], _ container: VideoContainer, path: String
  ) -> BackdropError {
    var error = code.error("start the video encoder", messages: messages, path: path)
    guard code.value != bd_averror(ENOMEM) else { return error }
    let rate = frameRate.map { " at \(brief($0.value)) frames a second" } ?? ""
    error.kind = .unsupported
    error.message = "the \(codec.rawValue) encoder refuses \(width)×\(height)\(rate) (\(messages.first ?? code.text))"
    let others = Codec.allCases.filter { $0 != codec && container.canHold($0) }
    error.hint = .chooseCodecForSize(codecs: others.map(\.rawValue).listed("or"))
    return error
  }

  fileprivate var encoderOptions: KeyValuePairs<String, String> {
    let crf = String(quality ?? qualityRange?.usual ?? 0)
    return switch codec {
    case .h264 where isUnbuffered: ["preset": "veryfast", "tune": "zerolatency", "crf": crf]
    case .vp9 where isUnbuffered:
      ["deadline": "realtime", "cpu-used": "8", "row-mt": "1", "lag-in-frames": "0", "crf": crf, "b": "0"]
    case .h264: ["preset": "veryfast", "crf": crf]
    // By default libx265 writes to stderr.
    case .h265 where isUnbuffered:
      ["preset": "superfast", "tune": "zerolatency", "crf": crf, "x265-params": "log-level=none"]
    case .h265: ["preset": "superfast", "crf": crf, "x265-params": "log-level=none"]
    // With frames that are never shown, the encoders of the colours and of alpha would not return frames together.
    case .vp9 where keepsAlpha:
      ["deadline": "good", "cpu-used": "5", "row-mt": "1", "crf": crf, "b": "0", "auto-alt-ref": "0"]
    case .vp9: ["deadline": "good", "cpu-used": "5", "row-mt": "1", "crf": crf, "b": "0", "tile-columns": "2"]
    case .av1 where isUnbuffered:
      ["usage": "realtime", "cpu-used": "9", "row-mt": "1", "lag-in-frames": "0", "crf": crf, "b": "0"]
    case .av1: ["cpu-used": "6", "row-mt": "1", "crf": crf, "b": "0"]
    case .ffv1: ["level": "3", "slicecrc": "1"]
    // Some players only accept this maker's mark.
    case .prores: ["vendor": "apl0"]
    }
  }
}

extension VideoSettings.Codec {
  /// Whether the installed FFmpeg libraries can write it.
  public var isAvailable: Bool {
    let settings = VideoSettings(codec: self, width: 16, height: 16, frameRate: Rational(30, 1))
    return avcodec_find_encoder_by_name(settings.encoderName) != nil
  }

  /// The possible sides in pixels: those of libx264, libx265 and libvpx, and of the other encoders those of any picture.
  var sides: ClosedRange<Int> {
    switch self {
    case .h264, .vp9: 1...16_384
    case .h265: 16...ImageLimits.standard.side
    case .av1, .ffv1, .prores: 1...ImageLimits.standard.side
    }
  }
}

extension CodecContext {
  static func encoder(
    _ settings: VideoSettings, _ target: SampleLayout, _ container: VideoContainer, source: (any StreamSource)?,
    path: String
  ) throws(BackdropError) -> CodecContext {
    try FFmpegLibraries.check(for: path)
    guard let codec = avcodec_find_encoder_by_name(settings.encoderName) else {
      throw BackdropError(
        .unsupported, "the installed FFmpeg libraries have no encoder \(settings.encoderName)", path: path,
        hint: "choose another codec, or install an FFmpeg with \(settings.encoderName)")
    }
    let encoder = try CodecContext(codec)
    let context = encoder.pointer
    let rate = settings.frameRate.flatMap { $0.isPositive ? $0 : nil }
    (context.pointee.width, context.pointee.height) = (Int32(target.width), Int32(target.height))
    context.pointee.pix_fmt = target.format
    switch settings.codec {
    // These get frame numbers instead of times, because their rate control takes a tick for a frame. libaom allows none above a second.
    case .vp9, .av1, .ffv1:
      let tick = rate?.inverse ?? Rational(1, 25)
      context.pointee.time_base = (settings.codec == .av1 && tick.value > 1 ? Rational(1, 1) : tick).av
    case .h264, .h265, .prores: context.pointee.time_base = settings.timeBase.av
    }
    if let rate { context.pointee.framerate = rate.av }
    context.pointee.sample_aspect_ratio = settings.pixelAspect.av
    let isRGB = target.format == AV_PIX_FMT_BGRA || target.format == AV_PIX_FMT_BGR0
    context.pointee.color_range = isRGB ? AVCOL_RANGE_JPEG : target.color.avRange
    context.pointee.colorspace = isRGB ? AVCOL_SPC_RGB : settings.color.avSpace
    // The source's marks do not apply to converted pictures.
    let marked = source.flatMap { $0.properties.color.space.matches(target.color.space) ? $0 : nil }
    if let source = marked {
      // The source's own marks, even absent ones: the samples keep their meaning.
      let parameters = source.input.stream(source.videoIndex).pointee.codecpar.pointee
      context.pointee.color_primaries = parameters.color_primaries
      context.pointee.color_trc = parameters.color_trc
    }
    // QuickTime files contain the matrix only together with these.
    if marked == nil || (settings.codec == .prores && context.pointee.color_primaries == AVCOL_PRI_UNSPECIFIED) {
      context.pointee.color_primaries = target.color.avPrimaries
    }
    if marked == nil || (settings.codec == .prores && context.pointee.color_trc == AVCOL_TRC_UNSPECIFIED) {
      context.pointee.color_trc = target.color.avTransfer
    }
    // By default x264 uses 1.5 threads per processor, each with its own frame, which takes more memory and is no faster.
    let threads = settings.threads == 0 && settings.codec == .h264 ? WorkerPool.processorCount : settings.threads
    context.pointee.thread_count = Int32(clamping: threads)
    if settings.standsAlone {
      context.pointee.gop_size = 1
    } else if settings.isUnbuffered {
      // A key frame every second.
      context.pointee.gop_size = Int32(max(1, min(1000, (rate?.value ?? 30).rounded())))
    }
    context.pointee.flags |= AV_CODEC_FLAG_GLOBAL_HEADER
    if settings.codec == .h265 {
      // The tag that Apple's players require.
      if container.isQuickTime { context.pointee.codec_tag = bd_tag(104, 118, 99, 49) }
      do throws(BackdropError) { try CodecContext.checkThreadsOfX265(threads) } catch { throw error.at(path) }
    }
    var options = Options(settings.encoderOptions)
    let (code, messages) = FFmpegLog.capturing { FFmpegCode(avcodec_open2(context, codec, &options.pointer)) }
    guard !code.isFailure else { throw settings.refusal(code, messages, container, path: path) }
    return encoder
  }
}

extension OutputContext {
  /// Makes the file's context, without opening the file.
  static func make(_ container: VideoContainer, _ output: OutputFile) throws(BackdropError) -> OutputContext {
    try FFmpegLibraries.check(for: output.path)
    var pointer: UnsafeMutablePointer<AVFormatContext>?
    let (code, messages) = FFmpegLog.capturing {
      FFmpegCode(avformat_alloc_output_context2(&pointer, nil, container.rawValue, nil))
    }
    guard !code.isFailure, let pointer else {
      throw code.error("prepare the video file", messages: messages, path: output.path)
    }
    return OutputContext(pointer)
  }

  func start(_ container: VideoContainer, settings: VideoSettings, _ output: OutputFile) throws(BackdropError) {
    try use(output)
    // Keep the source's times: do not shift everything by the length of the sound's priming.
    pointer.pointee.avoid_negative_ts = 0
    // A growing file consists of parts of half a second, each playable without later ones.
    let tags = container.options(keeping: pointer.pointee.metadata)
    let wanted: KeyValuePairs<String, String> =
      switch (container.isQuickTime, output.isGrowing) {
      case (true, false): ["movflags": "+faststart" + tags, "movie_timescale": String(movieTimescale)]
      case (true, true):
        [
          "movflags": "+empty_moov+default_base_moof" + tags, "frag_duration": "500000",
          "movie_timescale": String(movieTimescale),
        ]
      case (false, true): ["cluster_time_limit": "500"]
      case (false, false): [:]
      }
    var options = Options(wanted)
    try FFmpegLog.checking("begin the video file", path: output.path) {
      avformat_write_header(pointer, &options.pointer)
    }
    endHeader()
  }

  /// The ticks of the whole file, in which mp4 states the start of a track: fine enough for every track's ticks.
  private var movieTimescale: Int64 {
    var result: Int64 = 1000
    for index in 0..<Int(pointer.pointee.nb_streams) {
      // The library fills the list up to its count.
      let base = pointer.pointee.streams[index]!.pointee
      let rate = base.codecpar.pointee.sample_rate
      let ticks = Int64(rate > 0 ? rate : base.time_base.den)
      let common = result / av_gcd(result, ticks) * ticks
      if common <= 100_000_000 { result = common }
    }
    return result
  }
}

/// Holds a picture while an encoder reads it, possibly on another thread.
private final class PictureHolder: Sendable {
  let image: Image
  init(_ image: Image) { self.image = image }
}

extension FrameBuffer {
  /// Makes the frame refer to the picture's own memory, which lives until the encoder is done.
  func wrap(_ image: Image, as target: SampleLayout) {
    let planes = PlanePointers(image)
    let holder = Unmanaged.passRetained(PictureHolder(image))
    let start = image.storage.base.assumingMemoryBound(to: UInt8.self)
    let buffer = av_buffer_create(
      start, image.storage.byteCount,
      { holder, _ in
        // passRetained above made it; called once.
        if let holder { Unmanaged<PictureHolder>.fromOpaque(holder).release() }
      }, holder.toOpaque(), AV_BUFFER_FLAG_READONLY)
    precondition(buffer != nil, "out of memory for a buffer's header")
    pointer.pointee.buf.0 = buffer
    let (base, bytesPerRow) = (planes.base, planes.bytesPerRow)
    (pointer.pointee.data.0, pointer.pointee.data.1, pointer.pointee.data.2) = (base[0], base[1], base[2])
    (pointer.pointee.linesize.0, pointer.pointee.linesize.1) = (bytesPerRow[0], bytesPerRow[1])
    pointer.pointee.linesize.2 = bytesPerRow[2]
    describe(target)
  }

  /// Sets the size, the format and the range of the picture.
  func describe(_ layout: SampleLayout) {
    (pointer.pointee.width, pointer.pointee.height) = (Int32(layout.width), Int32(layout.height))
    (pointer.pointee.format, pointer.pointee.color_range) = (layout.format.rawValue, layout.color.avRange)
  }

  /// Sets the colours, which some encoders take from the frames.
  func mark(like encoder: UnsafeMutablePointer<AVCodecContext>) {
    pointer.pointee.colorspace = encoder.pointee.colorspace
    pointer.pointee.color_primaries = encoder.pointee.color_primaries
    pointer.pointee.color_trc = encoder.pointee.color_trc
  }
}
