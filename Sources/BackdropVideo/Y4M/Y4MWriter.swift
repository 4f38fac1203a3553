import BackdropFFmpeg
import BackdropImaging

/// Writes uncompressed video in YUV4MPEG2 form, 8-bit 4:2:0, to a file descriptor such as standard output.
///
/// If the reader closes the pipe, it throws an error, and the process continues. The descriptor stays the caller's and is not closed.
package final class Y4MWriter {
  package private(set) var frameCount = 0

  private let pipe: PipeWriter
  private let width: Int
  private let height: Int
  private let color: ColorDescription
  private let pool = ImagePool(limit: 2)
  private let converter = FrameConverter()
  private var buffer: [UInt8] = []

  /// Writes the header. The stream contains only the range of `color`, and readers guess the matrix from the size.
  ///
  /// - Throws: `wrongArgument` for a size without pixels, `interrupted` if the reader closed the pipe, `system`.
  package init(
    descriptor: Int32, width: Int, height: Int, frameRate: Rational, pixelAspect: Rational = Rational(1, 1),
    color: ColorDescription
  ) throws(BackdropError) {
    guard width > 0 && height > 0 && frameRate.isPositive else {
      throw BackdropError(.wrongArgument, "a video cannot have \(width)×\(height) pixels at \(frameRate) frames/s")
    }
    pipe = PipeWriter(descriptor: descriptor, contents: "the video stream")
    (self.width, self.height, self.color) = (width, height, color)
    let header = Y4MHeader(
      width: width, height: height, frameRate: frameRate, pixelAspect: pixelAspect, range: color.range)
    try send(Array((header.line + "\n").utf8))
  }

  /// Writes a picture; other kinds and colours are converted.
  ///
  /// - Throws: `wrongArgument` for another size, `interrupted` if the reader closed the pipe, `system`.
  package func write(_ image: Image) throws(BackdropError) {
    try image.checkSize(width, height)
    let image = image.converted(to: color.space)
    var picture = image
    if image.format != .i420 || !image.color.isCodedLike(color) {
      picture = try converter.image(
        from: PlanePointers(image), SampleLayout(image), format: .i420, width: width, height: height, color: color,
        pool: pool)
      withExtendedLifetime(image) {}
    }
    buffer.removeAll(keepingCapacity: true)
    buffer.append(contentsOf: "FRAME\n".utf8)
    for plane in 0..<3 {
      let layout = picture.layout(plane)
      picture.withUnsafeBytes(plane: plane) { base in
        for y in 0..<layout.rows {
          buffer.append(
            contentsOf: UnsafeRawBufferPointer(start: base + y * layout.bytesPerRow, count: layout.rowBytes))
        }
      }
    }
    try send(buffer)
    frameCount += 1
  }

  private func send(_ bytes: [UInt8]) throws(BackdropError) { try pipe.write(bytes.span) }
}
