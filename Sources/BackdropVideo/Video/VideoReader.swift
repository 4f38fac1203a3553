import BackdropFFmpeg
import BackdropImaging
import CFFmpeg

/// Decodes the video in a file frame by frame, in display order.
///
/// Files: mp4, mov, mkv, webm, avi and a few other self-contained formats. The reader rejects playlists and anything that names other files
/// or addresses, so reading a file never uses the network. Codecs: those of the installed FFmpeg libraries, including H.264, H.265, VP9,
/// AV1 and Motion JPEG.
///
/// Frames come as ``/BackdropImaging/PixelFormat/i420`` or ``/BackdropImaging/PixelFormat/nv12``, each marked with matrix and range. They
/// are not turned, but have square pixels, are deinterlaced, and have separate alpha. PQ and HLG are mapped to standard dynamic range
/// (``/BackdropImaging/ToneMapping``), from the stored samples. Other layouts (4:2:2, 4:4:4, 10 bits, RGB) are converted to I420 with the
/// same matrix and range. ``properties`` describes the original format, and the changes. A frame of another shape than the first is fitted
/// between black bars. Damaged parts are skipped and counted; a truncated file delivers its existing part and sets ``endedEarly``.
///
/// Times begin at 0, except in mp4 and mov, which state the start of a track. If the clock of a transport stream jumps, because parts were
/// joined or a broadcast was interrupted, the following part continues after the previous one, including copied sound. A frame lasts until
/// the next one, and the last one until the end of the video.
///
/// ```swift
/// let reader = try VideoReader(path: "in.mp4")
/// while let frame = try reader.next() { … }
/// ```
///
/// One thread uses a reader at a time; decoding itself uses several.
package final class VideoReader {
  package let path: String
  /// Width of the frames, in pixels: not turned, and with square pixels.
  package let width: Int
  package let height: Int
  /// How to turn a frame upright, from the file's display matrix.
  package let orientation: Orientation
  package internal(set) var properties: SourceProperties
  /// Whether frames of a high dynamic range also have their original samples: see ``VideoFrame/deep``.
  package let keepsDynamicRange: Bool
  /// How to read the frames' samples: for a high dynamic range BT.709, else as in the file. Without data in the file: BT.709 from 1280 wide
  /// or above 576 lines, BT.601 below, limited range, as in players, and the colours of sRGB, or with BT.2020's matrix its own.
  package let color: ColorDescription
  package let frameRate: Rational?
  /// The number of frames from the file's header or its duration; `nil` if unknown.
  package let frameCountEstimate: Int?
  /// The length in seconds from the file's header; `nil` if unknown.
  package let duration: Double?
  package let timeBase: Rational
  /// For example `h264`.
  package let codecName: String
  /// For example `mov,mp4,m4a,3gp,3g2,mj2`.
  package let containerName: String
  /// The curve of the stored samples if they are of high dynamic range, `PQ` or `HLG` (ITU-R BT.2100).
  package let dynamicRange: String?
  package let audioStreamCount: Int

  /// Frames that the decoder marked as damaged; they were still delivered.
  package private(set) var corruptFrameCount = 0
  package private(set) var undecodablePacketCount = 0
  /// Frames missing between others: the decoder skipped them, because they depend on lost data.
  package var lostFrameCount: Int { max(undecodablePacketCount, losses.count) }
  /// Frames fitted to the first one's size, because their size or pixel shape differed.
  package internal(set) var fittedFrameCount = 0
  /// Frames with a corrected time, because it was not after the previous one.
  package internal(set) var reversedTimeCount = 0
  /// Corrected jumps of the file's clock.
  package var jumpCount: Int { timeline.jumpCount }
  /// The part to read, in seconds; 0 to infinity for the whole.
  package let part: Range<Double>
  /// Whether the file ended before its announced end; known after the last frame.
  package private(set) var endedEarly = false

  package let input: InputContext
  package let videoIndex: Int
  /// The tolerated difference in seconds between a file's end and the announced one: headers round, and trailing silence is often trimmed.
  private static let endTolerance = 0.25
  let limits: ImageLimits
  let pool: ImagePool
  private(set) var decoder: CodecContext
  private let threads: Int
  let packet: PacketBuffer
  /// The frame that is delivered next, and the one after it, which ends its time.
  let frame: FrameBuffer
  let upcoming: FrameBuffer
  /// The time of ``frame``, and its duration as far as the file tells; `nil` if it holds none.
  var waiting: (time: Int64, duration: Int64)?
  let converter = FrameConverter()
  var fitting: FrameFitting?
  private var fields: FieldJoiner
  /// The tone mapping, after the first frame of that space.
  var toneMapping: ToneMapping?
  var timeline = Timeline()
  var losses = FrameLosses()
  let streamConverter = StreamConverter()
  var hasStarted: Bool { videoPacketCount > 0 || deliveredCount > 0 }
  // The position in the file: set again by every seek.
  var hasBegun = false
  var draining = false
  var deliveredCount = 0
  var videoPacketCount = 0
  private var lastPacketIsDamaged = false
  var lastTime: Int64?
  var readToSeconds = -Double.infinity
  /// The decoding time of the last video packet, by the file's own clock.
  private var lastPacketTime: Int64?
  private var lastPacketEnd: Int64 = 0
  /// Whether a frame after the part was reached.
  var isBehindPart = false
  /// Sound streams that were read to the end of the part.
  var soundBehindPart: Set<Int> = []
  /// Frames before the part, or before a searched time.
  var passedCount = 0
  /// Frames that end by this searched time, in ticks, are skipped.
  var searched: Int64?
  /// The latest packet up to there, and whether the decoder skips none on the way.
  var latestPacket: Int64?
  var decodesAll = false
  /// Whether the last delivered frame was decoded without others.
  package internal(set) var isKeyFrame = false

  /// Opens a file and its decoder.
  ///
  /// - Parameters:
  ///   - pool: memory for converted or fitted frames, which cannot use the decoder's; by default the reader's own pool.
  ///   - threads: decoder threads; 0 uses one per core.
  ///   - keepsDynamicRange: whether frames of a high dynamic range also have their original samples.
  ///   - part: the range of seconds to read. The frame visible at its start is the first. Times begin at 0 there, also those of sound,
  ///     subtitles and chapters, which are cut to it: sound to whole packets.
  /// - Throws: `wrongArgument` if the file does not exist, or has nothing in that part, `badData` if it is not a video or damaged at its
  ///   start, `unsupported` if there is no decoder, `overLimit`.
  package convenience init(
    path: String, limits: ImageLimits = .standard, pool: ImagePool? = nil, threads: Int = 0,
    keepsDynamicRange: Bool = false, part: Range<Double> = 0..<Double.infinity
  ) throws(BackdropError) {
    let opened = try InputContext.open(path, limits: limits)
    let request = VideoOpening(
      path: path, limits: limits, threads: threads, keepsDynamicRange: keepsDynamicRange, part: part)
    try self.init(opened, request, pool: pool)
  }

  init(
    _ opened: (context: InputContext, video: Int), _ request: VideoOpening, pool: ImagePool? = nil
  ) throws(BackdropError) {
    let (path, limits, part) = (request.path, request.limits, request.part)
    let stream = opened.context.stream(opened.video)
    let parameters = stream.pointee.codecpar.pointee
    (self.path, self.limits) = (path, limits)
    self.pool = pool ?? ImagePool()
    (threads, keepsDynamicRange) = (request.threads, request.keepsDynamicRange)
    input = opened.context
    videoIndex = opened.video
    decoder = try CodecContext.decoder(for: stream, limits: limits, threads: threads, path: path)
    (packet, frame, upcoming) = (try PacketBuffer(), try FrameBuffer(), try FrameBuffer())
    fields = try FieldJoiner(expectsFields: parameters.field_order != AV_FIELD_PROGRESSIVE)
    if bd_dolby_vision_profile(stream) == 5 {
      throw BackdropError(
        .unsupported, "the video is Dolby Vision profile 5, whose colours Backdrop cannot decode", path: path,
        hint: "convert it to HDR10 or HLG first")
    }

    let (storedWidth, storedHeight) = (Int(parameters.width), Int(parameters.height))
    timeBase = Rational(stream.pointee.time_base)
    orientation = stream.orientation
    let aspect = Rational(av_guess_sample_aspect_ratio(input.pointer, stream, nil))
    let stored = ColorDescription(parameters, fallback: .assumed(width: storedWidth, height: storedHeight))
    properties = SourceProperties(storedWidth: storedWidth, storedHeight: storedHeight, color: stored)
    properties.orientation = orientation
    properties.pixelAspect = aspect.isPositive ? aspect : Rational(1, 1)
    properties.learn(AVPixelFormat(parameters.format))
    (width, height) = properties.squareSize(limits)
    if width != storedWidth || height != storedHeight { properties.changes.insert(.squared) }
    color = stored.space.transfer.isHDR ? .video : stored
    let average = Rational(stream.pointee.avg_frame_rate)
    let rate = average.isPositive ? average : Rational(stream.pointee.r_frame_rate)
    frameRate = rate.isPositive ? rate : nil
    self.part = part
    let whole = input.seconds(of: stream)
    if let whole, part.lowerBound >= whole {
      throw BackdropError(
        .wrongArgument, "the video is \(brief(whole)) s long, so a part cannot begin at \(brief(part.lowerBound)) s",
        path: path, hint: "choose a start before its end")
    }
    let isWhole = part.lowerBound <= 0 && part.upperBound == .infinity
    let seconds = whole.map { max(0, min($0, part.upperBound) - part.lowerBound) }
    duration = seconds
    if stream.pointee.nb_frames > 0 && isWhole {
      frameCountEstimate = Int(stream.pointee.nb_frames)
    } else if let seconds, rate.isPositive, seconds * rate.value < 1e9 {
      frameCountEstimate = Int((seconds * rate.value).rounded())
    } else {
      frameCountEstimate = nil
    }
    codecName = String(cString: avcodec_get_name(parameters.codec_id))
    containerName = String(cString: input.pointer.pointee.iformat.pointee.name)
    dynamicRange =
      switch stored.space.transfer {
      case .pq: "PQ"
      case .hlg: "HLG"
      default: nil
      }
    audioStreamCount = input.count(AVMEDIA_TYPE_AUDIO)
  }

  /// The next frame, or `nil` after the last.
  ///
  /// - Throws: `badData` if no frame could be decoded, `overLimit` if a frame exceeds the limits, and the errors of an attached
  ///   ``VideoWriter`` for a packet of sound.
  package func next() throws(BackdropError) -> VideoFrame? {
    while !isBehindPart {
      let code = try receive()
      if !code.isFailure {
        if let result = try advance() { return result }
        if isBehindPart { try copyRest() }
        continue
      }
      switch code {
      case .endOfFile:
        losses.finish()
        if let result = try deliverLast() { return result }
        guard deliveredCount > 0 || passedCount > 0 else {
          throw BackdropError(
            .badData,
            videoPacketCount == 0
              ? "the file ends before the first frame of its \(codecName) video"
              : "FFmpeg could decode no frame of the \(codecName) video", path: path,
            hint: "the file is damaged or was cut off; copy it again from the original")
        }
        return try end()
      case .again: try feed()
      default: undecodablePacketCount += 1
      }
    }
    return try end()
  }

  /// The decoder's next whole picture.
  private func receive() throws(BackdropError) -> FFmpegCode {
    do {
      let code = try fields.receive(into: upcoming) { [self] in
        let code = FFmpegCode(avcodec_receive_frame(decoder.pointer, upcoming.pointer))
        guard !code.isFailure else { return code }
        let decoded = upcoming.pointer.pointee
        if decoded.flags & AV_FRAME_FLAG_CORRUPT != 0 || decoded.decode_error_flags != 0 { corruptFrameCount += 1 }
        losses.delivered(decoded, isInterlaced: bd_frame_is_interlaced(upcoming.pointer) != 0)
        return code
      }
      if fields.hasJoined {
        properties.isInterlaced = true
        properties.changes.insert(.deinterlaced)
      }
      return code
    } catch { throw error.at(path) }
  }

  /// The end, which is an error if the part was empty.
  private func end() throws(BackdropError) -> VideoFrame? {
    guard deliveredCount > 0 else {
      throw BackdropError(
        .wrongArgument, "the video has no frame after \(brief(part.lowerBound)) s", path: path,
        hint: "choose a start before its end")
    }
    return nil
  }

  private func feed() throws(BackdropError) {
    if !hasBegun { begin() }
    let (code, messages) = FFmpegLog.capturing { FFmpegCode(av_read_frame(input.pointer, packet.pointer)) }
    if messages.contains(where: { $0.contains("partial file") || $0.contains("ended prematurely") }) {
      endedEarly = true
    }
    guard !code.isFailure else {
      if code == .again { return }
      if code != .endOfFile { endedEarly = true }
      finishReading()
      return
    }
    defer { av_packet_unref(packet.pointer) }
    lastPacketIsDamaged = packet.pointer.pointee.flags & AV_PKT_FLAG_CORRUPT != 0
    let stream = input.stream(Int(packet.pointer.pointee.stream_index))
    noteProgress(stream)
    timeline.retime(
      packet.pointer, of: stream.kind, base: Rational(stream.pointee.time_base),
      usualDuration: Int(packet.pointer.pointee.stream_index) == videoIndex ? frameRate?.inverse.value ?? 0.04 : 0)
    guard Int(packet.pointer.pointee.stream_index) == videoIndex else {
      try pass(packet.pointer, stream)
      return
    }
    if videoPacketCount == 0 && bd_packet_has_alpha(packet.pointer) != 0 { try decodeAlpha(stream) }
    videoPacketCount += 1
    let isPassed = isBeforeSearched(packet.pointer)
    decoder.pointer.pointee.skip_frame = isPassed ? AVDISCARD_NONREF : AVDISCARD_DEFAULT
    if !isPassed { losses.sent(packet.pointer, codecID: decoder.pointer.pointee.codec_id) }
    try decoder.checkScans(packet.pointer)
    // The decoder was drained, so it takes the packet or reports damage.
    if avcodec_send_packet(decoder.pointer, packet.pointer) < 0 { undecodablePacketCount += 1 }
  }

  /// Uses a decoder that supports alpha, in a file that does not announce it.
  private func decodeAlpha(_ stream: UnsafeMutablePointer<AVStream>) throws(BackdropError) {
    guard !String(cString: decoder.pointer.pointee.codec.pointee.name).hasPrefix("libvpx") else { return }
    decoder = try CodecContext.decoder(for: stream, limits: limits, threads: threads, hasAlpha: true, path: path)
  }

  /// Forgets earlier pictures, before reading another part of the file.
  func forgetPictures() {
    fields.forget()
    waiting = nil
    av_frame_unref(frame.pointer)
    av_frame_unref(upcoming.pointer)
  }

  private func noteProgress(_ stream: UnsafeMutablePointer<AVStream>) {
    let packet = packet.pointer.pointee
    if Int(packet.stream_index) == videoIndex, packet.dts != bd_nopts() { lastPacketTime = packet.dts }
    if packet.pos >= 0 { lastPacketEnd = packet.pos + Int64(packet.size) }
    guard packet.pts != bd_nopts() else { return }
    let end = (Double(packet.pts) + Double(max(0, packet.duration))) * Rational(stream.pointee.time_base).value
    readToSeconds = max(readToSeconds, end)
  }

  private func finishReading() {
    draining = true
    avcodec_send_packet(decoder.pointer, nil)
    // A packet truncated by the end of the file is marked.
    if lastPacketIsDamaged { endedEarly = true }
    // AVI without its index gets its duration from its length, but keeps its packet count, which may include an empty packet. In other
    // formats the count is useless, because edit lists hide some packets.
    if containerName == "avi", videoPacketCount + 1 < input.stream(videoIndex).pointee.nb_frames { endedEarly = true }
    // A truncated frame of YUV4MPEG2 is not delivered: more than a frame's header remains.
    if containerName == "yuv4mpegpipe", input.byteCount - lastPacketEnd > 80 { endedEarly = true }
    if let end = input.announcedEnd, readToSeconds < end - Self.endTolerance, !hasReadLastPacket { endedEarly = true }
  }

  /// Whether the last packet of the video was read, so that its picture may be shown for long.
  private var hasReadLastPacket: Bool {
    // The demuxer itself complains about a file that is cut off.
    if input.isMatroska { return !endedEarly }
    guard let lastPacketTime, let last = input.lastIndexTime(of: videoIndex) else { return false }
    return lastPacketTime >= last
  }
}
