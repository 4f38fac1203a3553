import BackdropImaging

/// A picture format that can be read and written without a photo's parts, also as numbered series.
package struct PictureFormat: Sendable, Equatable {
  package let codec: any PictureCodec.Type

  /// All formats; to add one, add it here.
  package static let all: [PictureFormat] = [.png, .jpeg, .webp, .avif]

  /// Portable Network Graphics: exact, with alpha, 8 or 16 bits.
  package static let png = PictureFormat(codec: PNG.self)
  /// JPEG: small, lossy.
  package static let jpeg = PictureFormat(codec: JPEG.self)
  /// WebP: small, lossy or exact, with alpha.
  package static let webp = PictureFormat(codec: WebP.self)
  /// AVIF: smallest, lossy or exact, with alpha; slow to write.
  package static let avif = PictureFormat(codec: AVIF.self)

  package var name: String { codec.name }
  /// The default extensions as a list in a sentence: `.png, .jpg, .webp or .avif`.
  package static let fileExtensions = all.map { "." + $0.codec.fileExtensions[0] }.listed("or")
  private static let titles = all.map { $0.codec.title }.listed("or")

  init(codec: any PictureCodec.Type) { self.codec = codec }

  package init?(named name: String) {
    guard let format = Self.all.first(where: { $0.name == name }) else { return nil }
    self = format
  }

  /// The format for a file name's extension in lower case; `nil` if none.
  package init?(fileExtension: String) {
    guard let format = Self.all.first(where: { $0.codec.fileExtensions.contains(fileExtension) }) else { return nil }
    self = format
  }

  /// The format for a file name, by its extension (`png`, `jpg`, `jpeg`, `jpe`, `webp`, `avif`, any case).
  ///
  /// - Throws: `wrongArgument` for any other extension.
  package init(path: String) throws(BackdropError) {
    let fileExtension = path.utf8.last == UInt8(ascii: "/") ? "" : FileName(path).fileExtension
    guard let format = Self(fileExtension: fileExtension) else {
      throw BackdropError(
        .wrongArgument,
        fileExtension.isEmpty
          ? "the picture's name has no file extension" : "Backdrop does not write pictures as .\(fileExtension)",
        path: path, hint: "end the name in \(Self.fileExtensions)")
    }
    self = format
  }

  /// The format of a file, from its first bytes.
  ///
  /// - Throws: `unsupported` if it is some other known kind of file, else `badData`.
  package init(content bytes: Span<UInt8>) throws(BackdropError) {
    let content = FileContent(bytes)
    if case .picture(let format) = content {
      self = format
      return
    }
    guard let (title, hint) = content.description else {
      throw BackdropError(.badData, "this is not a \(Self.titles) picture", hint: "give a \(Self.fileExtensions) file")
    }
    throw BackdropError(.unsupported, "this is \(title), not a \(Self.titles) picture", hint: hint)
  }

  package static func == (one: PictureFormat, other: PictureFormat) -> Bool { one.name == other.name }

  /// Reads everything except the pixels, in the decoder process if decoding is isolated.
  ///
  /// - Throws: as ``decode(_:as:mapsTones:limits:)``, except for errors in the pixels.
  package func header(of bytes: Span<UInt8>, limits: ImageLimits = .standard) throws(BackdropError) -> PictureHeader {
    try PictureHeading(format: self, limits: limits).result(bytes)
  }

  /// Decodes a whole file without turning it, in the decoder process if decoding is isolated.
  ///
  /// - Parameters:
  ///   - wanted: the pixel format; `nil` for the file's natural one: `gray8`, `gray16` or `rgba8`.
  ///   - mapsTones: whether colours of a high dynamic range become sRGB (``/BackdropImaging/ToneMapping``).
  /// - Throws: `overLimit` from the header, before memory is allocated; `badData` for a truncated or damaged file; `unsupported` for a
  ///   variant that the decoder lacks.
  package func decode(
    _ bytes: Span<UInt8>, as wanted: PixelFormat? = nil, mapsTones: Bool = false, limits: ImageLimits = .standard
  ) throws(BackdropError) -> Image {
    let decoding = PictureDecoding(format: self, wanted: wanted, mapsTones: mapsTones, limits: limits)
    let image = try decoding.result(bytes)
    return wanted.map { image.converted(to: $0) } ?? image
  }
}
