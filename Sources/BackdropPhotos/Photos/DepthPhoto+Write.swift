import BackdropImaging

extension DepthPhoto {
  /// Writes the photo as the kind of file that the name's extension asks for, and commits the file.
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
