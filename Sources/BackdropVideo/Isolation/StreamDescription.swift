import BackdropFFmpeg
import BackdropImaging
import CFFmpeg

/// A stream of a file that another process reads, with everything that copying its packets needs.
struct StreamDescription: WireValue, Sendable {
  /// Codecs whose packets may be copied out of a sandbox. Muxers write these packets unchanged, or parse only a short header. They parse
  /// more of others, which only a sandbox should do with untrusted bytes.
  static let plainCodecs: Set = [
    "aac", "alac", "flac", "mp2", "mp3", "opus", "vorbis", "pcm_s16le", "pcm_s16be", "pcm_s24le", "pcm_s24be",
    "pcm_s32le", "pcm_s32be", "pcm_f32le", "pcm_f32be", "pcm_u8", "ac3", "eac3", "dts", "mov_text", "subrip", "ass",
    "webvtt", "text", "dvd_subtitle", "hdmv_pgs_subtitle",
  ]

  private let kind: Int32
  private let codec: String
  private let header: [UInt8]
  private let bitRate: Int64
  /// For sound.
  private let sampleRate: Int32, channels: Int32, sampleFormat: Int32, frameSize: Int32
  private let padding: [Int32]
  private let bits: [Int32]
  private let profile: Int32
  /// For pictures.
  private let colors: [Int32]
  private let base: Rational
  private let start: Int64
  private let disposition: Int32
  private let isDiscarded: Bool
  private let tags: Tags

  init(_ stream: UnsafeMutablePointer<AVStream>) {
    // Every opened stream has parameters.
    let parameters = stream.pointee.codecpar!.pointee
    kind = parameters.codec_type.rawValue
    codec = String(cString: avcodec_get_name(parameters.codec_id))
    header = Array(UnsafeBufferPointer(start: parameters.extradata, count: Int(parameters.extradata_size)))
    bitRate = parameters.bit_rate
    (sampleRate, channels) = (parameters.sample_rate, parameters.ch_layout.nb_channels)
    (sampleFormat, frameSize) = (parameters.format, parameters.frame_size)
    padding = [parameters.initial_padding, parameters.trailing_padding, parameters.seek_preroll]
    bits = [parameters.bits_per_coded_sample, parameters.bits_per_raw_sample, parameters.block_align]
    profile = parameters.profile
    colors = [Int32(parameters.color_primaries.rawValue), Int32(parameters.color_trc.rawValue)]
    (base, start) = (Rational(stream.pointee.time_base), stream.pointee.start_time)
    disposition = stream.pointee.disposition
    isDiscarded = stream.pointee.discard == AVDISCARD_ALL
    tags = Tags(stream.pointee.metadata)
  }

  init(from wire: inout WireReader) throws(BackdropError) {
    (kind, codec, header, bitRate, sampleRate, channels, sampleFormat, frameSize) = try (
      wire.read(), wire.read(), wire.read(), wire.read(), wire.read(), wire.read(), wire.read(), wire.read()
    )
    (padding, bits, profile, colors, base, start, disposition, isDiscarded, tags) = try (
      wire.read(), wire.read(), wire.read(), wire.read(), wire.read(), wire.read(), wire.read(), wire.read(),
      wire.read()
    )
    let numbers = padding + bits + [frameSize]
    guard (AVMEDIA_TYPE_UNKNOWN.rawValue...AVMEDIA_TYPE_ATTACHMENT.rawValue).contains(kind), base.isPositive,
      (0...768_000).contains(sampleRate), (0...64).contains(channels), (-1...1024).contains(sampleFormat),
      padding.count == 3, bits.count == 3, colors.count == 2, numbers.allSatisfy({ (0...1 << 24).contains($0) }),
      colors.allSatisfy({ (0...255).contains($0) })
    else { throw WireReader.damaged }
  }

  func write(to wire: inout WireWriter) {
    wire.write(kind, codec, header, bitRate, sampleRate, channels, sampleFormat, frameSize, padding, bits, profile)
    wire.write(colors, base, start, disposition, isDiscarded, tags)
  }

