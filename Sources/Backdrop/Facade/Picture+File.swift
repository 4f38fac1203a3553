import BackdropCodecs
import BackdropImaging
import BackdropPhotos

extension Picture {
  /// Reads a picture file, upright: every kind that photos are read from; its content, not its name, decides.
  ///
  /// - Parameters:
  ///   - path: the name of the file.
  ///   - limits: the largest picture that is read.
  /// - Throws: `wrongArgument` if there is no such file, `badData` for a damaged one, `unsupported` for another kind of file,
  ///   `overLimit` for one that is too large.
  public init(_ path: String, limits: ImageLimits = .standard) throws(BackdropError) {
    let image: Image
    do throws(BackdropError) {
      image = try DepthPhoto.read(path, limits: limits).image()
    } catch {
      throw error.at(path)
    }
    self.init(image)
  }

  /// Writes the picture as the kind that the name's ending asks for, and moves it into place when it is whole.
  ///
  /// - Parameters:
  ///   - path: where to.
  ///   - quality: 1…100, for kinds that lose some.
  ///   - overwrite: whether a file that exists may be replaced.
  /// - Throws: `wrongArgument` if the file exists and may not be replaced, if its folder is missing, or for an unknown ending;
  ///   `system` where it cannot be written.
  public func write(to path: String, quality: Int = 92, overwrite: Bool = false) throws(BackdropError) {
    try Picture.save(image, to: OutputFile(path, overwrite: overwrite), quality: quality)
  }
}
