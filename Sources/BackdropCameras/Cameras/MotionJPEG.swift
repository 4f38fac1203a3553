import BackdropCodecs
import BackdropImaging
import CTurboJPEG

/// Decodes a camera's JPEGs without converting them to RGB and without allocating memory for each.
///
/// Most cameras write 4:2:2; its chroma is halved by the mean of two rows, as in ``Image/converted(to:color:pool:)``. Bytes after the end
/// of a picture are ignored, because cameras leave old bytes there.
final class MotionJPEG {
  private let handle: tjhandle
  private var chroma: [UInt8] = []

  init() throws(BackdropError) {
    guard let handle = tjInitDecompress() else { throw BackdropError(.system, "libjpeg-turbo could not start") }
    self.handle = handle
  }

  deinit { tjDestroy(handle) }

  /// Decodes a picture to `i420` in ``ColorDescription/jpeg``.
  ///
  /// - Parameter size: the size that it must have; `nil` for any within the limits.
  /// - Throws: `badData` if it is damaged, however little, or of another size; `overLimit` for one with too many scans.
  func decode(
    _ bytes: UnsafeRawBufferPointer, size: (width: Int, height: Int)?, pool: ImagePool?
  ) throws(BackdropError) -> Image {
    let source = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
    var (foundWidth, foundHeight, sampling, space): (Int32, Int32, Int32, Int32) = (0, 0, -1, -1)
    let status = tjDecompressHeader3(handle, source, UInt(bytes.count), &foundWidth, &foundHeight, &sampling, &space)
    guard status == 0 || space >= 0 else { throw damage() }
    let (width, height) = (Int(foundWidth), Int(foundHeight))
    if let size, size != (width, height) {
      throw BackdropError(.badData, "expected a JPEG of \(size.width)×\(size.height), found \(width)×\(height)")
    }
    try ImageLimits.standard.check(width: width, height: height)
    _ = try JPEGScans(bytes)
    // The library rounds planes up to whole chroma samples, which even sizes already have.
    let isEven = width.isMultiple(of: 2) && height.isMultiple(of: 2)
    let isHalf = sampling == Int32(TJSAMP_420.rawValue)
    guard isEven, space == Int32(TJCS_YCbCr.rawValue), isHalf || sampling == Int32(TJSAMP_422.rawValue) else {
      var image = Image(.rgba8, width: width, height: height, color: .jpeg)
      let stride = Int32(image.layout(0).bytesPerRow)
      try whole { flags in
        image.withUnsafeMutableBytes {
          tjDecompress2(
            handle, source, UInt(bytes.count), $0.assumingMemoryBound(to: UInt8.self), Int32(width), stride,
            Int32(height), TJPF_RGBA.rawValue, flags)
        }
      }
      return image.converted(to: .i420, color: .jpeg)
    }
    var image = Image(.i420, width: width, height: height, color: .jpeg, pool: pool)
    let layouts = (0..<3).map { image.layout($0) }
    let half = width / 2
    if !isHalf && chroma.count != half * height * 2 { chroma = [UInt8](repeating: 0, count: half * height * 2) }
    try whole { flags in
      image.withUnsafeMutableBytes { luma -> Int32 in
        let base = (luma - layouts[0].offset).assumingMemoryBound(to: UInt8.self)
        return chroma.withUnsafeMutableBufferPointer { chroma -> Int32 in
          var strides = layouts.map { Int32($0.bytesPerRow) }
          var planes: [UnsafeMutablePointer<UInt8>?] = layouts.map { base + $0.offset }
          if !isHalf, let space = chroma.baseAddress {
            (planes[1], planes[2]) = (space, space + half * height)
            (strides[1], strides[2]) = (Int32(half), Int32(half))
          }
          let code = tjDecompressToYUVPlanes(
            handle, source, UInt(bytes.count), &planes, Int32(width), &strides, Int32(height), flags)
          guard !isHalf, let cb = planes[1], let cr = planes[2] else { return code }
          Self.halve(cb, half, height, to: base + layouts[1].offset, layouts[1].bytesPerRow)
          Self.halve(cr, half, height, to: base + layouts[2].offset, layouts[2].bytesPerRow)
          return code
        }
      }
    }
    return image
  }

  /// Decompresses a picture with flags of the library, and refuses one that it made up in part.
  private func whole(_ decompress: (Int32) -> Int32) throws(BackdropError) {
    // It keeps only its last warning, which may hide a graver one.
    guard decompress(TJFLAG_FASTDCT | TJFLAG_STOPONWARNING) != 0 else { return }
    let first = message
    guard isHarmless, decompress(TJFLAG_FASTDCT) == 0 || message == first else { throw damage() }
  }

  private static func halve(
    _ source: UnsafeMutablePointer<UInt8>, _ width: Int, _ rows: Int, to target: UnsafeMutablePointer<UInt8>,
    _ stride: Int
  ) {
    for y in 0..<rows / 2 {
      let (upper, lower, out) = (source + 2 * y * width, source + (2 * y + 1) * width, target + y * stride)
      for x in 0..<width { out[x] = UInt8(truncatingIfNeeded: (UInt16(upper[x]) + UInt16(lower[x]) + 1) >> 1) }
    }
  }

  private var message: String { String(cString: tjGetErrorStr2(handle)) }

  /// A camera may add this many bytes to the last row; more are rows that were not decoded as they were coded.
  private static let mostPadding = 64

  /// Whether the last warning does not affect pixels.
  private var isHarmless: Bool {
    guard tjGetErrorCode(handle) == Int32(TJERR_WARNING.rawValue) else { return false }
    let words = message.split(separator: " ")
    if message.contains("extraneous bytes before marker 0xd9"), let index = words.firstIndex(of: "extraneous"),
      index > 0
    {
      return Int(words[index - 1]).map { $0 <= Self.mostPadding } ?? false
    }
    return message.contains("Invalid SOS parameters")
  }

  private func damage() -> BackdropError { BackdropError(.badData, "the camera sent a damaged JPEG (\(message))") }
}
