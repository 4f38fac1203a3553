import BackdropFFmpeg
import BackdropImaging
import CFFmpeg
import Synchronization

/// Which streams of a source go into an output file, and where; decided, and refused, before anything is written.
struct StreamLayout {
  /// For each stream of the source its place in the output, or `nil`.
  private(set) var places: [Int32?] = []
  /// What is left out.
  private(set) var notes: [String] = []
  /// The place of the encoded video.
  private(set) var videoPlace: Int32 = 0
  private var wanted: VideoSettings.Streams
  private let keepsAlpha: Bool
  /// Codecs of all that is to be copied.
  private var copied: [AVCodecID] = []
  /// Streams of the source that have a place.
  var sources: Set<Int> { Set(places.indices.filter { places[$0] != nil }) }

  init(settings: VideoSettings, container: VideoContainer, reader: VideoReader?, path: String) throws(BackdropError) {
    wanted = settings.streams
    keepsAlpha = settings.keepsAlpha
    guard let reader else { return }
    let streams = (0..<reader.input.streamCount).map { reader.input.stream($0).pointee.codecpar.pointee }
    copied = streams.filter { isWanted($0.codec_type) }.map(\.codec_id)
    var next: Int32 = 0
    for index in 0..<reader.input.streamCount {
      let stream = reader.input.stream(index)
      var place: Int32?
      if index == reader.videoIndex {
        videoPlace = next
        place = next
      } else if try copies(stream, container, path: path) {
        place = next
      }
      if place != nil { next += 1 }
      places.append(place)
    }
  }

  private mutating func copies(
    _ stream: UnsafeMutablePointer<AVStream>, _ container: VideoContainer, path: String
  ) throws(BackdropError) -> Bool {
    let parameters = stream.pointee.codecpar.pointee
    let name = String(cString: avcodec_get_name(parameters.codec_id))
    let kind: String
    switch parameters.codec_type {
    case AVMEDIA_TYPE_AUDIO:
      guard wanted.contains(.audio) else { return false }
      kind = "sound"
    case AVMEDIA_TYPE_SUBTITLE:
      guard wanted.contains(.subtitles) else { return false }
      kind = "subtitles"
    case AVMEDIA_TYPE_ATTACHMENT:
      // Fonts of the subtitles; only Matroska has a place for them.
      return wanted.contains(.subtitles) && container == .matroska
    case AVMEDIA_TYPE_VIDEO:
      notes.append(stream.isCover ? "the cover picture is left out" : "a second video track (\(name)) is left out")
      return false
    default:
      // Timecode and chapter tracks of QuickTime are made anew from the chapters; the rest is for the camera's maker.
      return false
    }
    guard Self.holds(container, parameters.codec_id) else {
      let others = containers
      throw BackdropError(
        .unsupported, "this kind of file cannot hold the source's \(name) \(kind)", path: path,
        hint: others.isEmpty ? .leaveSoundOut : .renameOrLeaveSoundOut(endings: others.joined(separator: " or ")))
    }
    return true
  }

  private func isWanted(_ kind: AVMediaType) -> Bool {
    kind == AVMEDIA_TYPE_AUDIO && wanted.contains(.audio)
      || kind == AVMEDIA_TYPE_SUBTITLE && wanted.contains(.subtitles)
  }

  fileprivate static func holds(_ container: VideoContainer, _ codec: AVCodecID) -> Bool {
    guard let format = av_guess_format(container.rawValue, nil, nil) else { return false }
    return avformat_query_codec(format, codec, FF_COMPLIANCE_NORMAL) == 1
  }

  /// Endings of files that can hold all that is to be copied, beside video of their usual codec.
  private var containers: [String] {
    VideoContainer.allCases.filter { container in
      copied.allSatisfy { Self.holds(container, $0) } && container.usualCodec(keepingAlpha: keepsAlpha) != nil
    }.map(\.suffix)
  }

  /// Makes the output's streams, chapters and metadata; returns the place of the video.
  func addStreams(
    to muxer: UnsafeMutablePointer<AVFormatContext>, encoder: UnsafeMutablePointer<AVCodecContext>,
    settings: VideoSettings, reader: VideoReader?
  ) throws(BackdropError) -> Int32 {
    guard let reader else {
      try addVideo(to: muxer, encoder, settings, like: nil)
      return videoPlace
    }
    for (index, place) in places.enumerated() where place != nil {
      let source = reader.input.stream(index)
      if index == reader.videoIndex {
        try addVideo(to: muxer, encoder, settings, like: source)
      } else {
        let stream = try newStream(in: muxer)
        try check(avcodec_parameters_copy(stream.pointee.codecpar, source.pointee.codecpar))
        // The same codec has other tags in other containers.
        stream.pointee.codecpar.pointee.codec_tag = 0
        stream.pointee.codecpar.restoreOpusPadding()
        stream.pointee.time_base = source.pointee.time_base
        try copyMarks(from: source, to: stream)
      }
    }
    if wanted.contains(.metadata) {
      try check(av_dict_copy(&muxer.pointee.metadata, reader.input.pointer.pointee.metadata, 0))
      for key in ["major_brand", "minor_version", "compatible_brands", "encoder"] {
        av_dict_set(&muxer.pointee.metadata, key, nil, 0)
      }
    }
    if wanted.contains(.chapters) {
      try check(
        bd_copy_chapters(
          muxer, reader.input.pointer, reader.partStart(copying: sources), reader.partEnd(copying: sources)))
    }
    return videoPlace
  }

