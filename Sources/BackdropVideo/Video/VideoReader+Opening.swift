import BackdropFFmpeg
import BackdropImaging
import CFFmpeg
import Libc

extension InputContext {
  /// Demuxers of single files with their own data. Playlists (HLS, concat, DASH), devices, picture patterns and scripts
  /// are excluded, since they name other files or addresses.
  private static let demuxers =
    "mov,mp4,m4a,3gp,3g2,mj2,matroska,webm,avi,mpegts,mpeg,mpegvideo,flv,asf,ogg,ivf,obu,av1,h264,hevc,m4v,nut,dv,"
    + "yuv4mpegpipe,gif,apng"

  /// Checks that there is a file of this name that is not empty.
  static func check(_ path: String) throws(BackdropError) {
    let copy = try InputPipes.copy(of: path)
    switch try FileKind(of: copy ?? path) {
    case .absent: throw BackdropError(.wrongArgument, "no such file", path: path, hint: "check the name")
    case .folder: throw BackdropError(.wrongArgument, "this is a folder, not a video file", path: path)
    case .file, .other: break
    }
    if let info = FileCalls.status(copy ?? path), info.st_mode & S_IFMT == S_IFREG, info.st_size == 0 {
      throw BackdropError(.badData, "the file is empty", path: path, hint: "download or copy it again")
    }
    try FFmpegLibraries.check(for: path)
  }

  /// Opens a local file and finds its video.
  ///
  /// - Parameter opened: the descriptor and the length of a file that is open already; `path` is then only its name in
  ///   messages.
  static func open(
    _ path: String, opened: (descriptor: Int32, byteCount: Int)? = nil, limits: ImageLimits
  ) throws(BackdropError) -> (context: InputContext, video: Int) {
    if opened == nil { try check(path) }
    var options = Options(["protocol_whitelist": "file", "format_whitelist": demuxers])
    var pointer = opened.flatMap { bd_input_open($0.descriptor, Int64($0.byteCount)) }
    let readPath = try opened == nil ? InputPipes.copy(of: path) ?? path : path
    // Without the prefix a colon in the name would mark a protocol.
    let (opening, complaints) = FFmpegLog.capturing {
      FFmpegCode(FilePath.withBytes("file:" + readPath) { avformat_open_input(&pointer, $0, nil, &options.pointer) })
    }
    guard !opening.isFailure, let pointer else { throw refusal(opening, complaints, path) }
    let context = InputContext(pointer)
    let (finding, messages) = FFmpegLog.capturing { context.findStreams(limits: limits) }
    let index = Int(av_find_best_stream(pointer, AVMEDIA_TYPE_VIDEO, -1, -1, nil, 0))
    guard index >= 0, !context.stream(index).isCover else {
      if finding.isFailure { throw refusal(finding, messages, path) }
      throw BackdropError(
        .badData, "the file has no video", path: path,
        hint: context.streamCount > 0 ? "it holds only \(context.contentsInWords)" : nil)
    }
    let parameters = context.stream(index).pointee.codecpar.pointee
    guard parameters.width > 0 && parameters.height > 0 else {
      throw BackdropError(
        .badData, "FFmpeg cannot find the video's size (\(messages.last ?? "no complete frame"))", path: path,
        hint: "the file is damaged or was cut off; copy it again from the original")
    }
    do { try limits.check(width: Int(parameters.width), height: Int(parameters.height)) } catch { throw error.at(path) }
    return (context, index)
  }

  private func findStreams(limits: ImageLimits) -> FFmpegCode {
    // Opening already runs decoders, so they get the size limit as well.
    let count = streamCount
    var options = [OpaquePointer?](repeating: nil, count: count)
    for index in 0..<count { av_dict_set(&options[index], "max_pixels", String(limits.pixels), 0) }
    let code = FFmpegCode(avformat_find_stream_info(pointer, &options))
    for index in 0..<count { av_dict_free(&options[index]) }
    return code
  }

  private static func refusal(_ code: FFmpegCode, _ messages: [String], _ path: String) -> BackdropError {
    if messages.contains(where: { $0.contains("moov atom not found") }) {
      return BackdropError(
        .badData, "the file was cut off or is not finished: its index (moov) is missing", path: path,
        hint: "copy it again from the original")
    }
    if messages.contains(where: { $0.contains("not on whitelist") }) {
      return BackdropError(
        .unsupported, "Backdrop does not read this kind of video file", path: path,
        hint: "give an mp4, mov, mkv, webm or avi file; Backdrop does not follow playlists")
    }
    switch code.value {
    case bd_averror(EACCES), bd_averror(EPERM), bd_averror(ENOMEM), bd_averror(EMFILE), bd_averror(ENFILE):
      return code.error("open the video", path: path)
    default:
      return BackdropError(
        .badData, "this is not a video file, or its beginning is damaged (\(messages.first ?? code.text))", path: path,
        hint: "give an mp4, mov, mkv, webm or avi file")
    }
  }