  /// Adds the stream to the description of a file.
  ///
  /// - Throws: `system` if there is not enough memory.
  @discardableResult func add(to file: InputContext) throws(BackdropError) -> UnsafeMutablePointer<AVStream> {
    let stream = try file.pointer.addStream()
    // Every stream has parameters.
    let parameters = stream.pointee.codecpar!
    parameters.pointee.codec_type = AVMediaType(kind)
    parameters.pointee.codec_id = avcodec_descriptor_get_by_name(codec)?.pointee.id ?? AV_CODEC_ID_NONE
    if !header.isEmpty {
      // FFmpeg's bit readers read slightly beyond the end.
      guard let copy = av_mallocz(header.count + Int(AV_INPUT_BUFFER_PADDING_SIZE)) else { throw InputContext.noMemory }
      header.withUnsafeBytes { copy.copyMemory(from: $0.baseAddress!, byteCount: header.count) }
      parameters.pointee.extradata = copy.assumingMemoryBound(to: UInt8.self)
      parameters.pointee.extradata_size = Int32(header.count)
    }
    (parameters.pointee.bit_rate, parameters.pointee.sample_rate) = (bitRate, sampleRate)
    if channels > 0 { parameters.pointee.ch_layout = bd_channel_layout(channels) }
    (parameters.pointee.format, parameters.pointee.frame_size) = (sampleFormat, frameSize)
    parameters.pointee.initial_padding = padding[0]
    (parameters.pointee.trailing_padding, parameters.pointee.seek_preroll) = (padding[1], padding[2])
    (parameters.pointee.bits_per_coded_sample, parameters.pointee.bits_per_raw_sample) = (bits[0], bits[1])
    (parameters.pointee.block_align, parameters.pointee.profile) = (bits[2], profile)
    parameters.pointee.color_primaries = AVColorPrimaries(UInt32(colors[0]))
    parameters.pointee.color_trc = AVColorTransferCharacteristic(UInt32(colors[1]))
    (stream.pointee.time_base, stream.pointee.start_time) = (base.av, start)
    stream.pointee.disposition = disposition
    if isDiscarded { stream.pointee.discard = AVDISCARD_ALL }
    tags.add(to: &stream.pointee.metadata)
    return stream
  }
}

/// The streams, chapters and metadata of a file.
struct FileDescription: WireValue, Sendable {
  private struct Chapter: WireValue {
    let number: Int64, base: Rational, start: Int64, end: Int64, tags: Tags

    init(_ chapter: AVChapter) {
      (number, base) = (Int64(chapter.id), Rational(chapter.time_base))
      (start, end, tags) = (chapter.start, chapter.end, Tags(chapter.metadata))
    }

    init(from wire: inout WireReader) throws(BackdropError) {
      (number, base, start, end, tags) = try (wire.read(), wire.read(), wire.read(), wire.read(), wire.read())
      guard base.isPositive else { throw WireReader.damaged }
    }

    func write(to wire: inout WireWriter) { wire.write(number, base, start, end, tags) }
  }

  let videoIndex: Int
  let containerName: String
  private let streams: [StreamDescription]
  private let chapters: [Chapter]
  private let tags: Tags

  init(_ reader: VideoReader) {
    (videoIndex, containerName) = (reader.videoIndex, reader.containerName)
    let input = reader.input
    streams = (0..<input.streamCount).map { StreamDescription(input.stream($0)) }
    // The library fills the list up to its count.
    chapters = (0..<Int(input.pointer.pointee.nb_chapters)).map { Chapter(input.pointer.pointee.chapters[$0]!.pointee) }
    tags = Tags(input.pointer.pointee.metadata)
  }

  init(from wire: inout WireReader) throws(BackdropError) {
    (videoIndex, containerName, streams, chapters, tags) = try (
      wire.read(), wire.read(), wire.read(), wire.read(), wire.read()
    )
    guard streams.indices.contains(videoIndex), streams.count <= 1000 else { throw WireReader.damaged }
  }

  func write(to wire: inout WireWriter) { wire.write(videoIndex, containerName, streams, chapters, tags) }

  /// The description in FFmpeg's form, without a file.
  ///
  /// - Throws: `system` if there is not enough memory.
  func context() throws(BackdropError) -> InputContext {
    let context = try InputContext.empty()
    let pointer = context.pointer
    for stream in streams { try stream.add(to: context) }
    for chapter in chapters {
      guard let made = bd_add_chapter(pointer, chapter.number, chapter.base.av, chapter.start, chapter.end) else {
        throw InputContext.noMemory
      }
      chapter.tags.add(to: &made.pointee.metadata)
    }
    tags.add(to: &pointer.pointee.metadata)
    return context
  }
}

private struct Tags: WireValue, Sendable {
  private let names: [String], values: [String]

  init(_ dictionary: OpaquePointer?) {
    let tags = dictionary.tags
    (names, values) = (tags.map(\.name), tags.map(\.value))
  }

  init(from wire: inout WireReader) throws(BackdropError) {
    (names, values) = try (wire.read(), wire.read())
    guard names.count == values.count, names.count <= 10_000 else { throw WireReader.damaged }
  }

  func write(to wire: inout WireWriter) { wire.write(names, values) }

  func add(to dictionary: inout OpaquePointer?) {
    // A name may occur several times, as for several artists.
    for (name, value) in zip(names, values) { av_dict_set(&dictionary, name, value, AV_DICT_MULTIKEY) }
  }
}
