import BackdropFFmpeg
import BackdropImaging
import CFFmpeg

/// Decodes picture files for which FFmpeg's libraries have a decoder of their own.
enum StillDecoder {
  /// The pixels of a whole file, `gray8`, `gray16` or `rgba8`, opaque or with straight alpha; 16-bit colours are rounded to 8.
  ///
  /// - Parameters:
  ///   - width: what the header says, and was checked.
  ///   - title: the kind of file, for messages.
  /// - Throws: `badData` for a damaged file, and where the decoder finds another size.
  static func decode(
    _ bytes: [UInt8], by codec: AVCodecID, width: Int, height: Int, title: String
  ) throws(BackdropError) -> Image {
    guard let found = avcodec_find_decoder(codec) else {
      throw BackdropError(.unsupported, "the installed FFmpeg libraries have no decoder for \(title)")
    }
    FFmpegLog.install()
    let (decoder, packet, frame) = (try CodecContext(found), try PacketBuffer(), try FrameBuffer())
    let context = decoder.pointer
    context.pointee.thread_count = 1
    context.pointee.err_recognition = AV_EF_EXPLODE | AV_EF_CRCCHECK | AV_EF_BITSTREAM | AV_EF_BUFFER
    // The library counts rows as it aligns them.
    context.pointee.max_pixels = Int64(width + 128) * Int64(height + 128)
    guard bytes.count < Int(Int32.max) / 2, av_new_packet(packet.pointer, Int32(bytes.count)) == 0,
      let target = packet.pointer.pointee.data
    else { throw BackdropError(.system, "out of memory for a picture of \(bytes.count) bytes") }
    bytes.withUnsafeBufferPointer { source in
      // Its header was read, so it has an address.
      target.update(from: source.baseAddress!, count: bytes.count)
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
        "the \(title) cannot be decoded (\(messages.first ?? code.text))",
        hint: code == .notImplemented ? "convert it to PNG first" : "fetch or copy the file again")
    }
    let decoded = frame.pointer.pointee
    guard (Int(decoded.width), Int(decoded.height)) == (width, height), decoded.decode_error_flags == 0,
      decoded.flags & AV_FRAME_FLAG_CORRUPT == 0
    else { throw BackdropError(.badData, "the \(title) is damaged", hint: "fetch or copy the file again") }
    return try image(frame)
  }

  private static func image(_ frame: FrameBuffer) throws(BackdropError) -> Image {
    let decoded = frame.pointer.pointee
    let (width, height) = (Int(decoded.width), Int(decoded.height))
    let format = AVPixelFormat(decoded.format)
    switch format {
    case AV_PIX_FMT_GRAY8: return frame.image(.gray8, color: .jpeg, pool: nil)
    case PixelFormat.gray16.av: return frame.image(.gray16, color: .jpeg, pool: nil)
    case AV_PIX_FMT_MONOBLACK, AV_PIX_FMT_MONOWHITE:
      return try FrameConverter().image(
        from: PlanePointers(frame.pointer), SampleLayout(format: format, width: width, height: height, color: .jpeg),
        format: .gray8, width: width, height: height, color: .jpeg, pool: nil)
    default: break
    }
    guard let description = av_pix_fmt_desc_get(format)?.pointee else {
      throw BackdropError(.unsupported, "the picture's samples are of no kind that is known")
    }
    let isPalette = description.flags & UInt64(AV_PIX_FMT_FLAG_PAL) != 0
    let hasAlpha = description.flags & UInt64(AV_PIX_FMT_FLAG_ALPHA) != 0 && !isPalette
    if let deep = DeepSamples(format) { return deep.image(frame.pointer, hasAlpha: hasAlpha) }
    var image = try FrameConverter().image(
      from: PlanePointers(frame.pointer), SampleLayout(format: format, width: width, height: height, color: .jpeg),
      format: .rgba8, width: width, height: height, color: .jpeg, pool: nil)
    image.alpha = hasAlpha ? .straight : .opaque
    return image
  }
}

/// Samples of 16 bits that lie together pixel by pixel.
private struct DeepSamples {
  let channels: Int
  let isBig: Bool

  /// `nil` for other formats.
  init?(_ format: AVPixelFormat) {
    switch format {
    case AV_PIX_FMT_GRAY16BE: (channels, isBig) = (1, true)
    case AV_PIX_FMT_YA16LE: (channels, isBig) = (2, false)
    case AV_PIX_FMT_YA16BE: (channels, isBig) = (2, true)
    case AV_PIX_FMT_RGB48LE: (channels, isBig) = (3, false)
    case AV_PIX_FMT_RGB48BE: (channels, isBig) = (3, true)
    case AV_PIX_FMT_RGBA64LE: (channels, isBig) = (4, false)
    case AV_PIX_FMT_RGBA64BE: (channels, isBig) = (4, true)
    default: return nil
    }
  }

  func image(_ frame: UnsafeMutablePointer<AVFrame>, hasAlpha: Bool) -> Image {
    let (width, height) = (Int(frame.pointee.width), Int(frame.pointee.height))
    var image = Image(
      channels == 1 ? .gray16 : .rgba8, width: width, height: height, color: .jpeg,
      alpha: hasAlpha ? .straight : .opaque)
    let pitch = image.layout(0).bytesPerRow
    // A decoded frame has its plane.
    let source = UnsafeRawPointer(frame.pointee.data.0!)
    image.withUnsafeMutableBytes { base in
      for y in 0..<height {
        let from = source + y * Int(frame.pointee.linesize.0)
        let to = base + y * pitch
        func sample(_ index: Int) -> UInt16 {
          let code = from.load(fromByteOffset: 2 * index, as: UInt16.self)
          return isBig ? UInt16(bigEndian: code) : UInt16(littleEndian: code)
        }
        guard channels > 1 else {
          for x in 0..<width { to.storeBytes(of: sample(x), toByteOffset: 2 * x, as: UInt16.self) }
          continue
        }
        // To the nearest: v · 255 / 65535 = v / 257.
        func byte(_ index: Int) -> UInt8 { UInt8((UInt32(sample(index)) + 128) / 257) }
        let bytes = to.assumingMemoryBound(to: UInt8.self)
        for x in 0..<width {
          let (start, isGray) = (channels * x, channels == 2)
          bytes[4 * x] = byte(start)
          bytes[4 * x + 1] = isGray ? bytes[4 * x] : byte(start + 1)
          bytes[4 * x + 2] = isGray ? bytes[4 * x] : byte(start + 2)
          bytes[4 * x + 3] = hasAlpha ? byte(start + channels - 1) : 255
        }
      }
    }
    return image
  }
}
