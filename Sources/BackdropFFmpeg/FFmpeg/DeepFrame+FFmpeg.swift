import BackdropImaging
import CFFmpeg

extension DeepFrame {
  /// FFmpeg's layout of such planes.
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

  /// Lets `body` read the planes.
  package func withPlanePointers(_ body: (PlanePointers) throws(BackdropError) -> Void) throws(BackdropError) {
    var result: Result<Void, BackdropError> = .success(())
    luma.withUnsafePointer { luma in
      cb.withUnsafePointer { cb in
        cr.withUnsafePointer { cr in
          var planes = PlanePointers()
          // `body` only reads them.
          func bytes(_ samples: UnsafePointer<UInt16>) -> UnsafeMutablePointer<UInt8> {
            UnsafeMutableRawPointer(mutating: samples).assumingMemoryBound(to: UInt8.self)
          }
          planes.base = (bytes(luma), bytes(cb), bytes(cr), nil)
          planes.bytesPerRow = (
            Int32(2 * self.luma.stride), Int32(2 * self.cb.stride), Int32(2 * self.cr.stride), 0
          )
          do throws(BackdropError) { try body(planes) } catch { result = .failure(error) }
        }
      }
    }
    try result.get()
  }
}
