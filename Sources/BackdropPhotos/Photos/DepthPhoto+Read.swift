import BackdropCodecs
import BackdropImaging

extension DepthPhoto {
  /// Reads a photo; its content, not its name, determines its kind.
  ///
  /// Parses only the data that locates the parts, and decodes no picture.
  /// - Throws: the errors of `InputFile`; `badData` for a damaged file, `unsupported` for another kind of file; with the
  ///   path.
  public static func read(_ path: String, limits: ImageLimits = .standard) throws(BackdropError) -> DepthPhoto {
    let bytes = try InputFile.read(path)
    do {
      let photo = try read(bytes, limits: limits)
      // A .jps file without a stereo mark has the right eye's picture on the left, for cross-eyed viewing.
      return FileName(path).fileExtension == "jps" && photo.stereo == nil ? try photo.split(.rightLeft) : photo
    } catch {
      throw error.inPhoto(path)
    }
  }

  /// Reads a photo from the bytes of a file; see ``read(_:limits:)-(String,_)``.
  ///
  /// - Throws: `badData` for a damaged file, `unsupported` for another kind of file, `overLimit` for one that is too large.
  public static func read(_ bytes: [UInt8], limits: ImageLimits = .standard) throws(BackdropError) -> DepthPhoto {
    guard let container = container(of: bytes.span) else { throw refusal(of: FileContent(bytes.span)) }
    return try container.read(bytes, limits: limits)
  }
}
