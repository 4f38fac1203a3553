import BackdropFFmpeg
import BackdropImaging
import CFFmpeg

/// Converts a source's subtitles for a file that cannot hold them directly.
final class TextTranscoder: Transcoder {
  private(set) var damagedCount = 0

  private let decoder: CodecContext, encoder: CodecContext
  private let packet: PacketBuffer
  /// The codecs of text subtitles; others are pictures.
  private static let textCodecs = [
    AV_CODEC_ID_MOV_TEXT, AV_CODEC_ID_WEBVTT, AV_CODEC_ID_SUBRIP, AV_CODEC_ID_TEXT, AV_CODEC_ID_ASS, AV_CODEC_ID_SSA,
    AV_CODEC_ID_SRT,
  ]
  /// The maximum size of a text: screens hold a few lines.
  private var buffer = [UInt8](repeating: 0, count: 1 << 16)

  /// Opens both codecs.
  ///
  /// - Throws: `unsupported` if one of them is missing or the subtitles are pictures, `system`.
  init(_ stream: UnsafeMutablePointer<AVStream>, to codec: TextCodec) throws(BackdropError) {
    // Every opened stream has parameters.
    let parameters = stream.pointee.codecpar!
    guard Self.textCodecs.contains(parameters.pointee.codec_id) else {
      throw BackdropError(.unsupported, "this kind of file holds only text subtitles")
    }
    guard let from = avcodec_find_decoder(parameters.pointee.codec_id),
      let to = avcodec_find_encoder_by_name(codec.rawValue)
    else { throw BackdropError(.unsupported, "no codec can store these subtitles") }
    (decoder, encoder, packet) = (try CodecContext(from), try CodecContext(to), try PacketBuffer())
    let (reading, writing) = (decoder.pointer, encoder.pointer)
    let base = stream.pointee.time_base
    try FFmpegLog.checking("start their codecs") {
      var code = avcodec_parameters_to_context(reading, parameters)
      reading.pointee.pkt_timebase = base
      if code >= 0 { code = avcodec_open2(reading, from, nil) }
      if code >= 0 { code = bd_copy_subtitle_header(writing, reading) }
      writing.pointee.time_base = AVRational(num: 1, den: 1000)
      if code >= 0 { code = avcodec_open2(writing, to, nil) }
      return code
    }
  }

  func describe(_ stream: UnsafeMutablePointer<AVStream>) throws(BackdropError) {
    try FFmpegCode(avcodec_parameters_from_context(stream.pointee.codecpar, encoder.pointer))
      .check("describe the subtitles")
  }

  func accept(_ source: UnsafeMutablePointer<AVPacket>, _ output: PacketOutput) throws(BackdropError) {
    var (text, isThere) = (AVSubtitle(), Int32(0))
    defer { avsubtitle_free(&text) }
    guard avcodec_decode_subtitle2(decoder.pointer, &text, &isThere, source) >= 0 else {
      damagedCount += 1
      return
    }
    guard isThere != 0, text.num_rects > 0 else { return }
    text.start_display_time = 0
    let count = avcodec_encode_subtitle(encoder.pointer, &buffer, Int32(buffer.count), &text)
    guard count > 0 else {
      if count < 0 { damagedCount += 1 }
      return
    }
    av_packet_unref(packet.pointer)
    guard buffer[..<Int(count)].withUnsafeBytes(packet.pointer.fill) else { return }
    (packet.pointer.pointee.pts, packet.pointer.pointee.dts) = (source.pointee.pts, source.pointee.pts)
    packet.pointer.pointee.duration = source.pointee.duration
    packet.pointer.pointee.flags = AV_PKT_FLAG_KEY
    try output(packet.pointer)
  }
}