  private func addVideo(
    to muxer: UnsafeMutablePointer<AVFormatContext>, _ encoder: UnsafeMutablePointer<AVCodecContext>,
    _ settings: VideoSettings, like source: UnsafeMutablePointer<AVStream>?
  ) throws(BackdropError) {
    let stream = try newStream(in: muxer)
    try check(avcodec_parameters_from_context(stream.pointee.codecpar, encoder))
    stream.pointee.time_base = settings.timeBase.av
    if let rate = settings.frameRate, rate.isPositive { stream.pointee.avg_frame_rate = rate.av }
    stream.pointee.sample_aspect_ratio = settings.pixelAspect.av
    if settings.orientation != .up {
      let matrix = settings.orientation.displayMatrix(
        width: Int(encoder.pointee.width), height: Int(encoder.pointee.height))
      try check(bd_stream_set_display_matrix(stream, matrix))
    }
    defer {
      // By this mark readers know that there is alpha beside the pictures.
      if settings.keepsAlpha && settings.codec == .vp9 { av_dict_set(&stream.pointee.metadata, "alpha_mode", "1", 0) }
    }
    guard let source else { return }
    try copyMarks(from: source, to: stream)
    // Statistics and marks of the packets that are encoded anew.
    var stale: [String] = ["encoder", "alpha_mode", "ALPHA_MODE"]
    var entry: UnsafeMutablePointer<AVDictionaryEntry>?
    while let found = av_dict_get(stream.pointee.metadata, "", entry, AV_DICT_IGNORE_SUFFIX) {
      let key = String(cString: found.pointee.key)
      if ["BPS", "DURATION", "NUMBER_OF_", "_STATISTICS_"].contains(where: key.hasPrefix) { stale.append(key) }
      entry = found
    }
    for key in stale { av_dict_set(&stream.pointee.metadata, key, nil, 0) }
  }

  private func copyMarks(from source: UnsafeMutablePointer<AVStream>, to stream: UnsafeMutablePointer<AVStream>)
    throws(BackdropError)
  {
    stream.pointee.disposition = source.pointee.disposition
    if wanted.contains(.metadata) {
      try check(av_dict_copy(&stream.pointee.metadata, source.pointee.metadata, 0))
    }
  }

  private func newStream(in muxer: UnsafeMutablePointer<AVFormatContext>) throws(BackdropError)
    -> UnsafeMutablePointer<AVStream>
  {
    guard let stream = avformat_new_stream(muxer, nil) else {
      throw BackdropError(.system, "out of memory for a stream")
    }
    return stream
  }

  private func check(_ value: Int32) throws(BackdropError) {
    let code = FFmpegCode(value)
    guard !code.isFailure else { throw code.error("copy the description of a stream", path: nil) }
  }
}

extension VideoReader {
  /// Whether a file with this ending can hold sound and subtitles as they are.
  package func canCopySound(toFilesEndingIn ending: String) -> Bool {
    guard let container = VideoContainer.allCases.first(where: { $0.endings.contains(ending) }) else { return false }
    return (0..<input.streamCount).allSatisfy { index in
      let parameters = input.stream(index).pointee.codecpar.pointee
      let isCopied = [AVMEDIA_TYPE_AUDIO, AVMEDIA_TYPE_SUBTITLE].contains(parameters.codec_type)
      return !isCopied || StreamLayout.holds(container, parameters.codec_id)
    }
  }
}

/// Passes a source's packets on to an output file as they are, with their times in the output's ticks.
final class StreamCopier: PacketSink {
  private let muxer: OutputContext
  private let path: String
  private let places: [Int32?]
  private let sourceBases: [Rational]
  private let isStrict: Bool
  private var audioClocks: [Int64]
  private var lastTimes: [Int64?]
  private let delays: [Int64]
  let sources: Set<Int>
  /// Packets that the output's container could not take, since they are damaged.
  var damagedCount: Int { damaged.load(ordering: .relaxed) }
  // The reader's thread finds them, and the writer's.
  private let damaged = Atomic<Int>(0)

  init(muxer: OutputContext, layout: StreamLayout, reader: VideoReader, path: String) {
    self.muxer = muxer
    self.path = path
    places = layout.places
    sources = layout.sources
    let input = reader.input
    sourceBases = layout.places.indices.map { Rational(input.stream($0).pointee.time_base) }
    isStrict = muxer.pointer.pointee.oformat.pointee.flags & AVFMT_TS_NONSTRICT == 0
    audioClocks = [Int64](repeating: bd_nopts(), count: layout.places.count)
    lastTimes = [Int64?](repeating: nil, count: layout.places.count)
    delays = layout.places.map { $0.map { muxer.unwrittenDelay(stream: Int($0)) } ?? 0 }
  }

