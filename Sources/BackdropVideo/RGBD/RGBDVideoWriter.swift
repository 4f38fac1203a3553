import BackdropFFmpeg
import BackdropImaging
import CFFmpeg

/// Writes a recording with depth as one Matroska file: colour as H.264, depth as lossless FFV1 of 16-bit grey, and a JSON
/// text about both as an attachment; `docs/recordings.md` describes it.
///
/// Depth is lossless; each of its frames is independent, so damage affects one frame. ``VideoSettings/quality`` sets the quality of colour,
/// in 4:2:0. Times are whole milliseconds, Matroska's unit. The file appears under its name when ``finish()`` returns; before that, and
/// after any error, no file is left. A growing file keeps everything written, in parts of half a second.
///
/// One thread uses a writer at a time.
package final class RGBDVideoWriter {
  package struct Settings: Sendable {
    /// Size of the colour pictures. Odd sides are made even in the file, by repeating the last line: the attached text must contain the
    /// true size.
    package var width, height: Int
    package var depthWidth, depthHeight: Int
    package var frameRate: Rational?
    /// As ``VideoSettings/quality`` of H.264: 0…51, lower is better; `nil` for 18.
    package var quality: Double?
    package var color = ColorDescription.video
    /// Encoder threads of each kind; 0 leaves it to the encoders.
    package var threads = 0

    package init(width: Int, height: Int, depthWidth: Int, depthHeight: Int, frameRate: Rational? = nil) {
      (self.width, self.height, self.depthWidth) = (width, height, depthWidth)
      (self.depthHeight, self.frameRate) = (depthHeight, frameRate)
    }
  }

  package static let attachmentName = "recording.json"
  package private(set) var frameCount = 0

  /// The path of the file; moving it into place may change it.
  package var path: String { output.path }
  package var isInPlace: Bool { output.isInPlace }
  private let output: OutputFile
  private let muxer: OutputContext
  private let color: VideoTrack
  private let depth: VideoTrack
  private let packet: PacketBuffer
  private var lastTime = Int64.min
  private var isOpen = true

  deinit { cancel() }

  /// The title of the depth track. FFV1's checksums cover everything except the size, which comes from the container: a wrong size would
  /// silently decode to nonsense.
  static func depthTitle(_ width: Int, _ height: Int) -> String { "depth \(width)x\(height)" }

  /// Opens the file, whose name ends in `.mkv`, and the encoders, and writes the header; `description` is the JSON text about the
  /// recording.
  ///
  /// - Throws: `unsupported` for another extension or without an encoder, `wrongArgument` for settings out of range, `system` if the file
  ///   cannot be written.
  package init(_ output: OutputFile, settings: Settings, description: [UInt8]) throws(BackdropError) {
    guard try VideoContainer(path: output.path) == .matroska else {
      throw BackdropError(
        .unsupported, "only Matroska files hold both colour and depth", path: output.path, hint: "end the name in .mkv")
    }
    func track(_ codec: VideoSettings.Codec, _ width: Int, _ height: Int, _ color: ColorDescription) -> VideoSettings {
      var result = VideoSettings(
        codec: codec, width: width, height: height, frameRate: settings.frameRate ?? Rational(30, 1), color: color)
      result.timeBase = Rational(1, 1000)
      result.frameRate = settings.frameRate
      result.threads = settings.threads
      return result
    }
    var pictures = track(.h264, settings.width, settings.height, settings.color)
    pictures.quality = settings.quality
    pictures.isUnbuffered = output.isGrowing
    var maps = track(.ffv1, settings.depthWidth, settings.depthHeight, .jpeg)
    maps.pixelFormat = .gray16
    maps.standsAlone = true
    self.output = output
    muxer = try OutputContext.make(.matroska, output)
    color = try VideoTrack(pictures, in: muxer, title: "color", isDefault: true, path: output.path)
    depth = try VideoTrack(
      maps, in: muxer, title: Self.depthTitle(settings.depthWidth, settings.depthHeight), isDefault: false,
      path: output.path)
    packet = try PacketBuffer()
    // After an error, `deinit` removes the file.
    try muxer.attach(description, name: Self.attachmentName, kind: "application/json", path: output.path)
    try muxer.start(.matroska, settings: pictures, output)
  }

  /// Adds a frame later than the previous one: an upright picture of the settings' size, in any format, and its depth, units as
  /// ``/BackdropImaging/PixelFormat/gray16`` of the settings' depth size, or `nil` for none.
  ///
  /// - Throws: `wrongArgument` for another size, format or order, `system` if it cannot be written.
  package func write(_ image: Image, depth map: Image?, milliseconds: Int64) throws(BackdropError) {
    guard isOpen else { throw BackdropError(.wrongArgument, "the recording is already closed", path: output.path) }
    guard milliseconds > lastTime else {
      throw BackdropError(
        .wrongArgument,
        "frame \(frameCount + 1) is at \(milliseconds) ms, not later than the frame before it (\(lastTime) ms)",
        path: output.path)
    }
    do throws(BackdropError) {
      if let map {
        guard map.format == .gray16 else {
          throw BackdropError(.wrongArgument, "depth must be 16-bit grey, not \(map.format.rawValue)")
        }
        try depth.send(map, time: milliseconds)
        try drain(depth)
      }
      try color.send(image, time: milliseconds)
      try drain(color)
    } catch {
      cancel()
      throw error.at(output.path)
    }
    lastTime = milliseconds
    frameCount += 1
  }

  /// Keeps an earlier file of that name, because this recording was interrupted.
  package func keepEarlier() { output.keepEarlier() }

  /// Writes the encoders' remaining packets and the end of the file, and moves the file into place.
  ///
  /// - Throws: `wrongArgument` if there was no frame, `system` if the file cannot be written completely.
  package func finish() throws(BackdropError) {
    guard isOpen else { return }
    do throws(BackdropError) {
      guard frameCount > 0 else { throw BackdropError(.wrongArgument, "the recording has no frames") }
      for track in [depth, color] {
        try track.encode(nil)
        try drain(track)
      }
      try FFmpegLog.checking("write the recording") { av_write_trailer(muxer.pointer) }
      try muxer.close().check("write the recording")
    } catch {
      cancel()
      throw error.at(output.path)
    }
    isOpen = false
    try output.commit()
  }

  /// Stops and removes the written part, or keeps it if the file grows; it does nothing after ``finish()``.
  package func cancel() {
    guard isOpen else { return }
    isOpen = false
    _ = muxer.close()
    // Its first frame may lack a track.
    if frameCount == 0 { output.isWorthKeeping = false }
    output.abandon()
  }

  /// Stops and removes the written part, including that of a growing file.
  package func discard() {
    output.isWorthKeeping = false
    cancel()
  }

  private func drain(_ track: VideoTrack) throws(BackdropError) {
    while try track.receive(packet) {
      // The stream exists after the header was written.
      let stream = muxer.pointer.pointee.streams[Int(track.index)]!
      av_packet_rescale_ts(packet.pointer, Rational(1, 1000).av, stream.pointee.time_base)
      // The encoders of a growing file return each frame at once, depth before colour.
      let (code, messages) = muxer.write(packet.pointer, isNext: output.isGrowing)
      try code.check("write the recording", messages: messages)
    }
  }
}

