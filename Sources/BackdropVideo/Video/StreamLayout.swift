import BackdropFFmpeg
import BackdropImaging
import CFFmpeg

/// Which streams of a source go into an output file, where and how; decided before anything is written.
///
/// What the file can hold is copied as it is, what it cannot hold is coded anew, and what cannot be coded either is left out. A stream
/// never costs the others.
struct StreamLayout {
  /// The handling of a stream of the source.
  enum Handling {
    case leftOut
    /// The pictures, which the writer makes.
    case drawn
    case copied
    case sound(SoundTranscoder)
    case text(TextTranscoder)
  }

  /// For each stream of the source what becomes of it, and its place in the output.
  private(set) var handlings: [Handling] = []
  private(set) var places: [Int32?] = []
  /// The omitted and the converted streams.
  private(set) var notes: [String] = []
  /// The place of the encoded video.
  private(set) var videoPlace: Int32 = 0
  private let wanted: VideoSettings.Streams
  private let container: VideoContainer
  /// Streams of the source that have a place.
  var sources: Set<Int> { Set(places.indices.filter { places[$0] != nil }) }

  init(settings: VideoSettings, container: VideoContainer, reader: VideoReader?, path: String) {
    (wanted, self.container) = (settings.streams, container)
    guard let reader else { return }
    var next: Int32 = 0
    for index in 0..<reader.input.streamCount {
      let isVideo = index == reader.videoIndex
      let handling = isVideo ? .drawn : self.handling(of: reader.input.stream(index), container, path: path)
      if isVideo { videoPlace = next }
      if case .leftOut = handling {
        places.append(nil)
      } else {
        places.append(next)
        next += 1
      }
      handlings.append(handling)
    }
  }

  private mutating func handling(
    of stream: UnsafeMutablePointer<AVStream>, _ container: VideoContainer, path: String
  ) -> Handling {
    let codec = stream.pointee.codecpar.pointee.codec_id
    let name = String(cString: avcodec_get_name(codec))
    switch stream.pointee.codecpar.pointee.codec_type {
    case AVMEDIA_TYPE_AUDIO:
      guard wanted.contains(.audio) else { return .leftOut }
      if container.holds(stream) { return .copied }
      do throws(BackdropError) {
        let transcoder = try SoundTranscoder(stream, to: container.soundCodec, path: path)
        note(
          "Backdrop converts the sound (\(name)) to \(container.soundCodec.title), since this kind of file cannot hold it"
        )
        return .sound(transcoder)
      } catch {
        note("Backdrop leaves out the sound (\(name)): \(error.message)")
        return .leftOut
      }
    case AVMEDIA_TYPE_SUBTITLE:
      guard wanted.contains(.subtitles) else { return .leftOut }
      if container.holds(stream) { return .copied }
      do throws(BackdropError) {
        let transcoder = try TextTranscoder(stream, to: container.textCodec)
        note("Backdrop converts the subtitles (\(name)) to \(container.textCodec.title)")
        return .text(transcoder)
      } catch {
        note("Backdrop leaves out the subtitles (\(name)): \(error.message)")
        return .leftOut
      }
    case AVMEDIA_TYPE_ATTACHMENT:
      guard wanted.contains(.subtitles) else { return .leftOut }
      if container.carriesAttachments { return .copied }
      note("Backdrop leaves out attached files, such as fonts for subtitles")
      return .leftOut
    case AVMEDIA_TYPE_VIDEO:
      note(
        stream.isCover ? "Backdrop leaves out the cover picture" : "Backdrop leaves out a second video track (\(name))")
      return .leftOut
    default:
      // Timecode and chapter tracks of QuickTime are made anew from what was read of them.
      let isKnown =
        stream.pointee.discard == AVDISCARD_ALL || av_dict_get(stream.pointee.metadata, "timecode", nil, 0) != nil
      if wanted.contains(.metadata) && !isKnown {
        note("Backdrop leaves out tracks other than pictures, sound and text")
      }
      return .leftOut
    }
  }

  /// Says something once.
  private mutating func note(_ text: String) {
    if !notes.contains(text) { notes.append(text) }
  }

  /// Makes the output's streams, chapters and metadata; returns the place of the video.
  func addStreams(
    to output: OutputContext, encoder: UnsafeMutablePointer<AVCodecContext>,
    settings: VideoSettings, reader: VideoReader?
  ) throws(BackdropError) -> Int32 {
    let muxer = output.pointer
    guard let reader else {
      try addVideo(to: muxer, encoder, settings, like: nil)
      return videoPlace
    }
    for (index, handling) in handlings.enumerated() {
      let source = reader.input.stream(index)
      switch handling {
      case .leftOut: break
      case .drawn: try addVideo(to: muxer, encoder, settings, like: source)
      case .sound(let transcoder):
        let stream = try transcoder.track.add(to: output)
        try copyMarks(from: source, to: stream)
        removeStale(stream)
      case .text(let transcoder):
        let stream = try newStream(in: muxer)
        try transcoder.describe(stream)
        stream.pointee.time_base = source.pointee.time_base
        try copyMarks(from: source, to: stream)
        removeStale(stream)
      case .copied:
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
    removeStale(stream)
  }

  /// Takes statistics and marks of the packets away that are encoded anew.
  private func removeStale(_ stream: UnsafeMutablePointer<AVStream>) {
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
      if let language = av_dict_get(source.pointee.metadata, "language", nil, 0),
        let name = container.languageName(String(cString: language.pointee.value))
      {
        av_dict_set(&stream.pointee.metadata, "language", name, 0)
      }
    }
  }

  private func newStream(in muxer: UnsafeMutablePointer<AVFormatContext>) throws(BackdropError)
    -> UnsafeMutablePointer<AVStream>
  {
    guard let stream = avformat_new_stream(muxer, nil) else {
      throw BackdropError(.system, "there is not enough memory for a stream")
    }
    return stream
  }

  private func check(_ value: Int32) throws(BackdropError) {
    let code = FFmpegCode(value)
    guard !code.isFailure else { throw code.error("copy the description of a stream", path: nil) }
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