  func accept(_ packet: UnsafeMutablePointer<AVPacket>) throws(BackdropError) {
    let index = Int(packet.pointee.stream_index)
    // Streams that turn up later than the header have no place.
    guard index < places.count, let place = places[index] else { return }
    // Every place was made before the header was written.
    let stream = muxer.pointer.pointee.streams[Int(place)]!
    rescale(packet, index, stream)
    if packet.pointee.pts != bd_nopts() { packet.pointee.pts &+= delays[index] }
    if packet.pointee.dts != bd_nopts() { packet.pointee.dts &+= delays[index] }
    keepOrder(packet, index)
    packet.pointee.stream_index = place
    packet.pointee.pos = -1
    let (code, messages) = muxer.write(packet)
    guard !code.isFailure || passesOver(code) else {
      var error = code.error("copy the sound or subtitles", messages: messages, path: path)
      error.remedy = error.remedy ?? .leaveDamagedSoundOut
      throw error
    }
  }

  /// Whether `code` says that a packet of sound or subtitles is damaged, by which the muxer has dropped it; counts it.
  ///
  /// Muxers hold packets back, so it can come with any later packet, those of the pictures too.
  func passesOver(_ code: FFmpegCode) -> Bool {
    // A damaged header can ask for what no program does.
    guard code == .invalidData || code == .notImplemented else { return false }
    damaged.wrappingAdd(1, ordering: .relaxed)
    return true
  }

  private func rescale(_ packet: UnsafeMutablePointer<AVPacket>, _ index: Int, _ stream: UnsafeMutablePointer<AVStream>)
  {
    let (from, to) = (sourceBases[index].av, stream.pointee.time_base)
    let parameters = stream.pointee.codecpar
    let rate = parameters?.pointee.sample_rate ?? 0
    let dts = packet.pointee.dts
    guard parameters?.pointee.codec_type == AVMEDIA_TYPE_AUDIO, rate > 0, dts != bd_nopts() else {
      av_packet_rescale_ts(packet, from, to)
      return
    }
    // Coarse ticks (Matroska's milliseconds) are refined by the packets' own lengths, so that samples do not jitter.
    var length = av_get_audio_frame_duration2(parameters, packet.pointee.size)
    if length == 0 { length = parameters?.pointee.frame_size ?? 0 }
    let exact = av_rescale_delta(from, dts, AVRational(num: 1, den: rate), length, &audioClocks[index], to)
    av_packet_rescale_ts(packet, from, to)
    packet.pointee.dts = exact
    packet.pointee.pts = exact
  }

  /// Muxers refuse times that go back, which damaged files hold.
  private func keepOrder(_ packet: UnsafeMutablePointer<AVPacket>, _ index: Int) {
    if packet.pointee.dts == bd_nopts() {
      // Cut files hold packets without a time.
      let next = lastTimes[index].map { $0 &+ 1 } ?? 0
      packet.pointee.dts = packet.pointee.pts == bd_nopts() ? next : packet.pointee.pts
    }
    if packet.pointee.pts == bd_nopts() { packet.pointee.pts = packet.pointee.dts }
    if let last = lastTimes[index] {
      let earliest = isStrict ? last &+ 1 : last
      if packet.pointee.dts < earliest {
        if packet.pointee.pts != bd_nopts() { packet.pointee.pts = max(packet.pointee.pts, earliest) }
        packet.pointee.dts = earliest
      }
    }
    lastTimes[index] = packet.pointee.dts
  }
}

extension OutputContext {
  /// Before FFmpeg 7 the Matroska muxer announces Opus' priming (CodecDelay), which readers subtract from the times, but does
  /// not add it to the times that it writes. In ticks of the stream.
  func unwrittenDelay(stream index: Int) -> Int64 {
    let name = String(cString: pointer.pointee.oformat.pointee.name)
    // Every place was made before, and Matroska's ticks are milliseconds.
    guard name == "matroska" || name == "webm", avformat_version() >> 16 < 61,
      let stream = pointer.pointee.streams[index], let parameters = stream.pointee.codecpar,
      parameters.pointee.codec_id == AV_CODEC_ID_OPUS
    else { return 0 }
    return av_rescale_q(
      Int64(parameters.pointee.initial_padding), AVRational(num: 1, den: 48000), AVRational(num: 1, den: 1000))
  }
}

extension UnsafeMutablePointer where Pointee == AVCodecParameters {
  /// The mp4 demuxer leaves Opus' priming out of the parameters; without it the Matroska muxer announces a delay that the
  /// packets' times do not have. RFC 7845, 5.1: pre-skip is the 16-bit number at byte 10 of the head, in 1/48000 s.
  fileprivate func restoreOpusPadding() {
    guard pointee.codec_id == AV_CODEC_ID_OPUS, pointee.initial_padding == 0, pointee.extradata_size >= 19,
      let head = pointee.extradata
    else { return }
    pointee.initial_padding = Int32(head[10]) | Int32(head[11]) << 8
  }
}
