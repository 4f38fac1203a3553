import BackdropFFmpeg
import BackdropImaging
import CFFmpeg

/// Decodes grey JPEG files of 8 to 16 bits, including lossless ones, with FFmpeg's decoder, because libjpeg-turbo 2
/// supports only 8 bits.
enum GrayJPEG {
  /// The samples of a whole file with the checked size of its header, `gray8`, or `gray16` with codes spread over 16 bits.
  static func decode(_ bytes: [UInt8], width: Int, height: Int) throws(BackdropError) -> Image {
    guard let found = avcodec_find_decoder(AV_CODEC_ID_MJPEG) else {
      throw BackdropError(.unsupported, "the installed FFmpeg libraries cannot decode JPEG")
    }
    FFmpegLog.install()
    let (decoder, packet, frame) = (try CodecContext(found), try PacketBuffer(), try FrameBuffer())
    let context = decoder.pointer
    context.pointee.thread_count = 1
    context.pointee.err_recognition = AV_EF_EXPLODE | AV_EF_CRCCHECK | AV_EF_BITSTREAM | AV_EF_BUFFER
    // FFmpeg applies this limit to the aligned size.
    context.pointee.max_pixels = Int64(width + 128) * Int64(height + 128)
    guard bytes.count < Int(Int32.max) / 2, bytes.withUnsafeBytes(packet.pointer.fill) else {
      throw BackdropError(.system, "there is not enough memory for a picture of \(bytes.count) bytes")
    }
    let (code, messages) = FFmpegLog.capturing { () -> FFmpegCode in
      let opened = avcodec_open2(context, found, nil)
      guard opened >= 0 else { return FFmpegCode(opened) }
      let sent = avcodec_send_packet(context, packet.pointer)
      guard sent >= 0 else { return FFmpegCode(sent) }
      avcodec_send_packet(context, nil)
      return FFmpegCode(avcodec_receive_frame(context, frame.pointer))
    }
    guard !code.isFailure else {
      throw BackdropError(
        code == .notImplemented ? .unsupported : .badData,
        "FFmpeg cannot decode the JPEG in the HEIC file (\(messages.first ?? code.text))",
        hint: code == .notImplemented ? "convert it to PNG first" : "download or copy the file again")
    }
    let decoded = frame.pointer.pointee
    guard (Int(decoded.width), Int(decoded.height)) == (width, height), decoded.decode_error_flags == 0,
      decoded.flags & AV_FRAME_FLAG_CORRUPT == 0
    else { throw BackdropError(damaged: "the JPEG in the HEIC file is damaged") }
    switch AVPixelFormat(decoded.format) {
    case AV_PIX_FMT_GRAY8: return frame.image(.gray8, color: .jpeg, pool: nil)
    case PixelFormat.gray16.av: return frame.image(.gray16, color: .jpeg, pool: nil)
    default: throw BackdropError(.unsupported, "the JPEG in the HEIC file is not grey")
    }
  }
}
