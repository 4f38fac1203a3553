import BackdropCodecs
import BackdropImaging

extension DepthPhoto {
  /// The file kinds of photos: every `PictureFormat`, HEIC, and kinds that are only read.
  public static let containers: [any PhotoContainer] = {
    var result = PictureFormat.all.map { format -> any PhotoContainer in
      format == .jpeg ? JPEGContainer() : CodedPictureContainer(format: format)
    }
    result.insert(HEICContainer(), at: 2)
    return result + [TIFFContainer(), BMPContainer()]
  }()
  package static let written = containers.compactMap { $0 as? any WritablePhotoContainer }

  /// The kind of a file, by its first bytes; `nil` if it is not a photo.
  package static func container(of head: Span<UInt8>) -> (any PhotoContainer)? {
    containers.first { $0.matches(head) }
  }

  /// The kind with a file's extension; `nil` if none.
  private static func kind(named path: String) -> (any PhotoContainer)? {
    let fileExtension = path.utf8.last == UInt8(ascii: "/") ? "" : FileName(path).fileExtension
    return containers.first { $0.fileExtensions.contains(fileExtension) }
  }

  /// Whether a file has the extension of a kind.
  package static func hasExtension(_ path: String) -> Bool { kind(named: path) != nil }

  package static func pictureContainer(named path: String) -> (any WritablePhotoContainer)? {
    kind(named: path) as? any WritablePhotoContainer
  }

  /// The kind for writing photos with depth under a name, by its extension (`jpg`, `heic`, any case).
  ///
  /// - Throws: `wrongArgument` for any other extension.
  public static func container(named path: String) throws(BackdropError) -> any WritablePhotoContainer {
    if let container = pictureContainer(named: path), container.holdsDepth { return container }
    let fileExtension = path.utf8.last == UInt8(ascii: "/") ? "" : FileName(path).fileExtension
    throw BackdropError(
      .wrongArgument,
      fileExtension.isEmpty
        ? "the photo's name has no file extension" : "Backdrop does not write photos with depth as .\(fileExtension)",
      path: path, hint: "end the name in \(fileExtensions(of: written.filter(\.holdsDepth)))")
  }

  static func refusal(of content: FileContent) -> BackdropError {
    let known = containers.filter(\.holdsDepth) + containers.filter { !$0.holdsDepth }
    let names = names(of: known)
    guard let (title, hint) = content.description else {
      return BackdropError(.badData, "this is not a \(names) photo", hint: "give a \(fileExtensions(of: known)) file")
    }
    return BackdropError(.unsupported, "this is \(title), not a \(names) photo", hint: hint)
  }

  /// The default extensions for writing pictures, as a list in a sentence: `.png, .jpg, .heic, .webp or .avif`.
  package static var writtenExtensions: String { fileExtensions(of: written) }
  package static var transparentExtensions: String { fileExtensions(of: written.filter(\.holdsAlpha)) }
  package static var losslessExtensions: String { fileExtensions(of: written.filter { $0.compression != .lossy }) }
  package static var readExtensions: String { fileExtensions(of: containers) }

  /// The names as a list in a sentence: `JPEG or HEIC`.
  package static func names(of containers: [any PhotoContainer], _ word: String = "or") -> String {
    containers.map(\.title).listed(word)
  }

  /// The default extensions as a list in a sentence: `.jpg or .heic`.
  package static func fileExtensions(of containers: [any PhotoContainer]) -> String {
    containers.compactMap(\.fileExtensions.first).map { "." + $0 }.listed("or")
  }
}
