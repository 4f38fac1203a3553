import BackdropFFmpeg
import BackdropImaging
import CFFmpeg

/// Reads a video file with depth as a second track of 16-bit grey beside colour, such as the output of ``RGBDVideoWriter``.
///
/// Times match the frames of both tracks. The reader skips and counts a damaged frame, or one without a partner: it returns depth bit by
/// bit as written, or not at all.
package final class RGBDVideoReader {
  /// A colour picture and the depth of the same time.
  package struct Pair: Sendable {
    /// From 1, counting colour frames.
    package var number: Int
    /// The picture, as ``/BackdropImaging/PixelFormat/i420`` or ``/BackdropImaging/PixelFormat/nv12``.
    package var image: Image
    /// The depth's units as ``/BackdropImaging/PixelFormat/gray16``.
    package var depth: Image
    /// Its time, in seconds since the file's start.
    package var seconds: Double
  }

  package let path: String
  package let heading: RecordingHeading
  /// Skipped pictures: their numbers and the reasons.
  package private(set) var skipped = FaultTally<FrameFault>()
  /// Whether the file ended before its announced end; known after the last frame.
  package private(set) var endedEarly = false

  var onSkip: ((FrameFault) -> Void)?
  private let input: InputContext
  private let color: DecodedTrack
  private let depth: DecodedTrack
  private let packet: PacketBuffer
  /// The maximum time difference between a picture and its depth, in seconds.
  private let tolerance: Double
  private var isOver = false
  private var readToSeconds = -Double.infinity
  private var colorNumber = 0

  /// Reads an open file; `nil` if it has no depth.
  init?(_ input: InputContext, _ request: RecordingOpening) throws(BackdropError) {
    let (path, limits, threads) = (request.path, request.limits, request.threads)
    guard let tracks = input.recordingTracks else { return nil }
    try input.checkDepthSize(tracks.depth, path)
    (self.path, self.input, tolerance) = (path, input, request.tolerance)
    color = try DecodedTrack(tracks.color, of: input, limits: limits, threads: threads, path: path)
    depth = try DecodedTrack(tracks.depth, of: input, limits: limits, threads: threads, path: path)
    packet = try PacketBuffer()
    let stream = input.stream(color.index)
    let average = Rational(stream.pointee.avg_frame_rate)
    heading = RecordingHeading(
      sizes: RecordingSizes(
        width: color.width, height: color.height, depthWidth: depth.width, depthHeight: depth.height),
      frameRate: average.isPositive ? average : nil,
      frameCountEstimate: input.seconds(of: stream).flatMap { seconds in
        average.isPositive && seconds * average.value < 1e9 ? max(1, Int((seconds * average.value).rounded())) : nil
      }, description: input.attachment(named: RGBDVideoWriter.attachmentName),
      attachment: request.attachment.flatMap { input.attachment(named: $0) })
  }

  /// Whether a file holds such a recording: a video with one track of 16-bit grey and another of a different kind.
  package static func isRecording(_ path: String) throws(BackdropError) -> Bool {
    try RecordingOpening(path: path, limits: .standard, threads: 1).source() != nil
  }

  /// Opens a file and its decoders, in another process if decoding is isolated. A picture and its depth differ by at most `tolerance`
  /// seconds; 0 decoder threads are one per core; the attached file named `attachment` is read, too.
  ///
  /// - Throws: as ``VideoReader``; `badData` if it contains no depth.
  package static func frames(
    _ path: String, limits: ImageLimits = .standard, tolerance: Double = 0.02, threads: Int = 0,
    attachment: String? = nil
  ) throws(BackdropError) -> any RGBDFrames {
    let opening = RecordingOpening(
      path: path, limits: limits, tolerance: tolerance, threads: threads, attachment: attachment)
    guard let frames = try opening.source() else {
      throw BackdropError(
        .badData, "this video has no depth track", path: path,
        hint: "give a recording with a colour track and a 16-bit grey track")
    }
    return frames
  }

  /// The next picture with depth, `nil` at the end.
  ///
  /// - Throws: `overLimit` if the tracks are so far apart in the file that their frames exceed the memory limit.
  package func next() throws(BackdropError) -> Pair? {
    while true {
      if let pair = match() { return pair }
      if isOver { return nil }
      try feed()
    }
  }

  /// A definite pair, or `nil` if more must be read.
  private func match() -> Pair? {
    while let picture = color.ready.first {
      guard let map = depth.ready.first else {
        guard isOver else { return nil }
        skip("it has no depth")
        continue
      }
      let distance = map.seconds - picture.seconds
      if distance < -tolerance {
        depth.ready.removeFirst()
      } else if distance > tolerance {
        skip("it has no depth")
      } else if abs(distance) > 0.0015, !isOver, depth.ready.count < 2 || color.ready.count < 2 {
        // Another depth picture or frame may be nearer.
        return nil
      } else if depth.ready.count > 1, abs(depth.ready[1].seconds - picture.seconds) < abs(distance) {
        depth.ready.removeFirst()
      } else if color.ready.count > 1, abs(color.ready[1].seconds - map.seconds) < abs(distance) {
        skip("its depth belongs to the next frame")
      } else {
        color.ready.removeFirst()
        depth.ready.removeFirst()
        colorNumber += 1
        return Pair(number: colorNumber, image: picture.image, depth: map.image, seconds: picture.seconds)
      }
    }
    if isOver { depth.ready.removeAll() }
    return nil
  }

  private func skip(_ reason: String) {
    color.ready.removeFirst()
    colorNumber += 1
    let fault = FrameFault(frame: colorNumber, reason: reason)
    skipped.append(fault)
    onSkip?(fault)
  }

  private func feed() throws(BackdropError) {
    let (code, messages) = FFmpegLog.capturing { FFmpegCode(av_read_frame(input.pointer, packet.pointer)) }
    if messages.contains(where: { $0.contains("ended prematurely") }) { endedEarly = true }
    if code == .again { return }
    guard !code.isFailure else {
      if code != .endOfFile { endedEarly = true }
      if let end = input.announcedEnd, readToSeconds < end - 0.25 { endedEarly = true }
      try color.finish()
      try depth.finish()
      isOver = true
      return
    }
    defer { av_packet_unref(packet.pointer) }
    let index = Int(packet.pointer.pointee.stream_index)
    if packet.pointer.pointee.pts != bd_nopts() {
      let seconds = Double(packet.pointer.pointee.pts) * Rational(input.stream(index).pointee.time_base).value
      readToSeconds = max(readToSeconds, seconds)
    }
    if index == color.index { try color.decode(packet) }
    if index == depth.index { try depth.decode(packet) }
    guard color.heldBytes + depth.heldBytes <= Self.holdLimit else {
      throw BackdropError(
        .overLimit, "the file stores colour and depth too far apart", path: path,
        hint: "rewrite it: ffmpeg -i INPUT -map 0 -c copy OUTPUT.mkv")
    }
  }

  /// The maximum bytes of decoded frames that wait for their partners.
  private static let holdLimit = 1 << 30
}

