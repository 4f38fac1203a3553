import BackdropImaging

/// The picture formats that can be read and written without a photo's parts, also as numbered series.
public enum PictureKind: String, Sendable, CaseIterable {
  /// Portable Network Graphics: exact, with alpha, 8 or 16 bits.
  case png
  /// JPEG: small, lossy.
  case jpeg
  /// WebP: small, lossy or exact, with alpha.
  case webp
  /// AVIF: smallest, lossy or exact, with alpha; slow to write.
  case avif

  /// The extensions of such files in lower case, the default first.
  package var endings: [String] {
    switch self {
    case .png: ["png"]
    case .jpeg: ["jpg", "jpeg", "jpe"]
    case .webp: ["webp"]
    case .avif: ["avif"]
    }
  }

  /// The name as in a sentence.
  package var title: String {
    switch self {
    case .png, .jpeg, .avif: rawValue.uppercased()
    case .webp: "WebP"
    }
  }

  /// Whether its files can hold alpha.
  package var holdsAlpha: Bool { self != .jpeg }
  /// Whether it can keep every pixel.
  package var canBeLossless: Bool { self != .jpeg }

  /// The maximum bytes per pixel of a job with this result, without those of the program; measured with libwebp 1.2.4 and libaom 3.6.
  package func jobBytesPerPixel(isLossless: Bool) -> Int {
    switch self {
    case .png, .jpeg: 16
    case .webp: isLossless ? 30 : 18
    case .avif: isLossless ? 36 : 30
    }
  }

  /// The default extensions as a list in a sentence: `.png, .jpg, .webp or .avif`.
  package static let endings = allCases.map { "." + $0.endings[0] }.listed("or")
  /// The names as a list in a sentence.
  private static let titles = allCases.map(\.title).listed("or")

  /// The kind for a file name, by its extension (`png`, `jpg`, `jpeg`, `jpe`, `webp`, `avif`, any case).
  ///
  /// - Throws: `wrongArgument` for any other extension.
  public init(path: String) throws(BackdropError) {
    let ending = path.utf8.last == UInt8(ascii: "/") ? "" : FileName(path).ending
    guard let kind = Self.allCases.first(where: { $0.endings.contains(ending) }) else {
      throw BackdropError(
        .wrongArgument,
        ending.isEmpty ? "the picture's name has no ending" : "Backdrop does not write pictures as .\(ending)",
        path: path, hint: "end the name in \(Self.endings)")
    }
    self = kind
  }

  /// The kind of a file, from its first bytes.
  ///
  /// - Throws: `unsupported` if it is some other known kind of file, else `badData`.
  public init(content bytes: Span<UInt8>) throws(BackdropError) {
    let content = FileContent(bytes)
    if case .picture(let kind) = content {
      self = kind
      return
    }
    guard let (title, hint) = content.description else {
      throw BackdropError(.badData, "this is not a \(Self.titles) picture", hint: "give a \(Self.endings) file")
    }
    throw BackdropError(.unsupported, "this is \(title), not a \(Self.titles) picture", hint: hint)
  }

  /// Rejects a quality or a size that the format does not support.
  ///
  /// - Parameter title: the kind, with its article.
  /// - Throws: `wrongArgument` for a quality beyond 1…100, `overLimit` for a longer side.
  static func check(_ image: Image, quality: Int, largestSide: Int, as title: String) throws(BackdropError) {
    guard (1...100).contains(quality) else {
      throw BackdropError(
        .wrongArgument, "\(title) cannot have a quality of \(quality)", hint: "choose from 1 (worst) to 100 (best)")
    }
    guard max(image.width, image.height) <= largestSide else {
      throw BackdropError(
        .overLimit, "\(title) of \(image.width)×\(image.height) pixels is over the limit of \(largestSide) on a side",
        hint: "scale it down, or write a PNG")
    }
  }
}
