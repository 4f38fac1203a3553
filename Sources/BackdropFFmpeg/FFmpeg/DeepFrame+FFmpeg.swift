import BackdropImaging
import CFFmpeg

extension DeepFrame {
  package var layout: SampleLayout {
    let format: AVPixelFormat =
      switch (cb.width != width, cb.height != height, bits) {
      case (true, true, 10): AV_PIX_FMT_YUV420P10LE
      case (true, true, 12): AV_PIX_FMT_YUV420P12LE
      case (true, true, _): AV_PIX_FMT_YUV420P16LE
      case (true, false, 10): AV_PIX_FMT_YUV422P10LE
      case (true, false, 12): AV_PIX_FMT_YUV422P12LE
      case (true, false, _): AV_PIX_FMT_YUV422P16LE
      case (false, _, 10): AV_PIX_FMT_YUV444P10LE
      case (false, _, 12): AV_PIX_FMT_YUV444P12LE
      case (false, _, _): AV_PIX_FMT_YUV444P16LE
      }
    return SampleLayout(format: format, width: width, height: height, color: color)
  }
}
