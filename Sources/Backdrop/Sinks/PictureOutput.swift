/// One picture, in a file or on standard output. It keeps all parts of the source's photo that still fit.
struct PictureOutput: OutputKind {
  let path: String
  let container: any WritablePhotoContainer

  static func named(_ path: String) -> PictureOutput? {
    DepthPhoto.pictureContainer(named: path).map { PictureOutput(path: path, container: $0) }
  }

  static var fileExtensions: String? { "\(DepthPhoto.writtenExtensions) for a picture" }

  var files: OutputFiles { path == OutputTarget.standardOutput ? .standardOutput : .one(path) }
  var isPicture: Bool { true }
  /// A format for one picture or several becomes an animation.
  var moving: any OutputKind {
    AnimationKind(fileExtension: container.name).map { AnimationOutput(path: path, kind: $0) } ?? self
  }

  func check(keepsAlpha: Bool, _ options: StreamOutput.Options) throws(BackdropError) {
    if keepsAlpha && !container.holdsAlpha { throw Self.noAlpha(container.title, path) }
    if options.photoIsLossless && container.compression == .lossy { throw Self.losing(container.title, path) }
    try Self.refuseCodec(options, path)
    try files.check(overwrite: options.overwrite)
  }

  func memory(isLossless: Bool) -> (bytesPerPixel: Int, title: String)? {
    container.jobBytesPerPixel(isLossless: isLossless).map { ($0, container.title) }
  }

  func open(_ stream: StreamOutput.Stream, _ options: StreamOutput.Options) throws(BackdropError) -> any FrameWriter {
    let photo = stream.photo
    let (change, container, path) = (stream.change, container, path)
    return PictureWriter(try StagedFiles(files, overwrite: options.overwrite)) { (image, notes) throws(BackdropError) in
      let photo = photo?.replacing(picture: image, change) ?? DepthPhoto(picture: DecodedPicture(image.upright()))
      notes += photo.omissions + container.omissions(of: photo)
      let wanted = PhotoFileOptions(quality: options.photoQuality, isLossless: options.photoIsLossless)
      do throws(BackdropError) { return try container.encode(photo, options: wanted) } catch { throw error.at(path) }
    }
  }

  static func refuseCodec(_ options: StreamOutput.Options, _ path: String) throws(BackdropError) {
    guard options.codec == nil else {
      throw BackdropError(.wrongArgument, "a picture cannot use a video codec", path: path, hint: .leavePictureCodecOut)
    }
  }

  static func noAlpha(_ title: String, _ path: String) -> BackdropError {
    BackdropError(
      .unsupported, "a \(title) picture cannot be transparent", path: path,
      hint: "end the name in \(DepthPhoto.transparentExtensions)")
  }

  static func losing(_ title: String, _ path: String) -> BackdropError {
    BackdropError(
      .unsupported, "Backdrop does not write \(title) pictures without loss", path: path,
      hint: "end the name in \(DepthPhoto.losslessExtensions)")
  }
}

/// Numbered pictures in a folder.
struct NumberedPictures: OutputKind {
  let path: String
  let sequence: PictureSequence
  let format: PictureFormat

  static func named(_ path: String) throws(BackdropError) -> NumberedPictures? {
    if PictureSequence.isPattern(path) {
      return NumberedPictures(
        path: path, sequence: try PictureSequence(pattern: path), format: try PictureFormat(path: path))
    }
    let isFolder = path.utf8.last == UInt8(ascii: "/")
    guard isFolder || FileKind(path) == .folder else { return nil }
    let folder = isFolder ? String(path.unicodeScalars.dropLast()) : path
    return NumberedPictures(path: path, sequence: try PictureSequence(pattern: folder + "/%05d.png"), format: .png)
  }

  var files: OutputFiles { .numbered(sequence) }

  func check(keepsAlpha: Bool, _ options: StreamOutput.Options) throws(BackdropError) {
    let codec = format.codec
    if keepsAlpha && !codec.holdsAlpha { throw PictureOutput.noAlpha(codec.title, path) }
    if options.photoIsLossless && codec.compression == .lossy { throw PictureOutput.losing(codec.title, path) }
    try files.check(overwrite: options.overwrite)
  }

  func memory(isLossless: Bool) -> (bytesPerPixel: Int, title: String)? {
    (format.codec.jobBytesPerPixel(isLossless: isLossless), format.codec.title)
  }

  func open(_ stream: StreamOutput.Stream, _ options: StreamOutput.Options) throws(BackdropError) -> any FrameWriter {
    PictureWriter(try StagedFiles(files, overwrite: options.overwrite)) { [format] (image, _) throws(BackdropError) in
      try Picture.encode(
        image, as: format, quality: options.photoQuality, isLossless: options.photoIsLossless, compression: .fast)
    }
  }
}

/// Writes pictures as files of their own.
private final class PictureWriter: FrameWriter {
  private let files: StagedFiles
  /// Encodes a picture, and notes what its file cannot hold.
  private let encode: (Image, inout [String]) throws(BackdropError) -> [UInt8]
  private(set) var notes: [String] = []

  init(_ files: StagedFiles, encode: @escaping (Image, inout [String]) throws(BackdropError) -> [UInt8]) {
    (self.files, self.encode) = (files, encode)
  }

  var isFull: Bool { files.isFull }
  var readerIsGone: Bool { files.readerIsGone }

  func write(_ image: Image, deep: DeepFrame?, time: Int64, duration: Int64) throws(BackdropError) {
    try files.add(try encode(image, &notes))
  }

  func complete() throws(BackdropError) { try files.checkNames() }
  func commit() throws(BackdropError) { try files.commit() }
}