/// One encoder and its stream in a file.
private final class VideoTrack {
  let index: Int32
  private let encoder: CodecContext
  private let preparer: PicturePreparer
  private let settings: VideoSettings
  private let frame: FrameBuffer
  /// Whether the encoder gets frame numbers instead of times.
  private let countsFrames: Bool
  private var times: [Int64: Int64] = [:]
  private var count: Int64 = 0

  init(
    _ settings: VideoSettings, in muxer: OutputContext, title: String, isDefault: Bool, path: String
  ) throws(BackdropError) {
    try settings.check(.matroska, path: path)
    self.settings = settings
    countsFrames = settings.codec == .ffv1
    preparer = PicturePreparer(settings)
    encoder = try CodecContext.encoder(settings, preparer.target, .matroska, source: nil, path: path)
    guard let stream = avformat_new_stream(muxer.pointer, nil) else {
      throw BackdropError(.system, "there is not enough memory for a video stream", path: path)
    }
    try FFmpegCode(avcodec_parameters_from_context(stream.pointee.codecpar, encoder.pointer))
      .check("describe the video", path: path)
    stream.pointee.time_base = settings.timeBase.av
    if let rate = settings.frameRate { stream.pointee.avg_frame_rate = rate.av }
    stream.pointee.disposition = isDefault ? AV_DISPOSITION_DEFAULT : 0
    av_dict_set(&stream.pointee.metadata, "title", title, 0)
    index = stream.pointee.index
    frame = try FrameBuffer()
  }

  func send(_ image: Image, time: Int64) throws(BackdropError) {
    guard image.width == settings.width && image.height == settings.height else {
      throw BackdropError(
        .badData, "expected a picture of \(settings.width)×\(settings.height), found \(image.width)×\(image.height)",
        hint: "give frames of one size")
    }
    defer { av_frame_unref(frame.pointer) }
    try preparer.prepare(image, into: frame)
    frame.mark(like: encoder.pointer)
    let key = countsFrames ? count : time
    times[key] = time
    count += 1
    frame.pointer.pointee.pts = key
    try encode(frame.pointer)
  }

  /// Gives the encoder a frame, or the end.
  func encode(_ frame: UnsafeMutablePointer<AVFrame>?) throws(BackdropError) {
    try FFmpegCode(avcodec_send_frame(encoder.pointer, frame)).check("encode the recording")
  }

  /// Takes a packet from the encoder, with its times in milliseconds; returns whether there was one.
  func receive(_ packet: PacketBuffer) throws(BackdropError) -> Bool {
    let code = FFmpegCode(avcodec_receive_packet(encoder.pointer, packet.pointer))
    if code == .again || code == .endOfFile { return false }
    try code.check("encode the recording")
    if let time = times.removeValue(forKey: packet.pointer.pointee.pts), countsFrames {
      (packet.pointer.pointee.pts, packet.pointer.pointee.dts) = (time, time)
    }
    // The encoder's duration is in frame numbers or absent; Matroska needs none.
    packet.pointer.pointee.duration = 0
    packet.pointer.pointee.stream_index = index
    return true
  }
}

extension OutputContext {
  fileprivate func attach(_ bytes: [UInt8], name: String, kind: String, path: String) throws(BackdropError) {
    guard let stream = avformat_new_stream(pointer, nil), bytes.count < 1 << 24,
      let copy = av_mallocz(bytes.count + Int(AV_INPUT_BUFFER_PADDING_SIZE))
    else { throw BackdropError(.system, "there is not enough memory for an attachment", path: path) }
    copy.copyMemory(from: bytes, byteCount: bytes.count)
    // The stream frees it.
    stream.pointee.codecpar.pointee.extradata = copy.assumingMemoryBound(to: UInt8.self)
    stream.pointee.codecpar.pointee.extradata_size = Int32(bytes.count)
    stream.pointee.codecpar.pointee.codec_type = AVMEDIA_TYPE_ATTACHMENT
    av_dict_set(&stream.pointee.metadata, "filename", name, 0)
    av_dict_set(&stream.pointee.metadata, "mimetype", kind, 0)
  }
}
