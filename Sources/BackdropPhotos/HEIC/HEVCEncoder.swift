import BackdropFFmpeg
import BackdropImaging
import CFFmpeg
import Synchronization

/// Encodes still pictures of one size, each independently, with libx265 through FFmpeg's libraries.
final class HEVCEncoder {
  private let codec: CodecContext
  private let packets: PacketBuffer
  private let frames: FrameBuffer
  private var context: UnsafeMutablePointer<AVCodecContext> { codec.pointer }
  private var packet: UnsafeMutablePointer<AVPacket> { packets.pointer }
  private var frame: UnsafeMutablePointer<AVFrame> { frames.pointer }
  /// The record for decoders (ISO/IEC 14496-15, 8.3.3.1).
  let configuration: [UInt8]

  // The encoder initializes process-wide tables at the first opening.
  private static let opening = Mutex(())

  /// - Parameter threads: `nil` for tiles, encoded on the caller's thread; else the number of threads for the rows of blocks, which does
  ///   not affect the result.
  init(
    like source: HEVCSource, width: Int, height: Int, _ quality: HEICQuality, threads: Int? = nil
  ) throws(BackdropError) {
    guard let encoder = avcodec_find_encoder_by_name("libx265") else {
      throw BackdropError(
        .unsupported, "the installed FFmpeg libraries cannot write HEVC (no libx265)",
        hint: "install them: sudo apt install libavcodec59 libx265-199, or write a .jpg")
    }
    (codec, packets, frames) = (try CodecContext(encoder), try PacketBuffer(), try FrameBuffer())
    let context = codec.pointer
    context.pointee.width = Int32(width)
    context.pointee.height = Int32(height)
    context.pointee.pix_fmt = source.format
    context.pointee.time_base = AVRational(num: 1, den: 1)
    context.pointee.thread_count = 1
    context.pointee.flags |= AV_CODEC_FLAG_GLOBAL_HEADER
    context.pointee.log_level_offset = 128
    context.pointee.color_range = source.color.avRange
    if !source.isMonochrome { context.pointee.colorspace = source.color.avSpace }
    // Every picture is a keyframe. `qcomp=1.0` and this mode of adaptive quantization give separate tiles the same quality, so no seams are
    // visible.
    var parameters = "log-level=none:info=0:keyint=1:min-keyint=1:bframes=0:rc-lookahead=0:ref=1:frame-threads=1"
    parameters += ":aq-mode=1:qcomp=1.0:scenecut=0"
    parameters += threads.map { ":wpp=1:pools=\($0 > 1 ? "\($0)" : "none")" } ?? ":wpp=0:pools=none"
    parameters += quality.rateFactor.map { ":crf=\($0)" } ?? ":lossless=1"
    var options = Options(["preset": quality.preset.rawValue, "x265-params": parameters])
    try CodecContext.checkThreadsOfX265(threads ?? 1)
    let code = Self.opening.withLock { _ in avcodec_open2(context, encoder, &options.pointer) }
    guard code >= 0, let extra = context.pointee.extradata else {
      throw BackdropError(
        .system, "the HEVC encoder does not accept \(width)×\(height) pictures with \(source.bitDepth) bits")
    }
    let header = Array(UnsafeBufferPointer(start: extra, count: Int(context.pointee.extradata_size)))
    configuration = try HEVCConfiguration.record(
      parameterSets: NALUnit.split(header), chromaFormat: source.isMonochrome ? 0 : 1, bitDepth: source.bitDepth)
  }

  /// Sends the part of `source` that begins at (`x`, `y`), repeating the last row and column beyond the end.
  func send(_ source: HEVCSource, x: Int, y: Int, number: Int) throws(BackdropError) {
    av_frame_unref(frame)
    frame.pointee.width = context.pointee.width
    frame.pointee.height = context.pointee.height
    frame.pointee.format = source.format.rawValue
    frame.pointee.pts = Int64(number)
    frame.pointee.color_range = context.pointee.color_range
    guard av_frame_get_buffer(frame, 0) >= 0 else {
      throw BackdropError(.system, "there is not enough memory for a tile")
    }
    let (data, strides) = (frame.pointee.data, frame.pointee.linesize)
    let targets = [(data.0, strides.0), (data.1, strides.1), (data.2, strides.2)]
    let whole = IntegerRect(x: x, y: y, width: Int(frame.pointee.width), height: Int(frame.pointee.height))
    for index in 0..<(source.isMonochrome ? 1 : 3) {
      guard let base = targets[index].0 else { throw BackdropError(.system, "there is not enough memory for a tile") }
      let rectangle = index > 0 ? HEICChroma.half.rectangle(whole) : whole
      if let image = source.image {
        image.plane(index).copy(rectangle, to: base, bytesPerRow: Int(targets[index].1))
      } else {
        source.planes[index].copy(rectangle, to: base, bytesPerRow: Int(targets[index].1))
      }
    }
    guard avcodec_send_frame(context, frame) >= 0 else { throw failed }
  }

  /// Passes finished pictures to `take`, with their numbers and their units after four bytes of length; all remaining ones if `isLast`.
  func receive(isLast: Bool, _ take: (Int, [UInt8]) -> Void) throws(BackdropError) {
    if isLast, avcodec_send_frame(context, nil) < 0 { throw failed }
    while true {
      let code = avcodec_receive_packet(context, packet)
      if code == bd_averror(EAGAIN) || code == bd_averror_eof() { return }
      guard code >= 0, let data = packet.pointee.data else { throw failed }
      defer { av_packet_unref(packet) }
      let stream = Array(UnsafeBufferPointer(start: data, count: Int(packet.pointee.size)))
      var writer = ByteWriter()
      for unit in NALUnit.split(stream) {
        writer.uint32(unit.count)
        writer.data(unit)
      }
      take(Int(packet.pointee.pts), writer.bytes)
    }
  }

  private var failed: BackdropError { BackdropError(.system, "the HEVC encoder failed") }
}

extension Plane {
  /// Copies a rectangle, repeating the last column and row beyond the plane's end.
  fileprivate func copy(_ rectangle: IntegerRect, to target: UnsafeMutablePointer<UInt8>, bytesPerRow: Int) {
    let columns = min(rectangle.width, width - rectangle.x)
    withUnsafePointer { base in
      for y in 0..<rectangle.height {
        let source = base + min(rectangle.y + y, height - 1) * stride + rectangle.x
        UnsafeMutableRawPointer(target + y * bytesPerRow).withMemoryRebound(to: Sample.self, capacity: rectangle.width)
        {
          $0.update(from: source, count: columns)
          if columns < rectangle.width {
            ($0 + columns).update(repeating: source[columns - 1], count: rectangle.width - columns)
          }
        }
      }
    }
  }
}
