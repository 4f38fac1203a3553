import BackdropCodecs
import BackdropImaging
import CTIFF

/// A TIFF file, opened by libtiff at the page of its picture: the first that is not a reduced version of another.
///
/// The file's bytes are read in place, so it is valid only inside ``open(_:most:_:)``.
struct TIFFFile {
  let handle: OpaquePointer
  let bytes: UnsafeBufferPointer<UInt8>
  let page: bd_tiff_page

  /// The number of pages searched for the picture.
  private static let pages = 64

  /// Opens a file for the duration of `body`.
  ///
  /// - Parameter most: the maximum number of bytes that libtiff may allocate at a time, besides those for the file's
  ///   length.
  static func open<Result>(
    _ bytes: [UInt8], most: Int = 0, _ body: (TIFFFile) throws(BackdropError) -> Result
  ) throws(BackdropError) -> Result {
    guard bd_tiff_is_there() else {
      throw BackdropError(
        .unsupported, "TIFF files need libtiff, and it is not installed",
        hint: "install it: sudo apt install libtiff6 (4.5 or later)")
    }
    return try bytes.span.withUnsafeBufferPointer { bytes throws(BackdropError) in
      // libtiff expands lists of offsets fourfold if their numbers have 16 bits.
      let allowed = most + 8 * bytes.count + 64 << 20
      var message = [CChar](repeating: 0, count: 200)
      guard let handle = bd_tiff_open(bytes.baseAddress, bytes.count, allowed, &message, message.count) else {
        let text = String(decoding: message.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        if ["an not read", "annot read", "ead error", "eek error"].contains(where: text.contains) { throw early }
        throw damaged(text.isEmpty ? "no directory" : text)
      }
      defer { bd_tiff_close(handle) }
      let page = try mainPage(handle, bytes)
      bd_tiff_forget(handle)
      return try body(TIFFFile(handle: handle, bytes: bytes, page: page))
    }
  }

  private static func mainPage(
    _ handle: OpaquePointer, _ bytes: UnsafeBufferPointer<UInt8>
  ) throws(BackdropError) -> bd_tiff_page {
    var page = bd_tiff_page()
    guard bd_tiff_describe(handle, &page) else { throw damaged("it has no size") }
    // Cameras put a preview first, and the sensor's samples into a nested directory.
    if page.is_negative || isMosaic(page) || page.subfile & 1 == 1 && page.inner_count > 0 { throw isRaw }
    var seen = 1
    while page.subfile & 5 != 0, seen < pages, bd_tiff_next(handle) {
      seen += 1
      guard bd_tiff_describe(handle, &page) else { throw damaged("a page has no size") }
      if isMosaic(page) { throw isRaw }
    }
    return page
  }

  /// Whether it is a colour mosaic (TIFF/EP), or an undeveloped picture made from one (DNG).
  private static func isMosaic(_ page: bd_tiff_page) -> Bool { [32_803, 34_892].contains(page.photometric) }

  /// The error for a raw file that looks like a TIFF picture: NEF, ARW, DNG, PEF and others.
  static let isRaw = BackdropError(
    .unsupported, "Backdrop does not read a camera's raw file", hint: FileContent.developing)

  private static let early = BackdropError(damaged: "the TIFF ends early")

  static func damaged(_ what: String) -> BackdropError {
    BackdropError(damaged: "the TIFF is damaged (\(what))")
  }

  /// Rejects a file that ends before its pixels, or that takes more decoding than its length and size justify.
  func checkChunks() throws(BackdropError) {
    var total = 0
    var scans = 0
    for chunk in 0..<page.chunk_count {
      var (offset, count): (UInt64, UInt64) = (0, 0)
      bd_tiff_chunk_range(handle, chunk, &offset, &count)
      guard offset <= UInt64(bytes.count), count <= UInt64(bytes.count) - offset else {
        throw Self.early
      }
      // Parts may share bytes, as blank ones do, but a small file must not take hours.
      total += Int(count)
      guard total <= 4 * bytes.count + 1 << 24 else {
        throw BackdropError(
          .overLimit, "the parts of the TIFF claim more than four times the file's \(bytes.count) bytes")
      }
      guard page.compression == TIFFPage.jpeg else { continue }
      let coded = UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: bytes[Int(offset)..<Int(offset + count)]))
      let found = try JPEGScans(coded)
      scans += found.count * max(found.width * found.height, Int(page.chunk_width) * Int(page.chunk_height))
      guard scans <= JPEGScans.maximumPixels else {
        throw BackdropError(
          .overLimit, "a JPEG in the TIFF has too many scans", hint: "save it again with LZW or deflate compression")
      }
    }
  }
}
