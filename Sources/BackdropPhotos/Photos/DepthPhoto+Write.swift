import BackdropImaging

extension DepthPhoto {
  /// Writes the photo in the format of the name's extension, and commits the file.
  ///
  /// - Throws: `wrongArgument` for an extension that no photo format with depth uses; errors of encoding; `system` if the file cannot be
  ///   written.
  public func write(to file: OutputFile, options: PhotoFileOptions = PhotoFileOptions()) throws(BackdropError) {
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