extension InputContext {
  /// The first track of 16-bit grey, and the first other one.
  var recordingTracks: (color: Int, depth: Int)? {
    let videos = (0..<streamCount).filter { stream($0).kind == AVMEDIA_TYPE_VIDEO && !stream($0).isCover }
    func isGrey(_ index: Int) -> Bool { stream(index).isGrey }
    // Azure Kinect and Femto cameras write their infrared pictures as a track of the same kind.
    func isInfrared(_ index: Int) -> Bool {
      let tags = stream(index).pointee.metadata
      return tags.tag("K4A_IR_TRACK") != nil || tags.tag("title")?.uppercased() == "IR"
    }
    guard let depth = videos.first(where: { isGrey($0) && !isInfrared($0) }),
      let color = videos.first(where: { !isGrey($0) })
    else { return nil }
    return (color, depth)
  }

  fileprivate func attachment(named name: String) -> [UInt8]? {
    for index in 0..<streamCount {
      let stream = stream(index)
      guard stream.kind == AVMEDIA_TYPE_ATTACHMENT, stream.pointee.metadata.tag("filename") == name,
        let data = stream.pointee.codecpar.pointee.extradata
      else { continue }
      return Array(UnsafeBufferPointer(start: data, count: Int(stream.pointee.codecpar.pointee.extradata_size)))
    }
    return nil
  }

  /// Rejects a depth track whose size differs from its title's; ignores titles of other writers.
  fileprivate func checkDepthSize(_ index: Int, _ path: String) throws(BackdropError) {
    let stream = stream(index)
    guard let title = stream.pointee.metadata.tag("title"), title.hasPrefix("depth "),
      let parameters = stream.pointee.codecpar?.pointee
    else { return }
    guard title == RGBDVideoWriter.depthTitle(Int(parameters.width), Int(parameters.height)) else {
      throw BackdropError(
        .badData, "the depth track is \(parameters.width)×\(parameters.height), but its title claims '\(title)'",
        path: path, hint: "the recording is damaged; copy it again from the original")
    }
  }
}

