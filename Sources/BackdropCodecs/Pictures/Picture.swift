import BackdropImaging

/// A still picture, and picture files of any kind.
///
///     let photo = try Picture.load("me.jpg", upright: true)
///     try Picture.save(photo, to: OutputFile("me.png", overwrite: false))
public struct Picture: Sendable {
  /// The pixels.
  public var image: Image

  /// A picture in memory.
  public init(_ image: Image) { self.image = image }

  /// Reads a picture file; its content, not its name, determines the format.
  ///
  /// - Parameters:
  ///   - path: the name of the file.
  ///   - format: the pixel format; `nil` for the file's natural one: `gray8`, `gray16` or `rgba8`.
  ///   - upright: whether to turn the picture by its orientation; if not, ``/BackdropImaging/Image/orientation`` has it.
  ///   - limits: the largest pictures to read.
  /// - Throws: the errors of `InputFile`, `PictureFormat.init(content:)` and
  ///   `PictureFormat.decode(_:as:mapsTones:limits:)`, with the path.
  public static func load(
    _ path: String, as format: PixelFormat? = nil, upright: Bool = false, limits: ImageLimits = .standard
  ) throws(BackdropError) -> Image {
    let bytes = try InputFile.read(path)
    do {
      return try decode(bytes.span, as: format, upright: upright, limits: limits)
    } catch {
      throw error.at(path)
    }
  }

  /// Decodes the bytes of a picture file; see ``load(_:as:upright:limits:)``.
  ///
  /// - Throws: the errors of `PictureFormat.init(content:)` and `PictureFormat.decode(_:as:mapsTones:limits:)`.
  public static func decode(
    _ bytes: Span<UInt8>, as format: PixelFormat? = nil, upright: Bool = false, limits: ImageLimits = .standard
  ) throws(BackdropError) -> Image {
    let image = try PictureFormat(content: bytes).decode(bytes, as: format, limits: limits)
    return upright ? image.upright() : image
  }

  /// The quality of lossy pictures, 1…100, unless somebody chooses another.
  public static let standardQuality = 95

  /// Encodes an image; `quality` (1…100) is for lossy formats, unless `isLossless` requests every pixel from formats that can;
  /// `compression` is the effort of all formats but JPEG.
  package static func encode(
    _ image: Image, as format: PictureFormat, quality: Int = standardQuality, isLossless: Bool = false,
    compression: PNG.Compression = .default
  ) throws(BackdropError) -> [UInt8] {
    try format.codec.encode(
      image, quality: quality, isLossless: isLossless, isFast: compression == .fast, metadata: PictureMetadata())
  }

  /// Writes an image in the format of the file's extension, and commits the file.
  ///
  /// - Throws: `wrongArgument` for an extension that no picture format uses; as `encode(_:as:quality:isLossless:compression:)`; `system`
  ///   if the file cannot be written.
  public static func save(
    _ image: Image, to file: OutputFile, quality: Int = standardQuality, compression: PNG.Compression = .default
  ) throws(BackdropError) {
    let format = try PictureFormat(path: file.path)
    do {
      let bytes = try encode(image, as: format, quality: quality, compression: compression)
      try file.write(bytes.span)
    } catch {
      throw error.at(file.path)
    }
  }
}
