import BackdropFFmpeg
import BackdropImaging
import CFFmpeg

/// Encodes pictures into a video file, and copies the sound, subtitles and chapters of another file beside them.
///
/// Copies all other streams packet by packet while the source is read, without re-encoding and with unchanged times. Encodes sound and
/// subtitles again if the output's container cannot hold them, and leaves out streams for which that fails; ``notes`` list them. The file
/// appears under its name when ``finish()`` returns; before that, and after any error, no file is left. A growing file (a recording) keeps
/// everything written, in playable parts of half a second.
///
/// ```swift
/// let reader = try VideoReader(path: "in.mp4")
/// let output = try OutputFile("out.mp4", overwrite: false)
/// var settings = VideoSettings(
///   width: reader.width, height: reader.height, frameRate: reader.frameRate ?? Rational(25, 1))
/// settings.timeBase = reader.timeBase
/// let writer = try VideoWriter(output, settings: settings, source: reader)
/// while let frame = try reader.next() {
///   try writer.write(change(frame.image), time: frame.time, duration: frame.duration)
/// }
/// try writer.finish()
/// ```
///
/// Times: mp4 and mov keep every tick; mkv and webm round them to milliseconds. One thread uses a writer at a time; the reader that it
/// copies from may run on another, until ``complete()``.
package final class VideoWriter {
  package let settings: VideoSettings
  /// Notes about the result, one sentence each: a size made even, a stream left out.
  package private(set) var notes: [String]
  package private(set) var frameCount = 0

  package let output: OutputFile
  private let muxer: OutputContext
  private let encoder: CodecContext
  private let packet: PacketBuffer
  /// The packet before, which may be the last.
  private let held: PacketBuffer
  private let frame: FrameBuffer
  private let preparer: PicturePreparer
  private let videoStream: Int32
  private let copier: StreamCopier?
  private let sound: SoundTrack?
  private let soundStream: Int
  /// Whether the encoder gets frame numbers instead of times.
  private let countsFrames: Bool
  private var pending: [Int64: (time: Int64, duration: Int64)] = [:]
  private var times = DecodingTimes()
  private var lastTime: Int64?
  private var lastKey: Int64?
  /// The end of the last picture, in ticks.
  private var end: Int64 = 0
  private var isOpen = true

  /// Opens the file, whose extension determines the container, and the encoder, and writes the header. Sound, subtitles, chapters and
  /// metadata come from `source`, which another process may read; nothing may have been read from it yet.
  ///
  /// - Throws: `unsupported` if the container cannot hold the codec or the orientation, `wrongArgument` for settings out of range,
  ///   `system` if the file cannot be written.
  package init(_ output: OutputFile, settings: VideoSettings, source: (any StreamSource)? = nil) throws(BackdropError) {
    let container = try VideoContainer(path: output.path)
    var settings = settings
    settings.isUnbuffered = output.isGrowing
    try settings.check(container, path: output.path)
    (self.output, self.settings) = (output, settings)
    let muxer = try OutputContext.make(container, output)
    self.muxer = muxer
    preparer = PicturePreparer(settings)
    encoder = try CodecContext.encoder(settings, preparer.target, container, source: source, path: output.path)
    (packet, held, frame) = (try PacketBuffer(), try PacketBuffer(), try FrameBuffer())
    countsFrames = [.vp9, .av1, .ffv1].contains(settings.codec)

    let layout = StreamLayout(settings: settings, container: container, source: source)
    notes = preparer.notes + layout.notes
    videoStream = try layout.addStreams(to: muxer, encoder: encoder.pointer, settings: settings, source: source)
    sound = settings.hasSound ? try SoundTrack(container == .webm ? .opus : .aac, path: output.path) : nil
    soundStream = Int(muxer.pointer.pointee.nb_streams)
    if let sound {
      sound.leavePaddingOut()
      try sound.describe(try muxer.pointer.addStream())
    }
    copier = source.map { StreamCopier(muxer: muxer, layout: layout, source: $0, path: output.path) }
    do {
      try muxer.start(container, settings: settings, output)
      if let source, let copier { try source.attach(copier) }
    } catch {
      _ = muxer.close()
      output.discard()
      throw error
    }
  }

  deinit { cancel() }

  /// Adds a picture of the settings' size, of any kind and colour, converted to the file's if needed. `time` and `duration` are in ticks of
  /// the settings' time base. The duration, 0 if unknown, counts for the last picture: others last until the next.
  ///
  /// - Throws: `wrongArgument` for another size, a time not after the last, or a finished video; `system` if it cannot be written.
  package func write(_ image: Image, time: Int64, duration: Int64 = 0) throws(BackdropError) {
    try write(width: image.width, height: image.height, time: time, duration: duration) { frame throws(BackdropError) in
      try preparer.prepare(image, into: frame)
    }
  }

  /// Adds a picture of a high dynamic range in the colours of the settings; ``VideoSettings/isDeep`` is set.
  package func write(_ deep: DeepFrame, time: Int64, duration: Int64 = 0) throws(BackdropError) {
    try write(width: deep.width, height: deep.height, time: time, duration: duration) { frame throws(BackdropError) in
      try preparer.prepare(deep, into: frame)
    }
  }

  private func write(
    width: Int, height: Int, time: Int64, duration: Int64, _ fill: (FrameBuffer) throws(BackdropError) -> Void
  ) throws(BackdropError) {
    guard isOpen else { throw BackdropError(.wrongArgument, "the video is already finished", path: output.path) }
    guard width == settings.width && height == settings.height else {
      throw BackdropError(
        .wrongArgument, "expected a picture of \(settings.width)×\(settings.height), found \(width)×\(height)",
        path: output.path)
    }
    if let lastTime, time <= lastTime {
      throw BackdropError(
        .wrongArgument,
        "the time of frame \(frameCount) (\(time)) is not later than that of the frame before it (\(lastTime))",
        path: output.path)
    }
    let length = duration > 0 ? duration : usualDuration(at: time)
    (lastTime, end) = (time, time &+ length)
    let key = countsFrames ? Int64(frameCount) : time
    // The encoder may hold it still.
    if let lastKey, let earlier = pending[lastKey] { pending[lastKey] = (earlier.time, time - earlier.time) }
    lastKey = key
    pending[key] = (time, length)
    times.add(time)
    frameCount += 1
    defer { av_frame_unref(frame.pointer) }
    try fill(frame)
    frame.mark(like: encoder.pointer)
    frame.pointer.pointee.pts = key
    frame.pointer.pointee.sample_aspect_ratio = settings.pixelAspect.av
    try failing("encode the video", FFmpegCode(avcodec_send_frame(encoder.pointer, frame.pointer)))
    try drain()
  }

  /// The duration of a picture whose own is unknown.
  private func usualDuration(at time: Int64) -> Int64 {
    if let rate = settings.frameRate, rate.isPositive {
      return max(1, av_rescale_q(1, rate.inverse.av, settings.timeBase.av))
    }
    return lastTime.map { time - $0 } ?? 1
  }

  /// Adds sound to its own track: samples of −1…1, 48,000 a second, following the previous ones; the first is at time 0.
  ///
  /// - Throws: `system` if it cannot be written.
  package func write(sound samples: [Float]) throws(BackdropError) {
    guard isOpen, let sound else { return }
    do throws(BackdropError) {
      try sound.write(samples, to: writeSound)
    } catch {
      cancel()
      throw error
    }
  }

  private func writeSound(_ packet: UnsafeMutablePointer<AVPacket>) throws(BackdropError) {
    packet.pointee.stream_index = Int32(soundStream)
    // The stream exists since before the header was written.
    let stream = muxer.pointer.pointee.streams[soundStream]!
    av_packet_rescale_ts(packet, AVRational(num: 1, den: Int32(SoundTrack.recordingRate)), stream.pointee.time_base)
    let delay = muxer.unwrittenDelay(stream: soundStream)
    packet.pointee.pts += delay
    packet.pointee.dts += delay
    let (written, messages) = muxer.write(packet)
    try written.check("write the sound", messages: messages, path: output.path)
  }

  /// Writes the encoder's remaining packets and the end of the file, and moves the file into place.
  ///
  /// - Throws: `wrongArgument` if there was no picture, `system` if the file cannot be written completely.
  package func finish() throws(BackdropError) {
    try complete()
    try output.commit()
  }

  /// Writes everything that ``finish()`` writes, but leaves it to that method to move the file into place, for files that must appear
  /// together.
  package func complete() throws(BackdropError) {
    guard isOpen else { return }
    guard frameCount > 0 else {
      cancel()
      throw BackdropError(.wrongArgument, "a video needs at least one picture", path: output.path)
    }
    try failing("encode the video", FFmpegCode(avcodec_send_frame(encoder.pointer, nil)))
    try drain()
    if held.pointer.pointee.data != nil {
      times.finish(held.pointer, end: end)
      try send(held)
    }
    do throws(BackdropError) {
      try copier?.finish()
      try sound?.finish(writeSound)
    } catch {
      cancel()
      throw error
    }
    try flush()
    let (code, messages) = FFmpegLog.capturing { FFmpegCode(av_write_trailer(muxer.pointer)) }
    try failing("write the video", code, messages)
    try failing("write the video", muxer.close())
    isOpen = false
    if let count = copier?.damagedCount, count > 0 {
      notes.append(
        "\(count == 1 ? "1 packet" : "\(count) packets") of sound or subtitles \(count == 1 ? "is" : "are") damaged and "
          + "left out")
    }
  }

  /// Writes the packets that the muxer holds back; a damaged one ends the call, and is dropped.
  private func flush() throws(BackdropError) {
    var (code, messages) = (FFmpegCode.invalidData, [String]())
    // The muxer holds far fewer packets.
    for _ in 0..<100_000 {
      (code, messages) = FFmpegLog.capturing { FFmpegCode(av_interleaved_write_frame(muxer.pointer, nil)) }
      guard let copier, copier.passesOver(code) else { break }
    }
    try failing("write the video", code, messages)
  }

  /// Stops and removes the written part, or keeps it if the file grows; it does nothing after ``finish()``.
  package func cancel() {
    guard isOpen else { return }
    isOpen = false
    _ = muxer.close()
    output.abandon()
  }

  private func drain() throws(BackdropError) {
    while true {
      let code = FFmpegCode(avcodec_receive_packet(encoder.pointer, packet.pointer))
      if code == .again || code == .endOfFile { return }
      try failing("encode the video", code)
      let pointer = packet.pointer
      if let timing = pending.removeValue(forKey: pointer.pointee.pts) {
        if countsFrames { (pointer.pointee.pts, pointer.pointee.dts) = (timing.time, timing.time) }
        pointer.pointee.duration = timing.duration
      }
      times.retime(pointer)
      if held.pointer.pointee.data != nil {
        if !times.reorders { held.pointer.pointee.duration = pointer.pointee.pts - held.pointer.pointee.pts }
        try send(held)
      }
      // A recording may end at any moment.
      if settings.isUnbuffered {
        try send(packet)
      } else {
        av_packet_move_ref(held.pointer, pointer)
      }
    }
  }

  /// Writes a packet with its times in ticks of the settings.
  private func send(_ packet: PacketBuffer) throws(BackdropError) {
    let pointer = packet.pointer
    defer { av_packet_unref(pointer) }
    pointer.pointee.stream_index = videoStream
    // The stream exists after the header was written.
    let stream = muxer.pointer.pointee.streams[Int(videoStream)]!
    av_packet_rescale_ts(pointer, settings.timeBase.av, stream.pointee.time_base)
    let (written, messages) = muxer.write(pointer)
    // The failure may come from a packet of sound held back until then.
    if let copier, copier.passesOver(written) { return }
    try failing("write the video", written, messages)
  }

  /// Throws, after cleaning up, if `code` is a failure.
  private func failing(_ doing: String, _ code: FFmpegCode, _ messages: [String] = []) throws(BackdropError) {
    guard code.isFailure else { return }
    cancel()
    throw code.error(doing, messages: messages, path: output.path)
  }
}
