import BackdropFFmpeg
import BackdropImaging
import CFFmpeg

/// Reads uncompressed video in YUV4MPEG2 form from a file descriptor, such as standard input.
///
/// 8-bit 4:2:0 is returned unchanged; 4:2:2, 4:4:4 and mono are converted to I420 with the same matrix and range; other layouts are
/// rejected. The format has no matrix: BT.709 from 1280 wide or above 576 lines, BT.601 below.
///
/// The descriptor stays the caller's and is not closed.
package final class Y4MReader {
  package var width: Int { header.width }
  package var height: Int { header.height }
  /// Frames per second; 25 if the stream marks it as unknown.
  package var frameRate: Rational { header.frameRate ?? Rational(25, 1) }
  /// The length of a tick in seconds: the length of a frame.
  package var timeBase: Rational { frameRate.inverse }
  /// The width of a pixel divided by its height.
  package var pixelAspect: Rational { header.pixelAspect }
  package let color: ColorDescription
  /// Whether the stream ended in the middle of a frame, which is then left out.
  package private(set) var endedEarly = false

  let header: Y4MHeader
  private var input: DescriptorInput
  private var count: Int64 = 0
  private let pool = ImagePool()
  private let converter = FrameConverter()
  private var staging: [UInt8] = []

  /// Reads the header of a stream at its start.
  ///
  /// - Throws: `badData` if it is not a YUV4MPEG2 header, `unsupported` for an unsupported layout, `overLimit`, `interrupted`.
  package init(_ input: DescriptorInput, limits: ImageLimits = .standard) throws(BackdropError) {
    self.input = input
    guard let line = try self.input.line(limit: Y4MHeader.limit) else {
      let input = self.input
      throw Y4MHeader.damaged(input.isAtEnd && !input.hasPartialLine ? "the stream is empty" : "the header has no end")
    }
    header = try Y4MHeader(line: line, limits: limits)
    var color = ColorDescription.assumed(width: header.width, height: header.height)
    color.range = header.range
    self.color = color
  }

  /// The next frame, or `nil` at the end of the stream.
  ///
  /// - Throws: `badData` if no frame follows, `system` if the descriptor cannot be read, `interrupted`.
  package func next() throws(BackdropError) -> VideoFrame? {
    guard !endedEarly else { return nil }
    guard let line = try input.line(limit: Y4MHeader.limit) else {
      guard input.isAtEnd else { throw Y4MHeader.damaged("frame \(count) does not begin with FRAME") }
      endedEarly = input.hasPartialLine
      return nil
    }
    guard line == "FRAME" || line.hasPrefix("FRAME ") else {
      throw Y4MHeader.damaged("expected FRAME before frame \(count), found \(Y4MHeader.excerpt(line))")
    }
    guard let image = try header.layout == .yuv420 ? plainImage() : convertedImage() else {
      endedEarly = true
      return nil
    }
    defer { count += 1 }
    return VideoFrame(image: image, time: count, duration: 1, timeBase: timeBase)
  }

  private func plainImage() throws(BackdropError) -> Image? {
    var image = Image(.i420, width: width, height: height, color: color, pool: pool)
    for plane in 0..<3 {
      let layout = image.layout(plane)
      let base = image.mutableBase(plane: plane)
      for y in 0..<layout.rows {
        guard try input.read(into: base + y * layout.bytesPerRow, count: layout.rowBytes) else { return nil }
      }
    }
    return image
  }

  private func convertedImage() throws(BackdropError) -> Image? {
    if staging.isEmpty { staging = [UInt8](repeating: 0, count: header.frameByteCount + 64) }
    let (w, h, chroma) = (width, height, header.layout == .yuv422 ? (width + 1) / 2 : width)
    let format =
      switch header.layout {
      case .yuv422: AV_PIX_FMT_YUV422P
      case .yuv444: AV_PIX_FMT_YUV444P
      case .mono, .yuv420: AV_PIX_FMT_GRAY8
      }
    return try staging.withUnsafeMutableBufferPointer { buffer throws(BackdropError) in
      // The staging buffer is never empty.
      let base = buffer.baseAddress!
      guard try input.read(into: UnsafeMutableRawPointer(base), count: header.frameByteCount) else { return nil }
      var planes = PlanePointers()
      planes.base = [base, base + w * h, base + w * h + chroma * h, nil]
      planes.bytesPerRow = [Int32(w), Int32(chroma), Int32(chroma), 0]
      if header.layout == .mono { planes.base = [base, nil, nil, nil] }
      return try converter.image(
        from: planes, SampleLayout(format: format, width: w, height: h, color: color), format: .i420, width: w,
        height: h, color: color, pool: pool)
    }
  }
}
