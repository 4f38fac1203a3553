import BackdropFFmpeg
import BackdropImaging
import CFFmpeg

/// A video file whose other streams can be copied: sound, subtitles and attached files, with chapters and metadata.
package protocol StreamSource: AnyObject {
  var path: String { get }
  /// For example `mov,mp4,m4a,3gp,3g2,mj2`.
  var containerName: String { get }
  /// The stored format of the pictures, and the changes so far.
  var properties: SourceProperties { get }
  /// The part to read, in seconds; 0 to infinity for the whole.
  var part: Range<Double> { get }
  /// The description of its streams, chapters and metadata.
  var input: InputContext { get }
  var videoIndex: Int { get }
  /// Whether another process reads the file. A hostile file may control that process, so some of its packets must not be written unchanged.
  var isIsolated: Bool { get }
  /// Damaged packets of converted streams, which are left out.
  var damagedPacketCount: Int { get }

  /// The description of a stream's packets: the file's, or that of its conversion.
  func stream(_ index: Int) -> UnsafeMutablePointer<AVStream>
  /// Converts a stream before its packets come.
  ///
  /// - Throws: `unsupported` if that is not possible.
  func convert(_ index: Int, to target: StreamTarget) throws(BackdropError)
  /// Sends all later packets of other streams to `sink`.
  ///
  /// - Throws: `wrongArgument` after the first frame was read.
  func attach(_ sink: any PacketSink) throws(BackdropError)
  /// Sends the rest of converted sound, after the last packet.
  func finishStreams() throws(BackdropError)
}

extension VideoReader: StreamSource {
  package var isIsolated: Bool { false }
  package var damagedPacketCount: Int { streamConverter.damagedCount }

  package func stream(_ index: Int) -> UnsafeMutablePointer<AVStream> {
    streamConverter.description(of: index) ?? input.stream(index)
  }

  package func convert(_ index: Int, to target: StreamTarget) throws(BackdropError) {
    try streamConverter.convert(index, input.stream(index), to: target, path: path)
  }

  package func attach(_ sink: any PacketSink) throws(BackdropError) {
    guard !hasStarted else {
      throw BackdropError(.wrongArgument, "Backdrop can copy sound only before it reads the video", path: path)
    }
    streamConverter.attach(sink)
  }

  package func finishStreams() throws(BackdropError) { try streamConverter.finish() }
}

extension StreamSource {
  /// The start and end of the part in the file, in microseconds, if the sound streams of `sources` are copied.
  func partStart(copying sources: Set<Int>) -> Int64 {
    start(copying: sources) + Int64((part.lowerBound * 1e6).rounded())
  }
  func partEnd(copying sources: Set<Int>) -> Int64 {
    part.upperBound == .infinity ? .max : start(copying: sources) + Int64((part.upperBound * 1e6).rounded())
  }

  /// The file's time that becomes 0 if the sound streams of `sources` are copied, in microseconds.
  func start(copying sources: Set<Int>) -> Int64 {
    // These formats state the start of a track on purpose.
    guard !containerName.hasPrefix("mov,"), let own = input.start(of: videoIndex) else { return 0 }
    let others = sources.filter { input.stream($0).kind == AVMEDIA_TYPE_AUDIO }
    // A stream that begins a minute earlier has another clock.
    let starts = others.compactMap { input.start(of: $0) }.filter { $0 > own - 60_000_000 }
    return max(0, starts.min().map { min($0, own) } ?? own)
  }

  /// The file's contents besides pictures, for a list in a sentence: `sound`, `subtitles`, `chapters`, `metadata`.
  package var contentsBesidePictures: [String] {
    [
      (input.count(AVMEDIA_TYPE_AUDIO) > 0, "sound"), (input.count(AVMEDIA_TYPE_SUBTITLE) > 0, "subtitles"),
      (input.pointer.pointee.nb_chapters > 0, "chapters"), (hasMetadata, "metadata"),
    ].filter(\.0).map(\.1)
  }

  /// Whether there is a title, a date or similar data: more than programs write about themselves.
  private var hasMetadata: Bool {
    let own: Set = ["major_brand", "minor_version", "compatible_brands", "encoder"]
    return input.pointer.pointee.metadata.tags.contains { !own.contains($0.name.lowercased()) }
  }
}

extension InputContext {
  static let noMemory = BackdropError(.system, "there is not enough memory for a stream")

  /// A description of streams without a file.
  ///
  /// - Throws: `system` if there is not enough memory.
  static func empty() throws(BackdropError) -> InputContext {
    guard let pointer = avformat_alloc_context() else { throw noMemory }
    return InputContext(pointer)
  }
}

extension UnsafeMutablePointer where Pointee == AVFormatContext {
  /// - Throws: `system` if there is not enough memory.
  func addStream() throws(BackdropError) -> UnsafeMutablePointer<AVStream> {
    guard let stream = avformat_new_stream(self, nil) else { throw InputContext.noMemory }
    return stream
  }
}

extension OpaquePointer? {
  /// The first entry of that name in a dictionary of FFmpeg's.
  func tag(_ name: String) -> String? { av_dict_get(self, name, nil, 0)?.pointee.value.map { String(cString: $0) } }

  /// The entries of a dictionary of FFmpeg's.
  var tags: [(name: String, value: String)] {
    var found: [(name: String, value: String)] = []
    var entry: UnsafeMutablePointer<AVDictionaryEntry>?
    while let next = av_dict_get(self, "", entry, AV_DICT_IGNORE_SUFFIX) {
      found.append((String(cString: next.pointee.key), String(cString: next.pointee.value)))
      entry = next
    }
    return found
  }
}
