import BackdropImaging

/// The picture files that can be read and written.
public enum PictureKind: String, Sendable, CaseIterable {
  /// Portable Network Graphics: exact, with alpha, 8 or 16 bits.
  case png
  /// JPEG: small, lossy.
  case jpeg

  /// The kind that a file name asks for, by its extension (`png`, `jpg`, `jpeg`, `jpe`, any case).
  ///
  /// - Throws: `wrongArgument` for any other extension.
  public init(path: String) throws(BackdropError) {
    let name = path.split(separator: "/", omittingEmptySubsequences: false).last ?? ""
    let ending = name.lastIndex(of: ".").map { name[name.index(after: $0)...].lowercased() } ?? ""
    switch ending {
    case "png": self = .png
    case "jpg", "jpeg", "jpe": self = .jpeg
    default:
      throw BackdropError(
        .wrongArgument, ending.isEmpty ? "a picture without an extension" : "pictures cannot be written as .\(ending)",
        path: path, hint: "name it .png or .jpg")
    }
  }

  /// The kind of a file, from its first bytes.
  ///
  /// - Throws: `unsupported` if it is some other known kind of file, else `badData`.
  public init(content bytes: Span<UInt8>) throws(BackdropError) {
    func has(_ pattern: [UInt8], at start: Int = 0) -> Bool {
      guard bytes.count >= start + pattern.count else { return false }
      return pattern.indices.allSatisfy { bytes[start + $0] == pattern[$0] }
    }
    func says(_ text: String, at start: Int = 0) -> Bool { has(Array(text.utf8), at: start) }

    if has([0x89]) && says("PNG", at: 1) {
      self = .png
      return
    }
    if has([0xFF, 0xD8]) {
      self = .jpeg
      return
    }
    let other: String? =
      if says("GIF8") { "a GIF" } else if says("RIFF") && says("WEBP", at: 8) {
        "a WebP picture"
      } else if says("RIFF") && says("AVI", at: 8) { "an AVI video" } else if says("ftyp", at: 4) {
        if ["heic", "heix", "hevc", "heim", "mif1", "msf1"].contains(where: { says($0, at: 8) }) {
          "an HEIC picture"
        } else if says("avif", at: 8) || says("avis", at: 8) {
          "an AVIF picture"
        } else {
          "an MP4 or MOV video"
        }
      } else if has([0x1A, 0x45, 0xDF, 0xA3]) {
        "a Matroska or WebM video"
      } else if has([0x49, 0x49, 0x2A, 0]) || has([0x4D, 0x4D, 0, 0x2A]) {
        "a TIFF or camera raw picture"
      } else if has([0x76, 0x2F, 0x31, 0x01]) { "an OpenEXR picture" } else if has([0xFF, 0x0A]) || says("JXL ", at: 4)
      { "a JPEG XL picture" } else if says("8BPS") { "a Photoshop file" } else if says("%PDF") {
        "a PDF document"
      } else if says("<svg") || says("<?xml") { "an SVG or XML file" } else if says("YUV4MPEG2") {
        "a YUV4MPEG2 video"
      } else if says("BM") && has([0, 0, 0, 0], at: 6) { "a BMP picture" } else { nil }
    guard let other else {
      throw BackdropError(.badData, "not a PNG or JPEG picture", hint: "give a .png or .jpg file")
    }
    throw BackdropError(
      .unsupported, "this is \(other), not a PNG or JPEG picture",
      hint: "convert it first, for example: ffmpeg -i INPUT -frames:v 1 picture.png")
  }
}
