import BackdropFFmpeg
import BackdropImaging
import CFFmpeg
import Dispatch
import Libc
import Synchronization

/// A network camera: RTSP, or Motion JPEG and other streams over HTTP.
///
/// A separate thread reads and decodes continuously and keeps only the newest picture, so that a slow reader gets recent ones. A damaged
/// picture, and those that depend on it, are left out and reported once. The camera counts as lost if no data comes for some seconds.
final class NetworkCamera: CameraDevice {
  let name: String
  let mode: CameraMode
  private let reading: Reading

  deinit { reading.stop() }

  static func isAddress(_ text: String) -> Bool {
    ["rtsp://", "rtsps://", "http://", "https://"].contains { text.lowercased().hasPrefix($0) }
  }

  /// Connects and waits for the description of the first picture.
  init(_ address: String) throws(BackdropError) {
    name = Self.withoutSecrets(address)
    let reading = Reading(name)
    self.reading = reading
    mode = try reading.open(address)
    try DetachedThread.start { reading.run() }
  }

  /// The address without a user's name and password, for messages.
  static func withoutSecrets(_ address: String) -> String {
    guard let start = address.firstRange(of: "://") else { return address }
    let rest = address[start.upperBound...]
    let host = rest.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
    guard let at = host.lastIndex(of: "@") else { return address }
    return String(address[..<start.upperBound]) + String(rest[rest.index(after: at)...])
  }

  var silenceHint: String { "check that the camera is on, and the network" }

  func next(within seconds: Double) throws(BackdropError) -> CapturedPicture? { try reading.next(within: seconds) }
}

/// The state of a network camera's thread.
///
/// It is unchecked because everything that is neither atomic nor in the mailbox belongs to the thread.
private final class Reading: @unchecked Sendable {
  /// The longest time that a camera may stay silent, in seconds.
  private static let timeout = 10.0
  private static let protocols = "rtsp,rtsps,rtp,srtp,udp,tcp,tls,http,https"
  /// The allowed formats are self-contained; playlists, which name other addresses, are not among them.
  private static let demuxers =
    "rtsp,rtp,mpjpeg,mjpeg,mjpeg_2000,jpeg_pipe,h264,hevc,mpegts,flv,matroska,webm,mov,mp4,ogg"

  private let name: String
  private let deadline = Atomic<UInt64>(.max)
  private let isStopped = Atomic<Bool>(false)
  private var input: InputContext?
  private var decoder: Decoder?
  private var video = 0
  /// Whether damage was reported since the last picture, or none came yet.
  private var isWaiting = true

  /// JPEGs have a decoder that reports every damage; FFmpeg's patches what is missing without a mark.
  private enum Decoder {
    case jpegs(MotionJPEG)
    case stream(StreamDecoder)
  }

  private struct Mailbox {
    var newest: CapturedPicture?
    var failure: BackdropError?
    /// Damage that was not reported yet.
    var damage: BackdropError?
    var damagedCount = 0
    var count = 0
    var readerWaits = false
  }

  private let mailbox = Mutex(Mailbox())
  private let arrival = DispatchSemaphore(value: 0)

  init(_ name: String) { self.name = name }

  private func extend() { deadline.store(UInt64((MonotonicClock.seconds + Self.timeout) * 1000), ordering: .relaxed) }

  private var isOver: Bool {
    isStopped.load(ordering: .relaxed) || UInt64(MonotonicClock.seconds * 1000) > deadline.load(ordering: .relaxed)
  }

  func open(_ address: String) throws(BackdropError) -> CameraMode {
    let limits = ImageLimits.standard
    try FFmpegLibraries.check(for: address)
    guard let fresh = avformat_alloc_context() else {
      throw BackdropError(.system, "there is not enough memory for a stream")
    }
    fresh.pointee.interrupt_callback.opaque = Unmanaged.passUnretained(self).toOpaque()
    fresh.pointee.interrupt_callback.callback = { opaque in
      guard let opaque else { return 0 }
      return Unmanaged<Reading>.fromOpaque(opaque).takeUnretainedValue().isOver ? 1 : 0
    }
    // Pictures should not be buffered, and little data is enough to identify them.
    fresh.pointee.flags |= AVFMT_FLAG_NOBUFFER
    fresh.pointee.max_analyze_duration = 2_000_000
    fresh.pointee.probesize = 1 << 20
    extend()
    var options = Options([
      "protocol_whitelist": Self.protocols, "format_whitelist": Self.demuxers, "rtsp_transport": "tcp",
      "user_agent": "Backdrop",
    ])
    var pointer: UnsafeMutablePointer<AVFormatContext>? = fresh
    FFmpegLog.install()
    let opening = FFmpegCode(avformat_open_input(&pointer, address, nil, &options.pointer))
    // A failed call frees the context.
    guard !opening.isFailure, let pointer else { throw refusal(opening) }
    let context = InputContext(pointer)
    input = context
    extend()
    let finding = FFmpegCode(avformat_find_stream_info(pointer, nil))
    let index = Int(av_find_best_stream(pointer, AVMEDIA_TYPE_VIDEO, -1, -1, nil, 0))
    guard !finding.isFailure, index >= 0, let parameters = context.stream(index).pointee.codecpar?.pointee else {
      throw refusal(finding)
    }
    do throws(BackdropError) {
      try limits.check(width: Int(parameters.width), height: Int(parameters.height))
    } catch { throw error.at(name) }
    video = index
    decoder =
      parameters.codec_id == AV_CODEC_ID_MJPEG
      ? .jpegs(try MotionJPEG()) : .stream(try StreamDecoder.of(context.stream(index), limits: limits, path: name))
    let rate = Rational(context.stream(index).pointee.avg_frame_rate)
    let encoding: CameraMode.Encoding =
      switch parameters.codec_id {
      case AV_CODEC_ID_H264: .h264
      case AV_CODEC_ID_MJPEG: .mjpeg
      default: .i420
      }
    return CameraMode(
      encoding: encoding, width: Int(parameters.width), height: Int(parameters.height),
      rates: rate.isPositive && rate.value <= 1000 ? [rate.value] : [])
  }

