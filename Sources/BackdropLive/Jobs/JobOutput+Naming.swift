import BackdropCodecs
import BackdropImaging
import BackdropMedia

extension JobOutput {
  /// What an output's name asks for.
  enum Naming {
    case pipe
    case pictures(PictureSequence)
    case picture(PictureKind)
    case video

    /// `-` is a pipe; a name with a percent sign, an existing folder, or a name that ends in a slash are numbered
    /// pictures; `.png` and `.jpg` are one picture; all else is a video.
    ///
    /// - Throws: `wrongArgument` for numbered pictures whose pattern is none, or whose ending is no picture's.
    init(_ path: String) throws(BackdropError) {
      if path == "-" {
        self = .pipe
      } else if PictureSequence.isPattern(path) {
        _ = try PictureKind(path: path)
        self = .pictures(try PictureSequence(pattern: path))
      } else if path.hasSuffix("/") || FileKind(path) == .folder {
        self = .pictures(
          try PictureSequence(pattern: (path.hasSuffix("/") ? String(path.dropLast()) : path) + "/%05d.png"))
      } else if let kind = PictureKind(named: path) {
        self = .picture(kind)
      } else {
        self = .video
      }
    }
  }
}

extension PictureKind {
  /// The kind that a file name asks for; `nil` if none.
  init?(named path: String) {
    do throws(BackdropError) {
      self = try PictureKind(path: path)
    } catch {
      return nil
    }
  }
}
