import BackdropImaging

extension DepthPhoto.Container {
  /// The kind of file that a name asks for, by its extension (`jpg`, `jpeg`, `jpe`, `heic`, `heif`, any case).
  ///
  /// - Throws: `wrongArgument` for any other extension.
  public init(path: String) throws(BackdropError) {
    let name = path.split(separator: "/", omittingEmptySubsequences: false).last ?? ""
    let ending = name.lastIndex(of: ".").map { name[name.index(after: $0)...].lowercased() } ?? ""
    switch ending {
    case "jpg", "jpeg", "jpe": self = .jpeg
    case "heic", "heif": self = .heic
    default:
      throw BackdropError(
        .wrongArgument,
        ending.isEmpty ? "a photo without an extension" : "photos with depth cannot be written as .\(ending)",
        path: path, hint: "name it .jpg or .heic")
    }
  }
}

extension DepthPhoto {
  /// Writes the photo as the kind of file that the name's extension asks for, and commits the file.
  ///
  /// - Parameter options: for JPEG files.
  public func write(
    to file: OutputFile, options: JPEGPhotoOptions = JPEGPhotoOptions()
  ) throws(BackdropError) {
    let container = try Container(path: file.path)
    let bytes: [UInt8]
    do {
      bytes = try encoded(as: container, options: options)
    } catch {
      throw error.at(file.path)
    }
    try file.write(bytes.span)
  }

  /// The photo as a file of a kind.
  public func encoded(
    as container: Container, options: JPEGPhotoOptions = JPEGPhotoOptions()
  ) throws(BackdropError) -> [UInt8] {
    switch container {
    case .jpeg: return try jpeg(options)
    case .heic: return try heic(HEICPhotoOptions(quality: HEICQuality(jpegQuality: options.quality)))
    case .png:
      throw BackdropError(.unsupported, "a PNG picture cannot hold depth", hint: "name it .jpg or .heic")
    }
  }
}
