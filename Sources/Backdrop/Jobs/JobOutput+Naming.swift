import BackdropCodecs
import BackdropImaging
import BackdropVideo

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

    /// Refuses what cannot keep alpha, whatever is written into it.
    func checkAlpha(_ path: String) throws(BackdropError) {
      switch self {
      case .pipe:
        throw BackdropError(
          .unsupported, "YUV4MPEG2 has no transparency",
          hint: "write .mov (ProRes 4444), .webm (VP9), .mkv with --codec ffv1, or numbered pictures: out/%05d.png")
      case .pictures(let sequence):
        if try PictureKind(path: sequence.pattern) == .jpeg { throw Naming.noAlpha(path) }
      case .picture(.jpeg): throw Naming.noAlpha(path)
      case .picture(.png), .video: break
      }
    }

    private static func noAlpha(_ path: String) -> BackdropError {
      BackdropError(.unsupported, "a JPEG picture has no transparency", path: path, hint: "end the name in .png")
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
