import BackdropFFmpeg
import BackdropImaging
import CFFmpeg

/// The streams of a source that go into an output file, with their index and handling; decided before anything is written.
///
/// Streams that the file can hold are copied, others are encoded again, and the rest is left out. A stream that fails does not affect the
/// others.
struct StreamLayout {
  enum Handling {
    case leftOut
    /// The pictures, which the writer makes.
    case drawn
    case copied
    /// The source converts them.
    case converted
  }

  /// The handling of each stream of the source, and its index in the output.
  private(set) var handlings: [Handling] = []
  private(set) var outputIndices: [Int32?] = []
  /// The omitted and the converted streams, one sentence each.
  private(set) var notes: [String] = []
  private(set) var outputVideoIndex: Int32 = 0
  private let wanted: VideoSettings.Streams
  private let container: VideoContainer
  /// Streams of the source that are in the output.
  var sources: Set<Int> { Set(outputIndices.indices.filter { outputIndices[$0] != nil }) }

  init(settings: VideoSettings, container: VideoContainer, source: (any StreamSource)?) {
    (wanted, self.container) = (settings.streams, container)
    guard let source else { return }
    var next: Int32 = 0
    for index in 0..<source.input.streamCount {
      let isVideo = index == source.videoIndex
      let handling = isVideo ? .drawn : handling(of: index, source)
      if isVideo { outputVideoIndex = next }
      handlings.append(handling)
      outputIndices.append(handling == .leftOut ? nil : next)
      if handling != .leftOut { next += 1 }
    }
  }

  private mutating func handling(of index: Int, _ source: any StreamSource) -> Handling {
    let stream = source.input.stream(index)
    let name = String(cString: avcodec_get_name(stream.pointee.codecpar.pointee.codec_id))
    let mayCopy = !source.isIsolated || StreamDescription.plainCodecs.contains(name)
    func copyOrConvert(_ what: String, to target: StreamTarget, _ title: String) -> Handling {
      if mayCopy && container.holds(stream) { return .copied }
      do throws(BackdropError) {
        try source.convert(index, to: target)
        note("Backdrop converts \(what) (\(name)) to \(title)")
        return .converted
      } catch {
        note("Backdrop leaves out \(what) (\(name)): \(error.message)")
        return .leftOut
      }
    }
    switch stream.kind {
    case AVMEDIA_TYPE_AUDIO:
      guard wanted.contains(.audio) else { return .leftOut }
      let reason = mayCopy ? "this kind of file cannot hold it" : "only simple formats leave a sandbox unchanged"
      let codec = container.soundCodec
      return copyOrConvert("the sound", to: .sound(codec), "\(codec.title), since \(reason)")
    case AVMEDIA_TYPE_SUBTITLE:
      guard wanted.contains(.subtitles) else { return .leftOut }
      return copyOrConvert("the subtitles", to: .text(container.textCodec), container.textCodec.title)
    case AVMEDIA_TYPE_ATTACHMENT:
      guard wanted.contains(.subtitles) else { return .leftOut }
      if container == .matroska { return .copied }
      note("Backdrop leaves out attached files, such as fonts for subtitles")
      return .leftOut
    case AVMEDIA_TYPE_VIDEO:
      note(
        stream.isCover ? "Backdrop leaves out the cover picture" : "Backdrop leaves out a second video track (\(name))")
      return .leftOut
    default:
      // QuickTime's timecode and chapter tracks are created again from their contents.
      let isKnown = stream.pointee.discard == AVDISCARD_ALL || stream.pointee.metadata.tag("timecode") != nil
      if wanted.contains(.metadata) && !isKnown {
        note("Backdrop leaves out tracks other than pictures, sound and text")
      }
      return .leftOut
    }
  }

  /// Adds a note, unless there is an equal one.
  private mutating func note(_ text: String) { if !notes.contains(text) { notes.append(text) } }