  private func refusal(_ code: FFmpegCode) -> BackdropError {
    if isOver {
      return BackdropError(
        .system, "the camera did not answer within \(Int(Self.timeout)) s", path: name,
        hint: "check its address and the network")
    }
    if code.value == bd_averror_invalid_data() || !code.isFailure {
      return BackdropError(
        .badData, "this address has no video that Backdrop can read", path: name,
        hint: "give the address of the stream, not of a web page that shows it")
    }
    return BackdropError(
      .system, "Backdrop cannot connect to the camera (\(code.text))", path: name,
      hint: "check its address, user name and password, and the network")
  }

  func stop() { isStopped.store(true, ordering: .relaxed) }

  /// Reads until the camera or this program ends the stream.
  func run() {
    do throws(BackdropError) {
      let packet = try PacketBuffer()
      while !isStopped.load(ordering: .relaxed) { try step(packet) }
    } catch {
      deliver { $0.failure = error }
    }
    input = nil
    decoder = nil
  }

  private func step(_ packet: PacketBuffer) throws(BackdropError) {
    guard let input, let decoder else { return }
    extend()
    let code = FFmpegCode(av_read_frame(input.pointer, packet.pointer))
    if code == .again { return }
    guard !code.isFailure else {
      throw BackdropError(
        .system, "Backdrop lost the connection to the camera (\(reason(code)))", path: name,
        hint: "check that the camera is on, and the network")
    }
    defer { av_packet_unref(packet.pointer) }
    guard Int(packet.pointer.pointee.stream_index) == video else { return }
    let now = MonotonicClock.seconds
    let image: Image?
    do throws(BackdropError) {
      image = try decode(packet.pointer, decoder)
    } catch {
      let isNews = if case .jpegs = decoder { true } else { !isWaiting }
      isWaiting = true
      guard isNews else { return }
      return deliver {
        $0.damage = BackdropError(.badData, error.message, path: name)
        $0.damagedCount += 1
      }
    }
    guard let image else { return }
    isWaiting = false
    deliver {
      $0.count += 1
      $0.newest = CapturedPicture(image: image, seconds: now, sequence: $0.count)
    }
  }

  private func decode(_ packet: UnsafeMutablePointer<AVPacket>, _ decoder: Decoder) throws(BackdropError) -> Image? {
    switch decoder {
    case .stream(let decoder): return try decoder.decode(packet, pool: nil)
    case .jpegs(let decoder):
      let bytes = UnsafeRawBufferPointer(start: packet.pointee.data, count: Int(packet.pointee.size))
      return try decoder.decode(bytes, size: nil, pool: nil)
    }
  }

  private func reason(_ code: FFmpegCode) -> String {
    if isOver { return "it sent nothing for \(Int(Self.timeout)) s" }
    switch code.value {
    case bd_averror_eof(), bd_averror(EIO): return "it ended the stream"
    case bd_averror(ECONNRESET), bd_averror(EPIPE): return "it closed the connection"
    default: return code.text
    }
  }

  /// Changes the mailbox and wakes the reader.
  private func deliver(_ change: (inout Mailbox) -> Void) {
    let wakes = mailbox.withLock { mailbox in
      change(&mailbox)
      defer { mailbox.readerWaits = false }
      return mailbox.readerWaits
    }
    if wakes { arrival.signal() }
  }

  func next(within seconds: Double) throws(BackdropError) -> CapturedPicture? {
    let end = DispatchTime.now() + min(max(seconds, 0), 3600)
    var isLate = false
    while true {
      let (picture, damage, failure) = mailbox.withLock { mailbox in
        defer { mailbox.newest = nil }
        mailbox.readerWaits = mailbox.newest == nil && mailbox.damagedCount == 0 && mailbox.failure == nil && !isLate
        let isDamage = mailbox.newest == nil && mailbox.damagedCount > 0
        if isDamage { mailbox.damagedCount -= 1 }
        return (mailbox.newest, isDamage ? mailbox.damage : nil, mailbox.failure)
      }
      if let picture { return picture }
      if let damage { throw damage }
      if let failure { throw failure }
      if isLate { return nil }
      // A late signal meant for an earlier call costs only one more iteration.
      isLate = arrival.wait(timeout: end) == .timedOut
    }
  }
}
