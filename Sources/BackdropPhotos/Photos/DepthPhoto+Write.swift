import BackdropImaging

extension DepthPhoto {
  /// Writes the photo in the format of the name's extension, and commits the file.
  ///
  /// - Throws: `wrongArgument` for an extension of no photo format with depth; errors of encoding; `system` if the file cannot be written.
  public func write(
    to file: OutputFile, options: JPEGPhotoOptions = JPEGPhotoOptions()
  ) throws(BackdropError) {
    let container = try Self.container(named: file.path)
    let bytes: [UInt8]
    do {
      bytes = try container.encode(self, options: options)
    } catch {
      throw error.at(file.path)
    }
    try file.write(bytes.span)
  }
}