  /// Makes the output's streams, chapters and metadata; returns the index of the video.
  func addStreams(
    to output: OutputContext, encoder: UnsafeMutablePointer<AVCodecContext>,
    settings: VideoSettings, source file: (any StreamSource)?
  ) throws(BackdropError) -> Int32 {
    let muxer = output.pointer
    guard let file else {
      try addVideo(to: muxer, encoder, settings, like: nil)
      return outputVideoIndex
    }
    for (index, handling) in handlings.enumerated() {
      let source = file.stream(index)
      switch handling {
      case .leftOut: break
      case .drawn: try addVideo(to: muxer, encoder, settings, like: source)
      case .copied, .converted:
        let stream = try muxer.addStream()
        try check(avcodec_parameters_copy(stream.pointee.codecpar, source.pointee.codecpar))
        // The same codec has other tags in other containers.
        stream.pointee.codecpar.pointee.codec_tag = 0
        stream.pointee.codecpar.restoreOpusPadding()
        stream.pointee.time_base = source.pointee.time_base
        try copyMarks(from: source, to: stream)
        if handling == .converted { removeStale(stream) }
      }
    }
    if wanted.contains(.metadata) {
      try check(av_dict_copy(&muxer.pointee.metadata, file.input.pointer.pointee.metadata, 0))
      for key in ["major_brand", "minor_version", "compatible_brands", "encoder"] {
        av_dict_set(&muxer.pointee.metadata, key, nil, 0)
      }
      // FFmpeg 9 joins the times of the header and of the keys in one text, which its writers omit.
      if let times = muxer.pointee.metadata.tag("creation_time"), let end = times.firstIndex(of: ";") {
        av_dict_set(&muxer.pointee.metadata, "creation_time", String(times[..<end]), 0)
      }
    }
    if wanted.contains(.chapters) {
      try check(
        bd_copy_chapters(muxer, file.input.pointer, file.partStart(copying: sources), file.partEnd(copying: sources)))
    }
    return outputVideoIndex
  }

  private func addVideo(
    to muxer: UnsafeMutablePointer<AVFormatContext>, _ encoder: UnsafeMutablePointer<AVCodecContext>,
    _ settings: VideoSettings, like source: UnsafeMutablePointer<AVStream>?
  ) throws(BackdropError) {
    let stream = try muxer.addStream()
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
      // This tag announces the alpha beside the pictures to readers.
      if settings.keepsAlpha && settings.codec == .vp9 { av_dict_set(&stream.pointee.metadata, "alpha_mode", "1", 0) }
    }
    guard let source else { return }
    try copyMarks(from: source, to: stream)
    removeStale(stream)
  }

  /// Removes statistics and marks of packets that are encoded again.
  private func removeStale(_ stream: UnsafeMutablePointer<AVStream>) {
    let statistics = ["BPS", "DURATION", "NUMBER_OF_", "_STATISTICS_"]
    let stale = stream.pointee.metadata.tags.map(\.name).filter { key in statistics.contains(where: key.hasPrefix) }
    for key in stale + ["encoder", "alpha_mode", "ALPHA_MODE"] { av_dict_set(&stream.pointee.metadata, key, nil, 0) }
  }

  private func copyMarks(from source: UnsafeMutablePointer<AVStream>, to stream: UnsafeMutablePointer<AVStream>)
    throws(BackdropError)
  {
    stream.pointee.disposition = source.pointee.disposition
    if wanted.contains(.metadata) {
      try check(av_dict_copy(&stream.pointee.metadata, source.pointee.metadata, 0))
      if let name = source.pointee.metadata.tag("language").flatMap(container.languageName) {
        av_dict_set(&stream.pointee.metadata, "language", name, 0)
      }
    }
  }

  private func check(_ value: Int32) throws(BackdropError) {
    try FFmpegCode(value).check("copy the description of a stream")
  }
}

extension UnsafeMutablePointer where Pointee == AVCodecParameters {
  /// The mp4 demuxer leaves Opus' priming out of the parameters; without it the Matroska muxer announces a delay that the packets' times do
  /// not have. RFC 7845, 5.1: pre-skip is the 16-bit number at byte 10 of the head, in 1/48000 s.
  fileprivate func restoreOpusPadding() {
    guard pointee.codec_id == AV_CODEC_ID_OPUS, pointee.initial_padding == 0, pointee.extradata_size >= 19,
      let head = pointee.extradata
    else { return }
    pointee.initial_padding = Int32(head[10]) | Int32(head[11]) << 8
  }
}