extension UnsafeMutablePointer where Pointee == AVStream {
  /// Whether its pictures are of 16-bit grey.
  fileprivate var isGrey: Bool {
    let format = AVPixelFormat(pointee.codecpar.pointee.format)
    return format == AV_PIX_FMT_GRAY16LE || format == AV_PIX_FMT_GRAY16BE
  }
}

private final class DecodedTrack {
  struct Picture {
    var image: Image
    var seconds: Double
  }

  let index: Int
  let width: Int, height: Int
  /// Decoded pictures that were not taken yet, in time order.
  var ready: [Picture] = []
  private let decoder: CodecContext
  private let frame: FrameBuffer
  private let timeBase: Rational
  private let fallback: ColorDescription
  private let isGrey: Bool
  private let converter = FrameConverter()

  init(_ index: Int, of input: InputContext, limits: ImageLimits, threads: Int, path: String) throws(BackdropError) {
    let stream = input.stream(index)
    let parameters = stream.pointee.codecpar.pointee
    self.index = index
    (width, height) = (Int(parameters.width), Int(parameters.height))
    do { try limits.check(width: width, height: height) } catch { throw error.at(path) }
    isGrey = stream.isGrey
    timeBase = Rational(stream.pointee.time_base)
    fallback = ColorDescription(parameters, fallback: .assumed(width: width, height: height))
    decoder = try CodecContext.decoder(for: stream, limits: limits, threads: threads, complainsHere: isGrey, path: path)
    frame = try FrameBuffer()
  }

  var heldBytes: Int { ready.reduce(0) { $0 + Image.packedByteCount($1.image.format, width: width, height: height) } }

  func decode(_ packet: PacketBuffer) throws(BackdropError) {
    try decoder.checkScans(packet.pointer)
    let (sent, complaints) = FFmpegLog.capturing { FFmpegCode(avcodec_send_packet(decoder.pointer, packet.pointer)) }
    guard !sent.isFailure else { return }
    try receive(complaints)
  }

  func finish() throws(BackdropError) {
    avcodec_send_packet(decoder.pointer, nil)
    try receive([])
  }

  private func receive(_ complaints: [String]) throws(BackdropError) {
    var complaints = complaints
    while true {
      let (code, messages) = FFmpegLog.capturing { FFmpegCode(avcodec_receive_frame(decoder.pointer, frame.pointer)) }
      if code == .again || code == .endOfFile { return }
      complaints += messages
      // An undecodable picture shows as a gap in time.
      if code.isFailure { continue }
      defer { av_frame_unref(frame.pointer) }
      let decoded = frame.pointer.pointee
      let isDamaged =
        decoded.flags & AV_FRAME_FLAG_CORRUPT != 0 || decoded.decode_error_flags != 0
        // FFV1 repairs damaged slices from the previous frame, and reports it only in its log.
        || (isGrey && complaints.contains { $0.contains("CRC mismatch") || $0.contains("damaged") })
      complaints = []
      guard !isDamaged, Int(decoded.width) == width, Int(decoded.height) == height,
        decoded.best_effort_timestamp != bd_nopts()
      else { continue }
      let seconds = Double(decoded.best_effort_timestamp) * timeBase.value
      // A larger time is damaged, and would not fit a video's ticks.
      guard abs(seconds) < 1e9, ready.last.map({ $0.seconds < seconds }) ?? true else { continue }
      ready.append(Picture(image: try image(decoded), seconds: seconds))
    }
  }

  private func image(_ decoded: AVFrame) throws(BackdropError) -> Image {
    let format = AVPixelFormat(decoded.format)
    let color = ColorDescription(decoded, fallback: fallback)
    let kind: PixelFormat? =
      switch format {
      case AV_PIX_FMT_GRAY16LE where isGrey: .gray16
      case AV_PIX_FMT_YUV420P, AV_PIX_FMT_YUVJ420P: .i420
      case AV_PIX_FMT_NV12: .nv12
      default: nil
      }
    guard let kind else {
      let layout = SampleLayout(format: format, width: width, height: height, color: color)
      return try converter.image(
        from: PlanePointers(frame.pointer), layout, format: isGrey ? .gray16 : .i420, width: width, height: height,
        color: color, pool: nil)
    }
    return frame.image(kind, color: color, pool: nil)
  }
}
