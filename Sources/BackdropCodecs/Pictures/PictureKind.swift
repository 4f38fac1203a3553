import BackdropImaging

/// The picture files that can be read and written.
public enum PictureKind: String, Sendable, CaseIterable {
  /// Portable Network Graphics: exact, with alpha, 8 or 16 bits.
  case png
  /// JPEG: small, lossy.
  case jpeg

  /// The extensions of such files in lower case, the usual one first.
  package var endings: [String] {
    switch self {
    case .png: ["png"]
    case .jpeg: ["jpg", "jpeg", "jpe"]
    }
  }

  /// The kind that a file name asks for, by its extension (`png`, `jpg`, `jpeg`, `jpe`, any case).
  ///
  /// - Throws: `wrongArgument` for any other extension.
  public init(path: String) throws(BackdropError) {
    let ending = path.utf8.last == UInt8(ascii: "/") ? "" : FileName(path).ending
    guard let kind = Self.allCases.first(where: { $0.endings.contains(ending) }) else {
      throw BackdropError(
        .wrongArgument, ending.isEmpty ? "a picture without an extension" : "pictures cannot be written as .\(ending)",
        path: path, hint: "name it .png or .jpg")
    }
    self = kind
  }

  /// The kind of a file, from its first bytes.
  ///
  /// - Throws: `unsupported` if it is some other known kind of file, else `badData`.
  public init(content bytes: Span<UInt8>) throws(BackdropError) {
    switch FileContent(bytes) {
    case .picture(let kind): self = kind
    case .otherPicture(let name), .video(let name), .document(let name):
      throw BackdropError(
        .unsupported, "this is \(name), not a PNG or JPEG picture",
        hint: "convert it first, for example: ffmpeg -i INPUT -frames:v 1 picture.png")
    case .unknown: throw BackdropError(.badData, "not a PNG or JPEG picture", hint: "give a .png or .jpg file")
    }
  }
}
