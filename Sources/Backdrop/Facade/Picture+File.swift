extension Picture {
  /// Reads a picture file, upright. It accepts every kind of photo; the content, not the name, determines the kind.
  ///
  /// - Parameters:
  ///   - path: the name of the file.
  ///   - limits: the largest picture to read.
  /// - Throws: `wrongArgument` if the file does not exist, `badData` for a damaged one, `unsupported` for another kind of file, `overLimit`
  ///   for one that is too large.
  public init(_ path: String, limits: ImageLimits = .standard) throws(BackdropError) {
    let image: Image
    do throws(BackdropError) { image = try DepthPhoto.read(path, limits: limits).image() } catch {
      throw error.at(path)
    }
    self.init(image)
  }

  /// Writes the picture in the format of the name's extension, and moves it into place when it is complete.
  ///
  /// - Parameters:
  ///   - path: the path of the file.
  ///   - quality: 1…100, for lossy formats.
  ///   - overwrite: whether to replace an existing file.
  /// - Throws: `wrongArgument` if the file exists and may not be replaced, if its folder is missing, or for an unknown extension; `system`
  ///   if it cannot be written.
  public func write(to path: String, quality: Int = standardQuality, overwrite: Bool = false) throws(BackdropError) {
    try Picture.save(image, to: OutputFile(path, overwrite: overwrite), quality: quality)
  }
}
