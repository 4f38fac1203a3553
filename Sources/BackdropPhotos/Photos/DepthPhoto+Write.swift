import BackdropImaging

extension DepthPhoto {
  /// Writes the photo as the kind of file that the name's extension asks for, and commits the file.
  ///
  /// - Throws: `wrongArgument` for an ending that no photo with depth has; what encoding throws; `system` if the file cannot be
  ///   written.
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
