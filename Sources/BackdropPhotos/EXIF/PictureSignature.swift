/// The signatures of picture files, for finding them inside other data.
enum PictureSignature {
  /// Larger unknown data, in bytes, may be samples of a picture without a header.
  static let opaqueLimit = 8192

  /// Whether bytes contain the signature of a picture file: JPEG, PNG, GIF, WebP, HEIC or AVIF, and optionally a TIFF structure. Also finds
  /// the JPEG files of Minolta's cameras, whose first byte differs.
  static func isFound(in bytes: some Collection<UInt8>, alsoTIFF: Bool = false) -> Bool {
    let found = bytes.withContiguousStorageIfAvailable { isFound(in: $0, alsoTIFF) }
    return found ?? Array(bytes).withUnsafeBufferPointer { isFound(in: $0, alsoTIFF) }
  }

  private static func isFound(in bytes: UnsafeBufferPointer<UInt8>, _ alsoTIFF: Bool) -> Bool {
    func has(_ text: StaticString, at start: Int) -> Bool {
      guard start + text.utf8CodeUnitCount <= bytes.count else { return false }
      return (0..<text.utf8CodeUnitCount).allSatisfy { bytes[start + $0] == text.utf8Start[$0] }
    }
    for index in bytes.indices.dropLast(3) {
      switch bytes[index] {
      case 0xFF where bytes[index + 1] == 0xD8 && bytes[index + 2] == 0xFF: return true
      // A table of quantizers or of codes, or EXIF or JFIF, with a plausible length.
      case 0xD8 where bytes[index + 1] == 0xFF && index > 0 && index + 4 < bytes.count:
        let (marker, length) = (bytes[index + 2], Int(bytes[index + 3]) << 8 | Int(bytes[index + 4]))
        if [0xDB, 0xC4].contains(marker) && (19...1250).contains(length) { return true }
        if marker == 0xE0 && length == 16 { return true }
      case 0x89: if has("PNG", at: index + 1) { return true }
      case UInt8(ascii: "G"): if has("GIF8", at: index) { return true }
      case UInt8(ascii: "R"): if has("RIFF", at: index) && has("WEBP", at: index + 8) { return true }
      case UInt8(ascii: "f"):
        if has("ftyphe", at: index) || has("ftypmi", at: index) || has("ftypav", at: index) { return true }
      case UInt8(ascii: "I"): if alsoTIFF && has("II*\0", at: index) { return true }
      case UInt8(ascii: "M"):
        if alsoTIFF && has("MM", at: index) && bytes[index + 2] == 0 && bytes[index + 3] == 42 { return true }
      default: continue
      }
    }
    return false
  }

  /// Whether text is a picture in Base64, or so long that it may be one in another form.
  static func isFound(inText text: String) -> Bool {
    var bytes = text.utf8.drop { $0 == 0x20 || (0x09...0x0D).contains($0) }
    // The Base64 beginnings of JPEG, PNG, GIF and WebP. HEIC and AVIF have none, because a box begins with its length.
    for start in ["/9j/", "iVBORw0KGgo", "R0lGOD", "UklGR", "data:image"] where bytes.starts(with: start.utf8) {
      return true
    }
    guard bytes.count > opaqueLimit else { return false }
    bytes = bytes.prefix(opaqueLimit)
    // Prose has spaces; encoded data usually has only line breaks.
    return !bytes.contains(0x20)
  }
}
