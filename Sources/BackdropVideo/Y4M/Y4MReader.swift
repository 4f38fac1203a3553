import BackdropFFmpeg
import BackdropImaging
import CFFmpeg

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Reads uncompressed video in YUV4MPEG2 form from a file descriptor, such as standard input.
///
/// 8-bit 4:2:0 comes as it is; 4:2:2, 4:4:4 and mono are converted to I420 with the same matrix and range; other layouts are
/// refused. The form says nothing about the matrix: BT.709 from 1280 wide or above 576 lines, BT.601 below.
///
/// The descriptor stays the caller's and is not closed.
public final class Y4MReader {
  /// Width of the frames in pixels.
  public var width: Int { header.width }
  /// Height of the frames in pixels.
  public var height: Int { header.height }
  /// Frames in a second; 25 where the stream says that it is unknown.
  public var frameRate: Rational { header.frameRate ?? Rational(25, 1) }
  /// The length in seconds of a tick: a frame is a tick long.
  public var timeBase: Rational { frameRate.inverse }
  /// Width of a pixel by its height.
  public var pixelAspect: Rational { header.pixelAspect }
  /// How the frames' samples are to be read.
  public let color: ColorDescription
  /// Whether the stream stopped in the middle of a frame; that frame is left out.
  public private(set) var endedEarly = false

  let header: Y4MHeader
  private var input: DescriptorInput
  private var count: Int64 = 0
  private let pool: ImagePool
  private let converter = FrameConverter()
  private var staging: [UInt8] = []

  /// Reads the header.
  ///
  /// - Parameters:
  ///   - descriptor: of the open file.
  ///   - limits: the largest pictures that are read.
  ///   - pool: where memory for the result comes from; `nil` for new memory.
  ///   - isInterrupted: asked while the stream is waited for, so that a stalled one can be given up; the wait
  ///     has no end without.
  /// - Throws: `badData` if it is no YUV4MPEG2 header, `unsupported` for a layout that is not read, `overLimit`,
  ///   `interrupted`.
  public init(
    descriptor: Int32, limits: ImageLimits = .standard, pool: ImagePool? = nil,
    isInterrupted: (@Sendable () -> Bool)? = nil
  ) throws(BackdropError) {
    input = DescriptorInput(descriptor: descriptor, isInterrupted: isInterrupted)
    self.pool = pool ?? ImagePool()
    guard let line = try input.line(limit: Y4MHeader.limit) else {
      throw Y4MHeader.damaged(input.isAtEnd && !input.hasPartialLine ? "the stream is empty" : "the header has no end")
    }
    header = try Y4MHeader(line: line, limits: limits)
    var color = ColorDescription.assumed(width: header.width, height: header.height)
    color.range = header.range
    self.color = color
  }

  /// The next frame, or `nil` at the end of the stream.
  ///
  /// - Throws: `badData` if what follows is no frame, `system` if the descriptor cannot be read, `interrupted`.
  public func next() throws(BackdropError) -> VideoFrame? {
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
    let image = Image(.i420, width: width, height: height, color: color, pool: pool)
    for plane in 0..<3 {
      let layout = image.layout(plane)
      for y in 0..<layout.rows {
        // Nobody else has this image yet.
        let row = image.storage.base + layout.offset + y * layout.bytesPerRow
        guard try input.read(into: row, count: layout.rowBytes) else { return nil }
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
    let result = staging.withUnsafeMutableBufferPointer { buffer -> Result<Image?, BackdropError> in
      do throws(BackdropError) {
        // The staging buffer is never empty.
        let base = buffer.baseAddress!
        guard try input.read(into: UnsafeMutableRawPointer(base), count: header.frameByteCount) else {
          return .success(nil)
        }
        var planes = PlanePointers()
        planes.base = (base, base + w * h, base + w * h + chroma * h, nil)
        planes.bytesPerRow = (Int32(w), Int32(chroma), Int32(chroma), 0)
        if header.layout == .mono { planes.base = (base, nil, nil, nil) }
        return .success(
          try converter.image(
            from: planes, SampleLayout(format: format, width: w, height: h, color: color), format: .i420, width: w,
            height: h, color: color, pool: pool))
      } catch { return .failure(error) }
    }
    return try result.get()
  }
}

/// Reads lines and blocks from a descriptor, in large pieces.
struct DescriptorInput {
  private let descriptor: Int32
  private let isInterrupted: (@Sendable () -> Bool)?
  private var buffer = [UInt8](repeating: 0, count: 1 << 16)
  private var start = 0
  private var end = 0
  private(set) var isAtEnd = false
  /// Whether the end came in the middle of a line.
  private(set) var hasPartialLine = false

  init(descriptor: Int32, isInterrupted: (@Sendable () -> Bool)? = nil) {
    self.descriptor = descriptor
    self.isInterrupted = isInterrupted
  }

  /// A line without its end; `nil` at the end of the stream, or if it is longer than `limit`.
  mutating func line(limit: Int) throws(BackdropError) -> String? {
    var bytes: [UInt8] = []
    while bytes.count <= limit {
      if start == end {
        guard try fill() else {
          hasPartialLine = !bytes.isEmpty
          return nil
        }
      }
      let byte = buffer[start]
      start += 1
      if byte == UInt8(ascii: "\n") { return String(decoding: bytes, as: UTF8.self) }
      bytes.append(byte)
    }
    return nil
  }

  /// Whether all `count` bytes were there.
  mutating func read(into target: UnsafeMutableRawPointer, count: Int) throws(BackdropError) -> Bool {
    var done = min(count, end - start)
    buffer.withUnsafeBytes { if done > 0 { target.copyMemory(from: $0.baseAddress! + start, byteCount: done) } }
    start += done
    while done < count {
      if count - done < buffer.count {
        guard try fill() else { return false }
        let part = min(count - done, end - start)
        buffer.withUnsafeBytes { (target + done).copyMemory(from: $0.baseAddress! + start, byteCount: part) }
        start += part
        done += part
      } else {
        let part = try readSome(descriptor, target + done, count - done, isInterrupted)
        guard part > 0 else {
          isAtEnd = true
          return false
        }
        done += part
      }
    }
    return true
  }

  private mutating func fill() throws(BackdropError) -> Bool {
    let (descriptor, size, isInterrupted) = (descriptor, buffer.count, isInterrupted)
    let result = buffer.withUnsafeMutableBytes { bytes -> Result<Int, BackdropError> in
      // The buffer is never empty.
      do throws(BackdropError) {
        return .success(try readSome(descriptor, bytes.baseAddress!, size, isInterrupted))
      } catch {
        return .failure(error)
      }
    }
    (start, end) = (0, try result.get())
    isAtEnd = end == 0
    return end > 0
  }
}

/// Some bytes, at most `size`; 0 at the end.
private func readSome(
  _ descriptor: Int32, _ target: UnsafeMutableRawPointer, _ size: Int, _ isInterrupted: (@Sendable () -> Bool)?
) throws(BackdropError) -> Int {
  while true {
    if let isInterrupted {
      // A signal that comes just before the wait does not end it, so the wait is short.
      var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      let ready = poll(&waiting, 1, 100)
      if isInterrupted() { throw BackdropError(.interrupted, "interrupted") }
      if ready <= 0 { continue }
    }
    let count = read(descriptor, target, size)
    if count >= 0 { return count }
    guard errno == EINTR else {
      throw BackdropError(.system, "cannot read the video stream (\(String(cString: strerror(errno))))")
    }
  }
}