  /// The length of a stream in seconds, or of the file if the stream has none.
  func seconds(of stream: UnsafeMutablePointer<AVStream>) -> Double? {
    // An unknown duration is negative.
    if stream.pointee.duration > 0 {
      return Double(stream.pointee.duration) * Rational(stream.pointee.time_base).value
    }
    let whole = pointer.pointee.duration
    return whole > 0 ? Double(whole) / Double(AV_TIME_BASE) : nil
  }

  /// The end of the longest stream in seconds by the file's header; `nil` if unknown.
  var announcedEnd: Double? {
    let file = pointer.pointee
    guard file.duration > 0, file.duration_estimation_method != AVFMT_DURATION_FROM_BITRATE else { return nil }
    // Headers of mp4 and Matroska count from 0, not from the first frame.
    return Double(file.duration) / Double(AV_TIME_BASE)
  }

  /// The start of a stream in microseconds; `nil` if unknown.
  func start(of index: Int) -> Int64? {
    let stream = stream(index)
    guard stream.pointee.start_time != bd_nopts() else { return nil }
    let start = av_rescale_q(stream.pointee.start_time, stream.pointee.time_base, AVRational(num: 1, den: 1_000_000))
    // Beyond this a sum with other times could overflow.
    return abs(start / 1_000_000) < 100_000_000_000 ? start : nil
  }

  /// The size of the file in bytes; 0 if unknown.
  var byteCount: Int64 { max(0, avio_size(pointer.pointee.pb)) }

  func count(_ kind: AVMediaType) -> Int { (0..<streamCount).count { stream($0).kind == kind } }

  private var contentsInWords: String {
    let kinds: [(AVMediaType, String)] = [
      (AVMEDIA_TYPE_AUDIO, "sound"), (AVMEDIA_TYPE_SUBTITLE, "subtitles"), (AVMEDIA_TYPE_VIDEO, "a cover picture"),
    ]
    let found = kinds.filter { count($0.0) > 0 }.map(\.1)
    return found.isEmpty ? "data" : found.joined(separator: " and ")
  }
}

extension UnsafeMutablePointer where Pointee == AVStream {
  var kind: AVMediaType { pointee.codecpar.pointee.codec_type }

  /// Whether this is the cover picture of a sound file.
  var isCover: Bool { pointee.disposition & AV_DISPOSITION_ATTACHED_PIC != 0 }

  /// From the display matrix; upright if there is none or it has an odd angle.
  var orientation: Orientation {
    var size = 0
    guard let data = bd_stream_side_data(self, AV_PKT_DATA_DISPLAYMATRIX, &size), size >= 36 else { return .up }
    let matrix = (0..<9).map { UnsafeRawPointer(data).loadUnaligned(fromByteOffset: $0 * 4, as: Int32.self) }
    return Orientation(displayMatrix: matrix) ?? .up
  }
}

extension CodecContext {
  /// With `complainsHere`, errors in a picture are reported on the caller's thread, so that only parts of one picture are decoded in
  /// parallel. With `hasAlpha`, packets contain alpha, though the file does not announce it.
  static func decoder(
    for stream: UnsafeMutablePointer<AVStream>, limits: ImageLimits, threads: Int, complainsHere: Bool = false,
    hasAlpha: Bool = false, path: String
  ) throws(BackdropError) -> CodecContext {
    let parameters = stream.pointee.codecpar
    // Every opened stream has parameters.
    let id = parameters!.pointee.codec_id
    // FFmpeg's own decoders of VP8 and VP9 ignore alpha, which packets contain beside the picture.
    let decodesAlpha = hasAlpha || stream.pointee.metadata.tag("alpha_mode") == "1"
    let knowing = decodesAlpha ? [AV_CODEC_ID_VP8: "libvpx", AV_CODEC_ID_VP9: "libvpx-vp9"][id] : nil
    guard let codec = knowing.flatMap({ avcodec_find_decoder_by_name($0) }) ?? avcodec_find_decoder(id) else {
      throw BackdropError(
        .unsupported, "the installed FFmpeg cannot decode \(String(cString: avcodec_get_name(id))) video", path: path,
        hint: "convert the file first, for example to H.264")
    }
    let decoder = try CodecContext(codec)
    let context = decoder.pointer
    context.pointee.thread_count = Int32(clamping: threads)
    if complainsHere { context.pointee.thread_type = FF_THREAD_SLICE }
    context.pointee.pkt_timebase = stream.pointee.time_base
    context.pointee.max_pixels = Int64(limits.pixels)
    decoder.decodesForImages()
    try FFmpegLog.checking("start the video decoder", path: path) {
      let copied = avcodec_parameters_to_context(context, parameters)
      return copied < 0 ? copied : avcodec_open2(context, codec, nil)
    }
    return decoder
  }
}
