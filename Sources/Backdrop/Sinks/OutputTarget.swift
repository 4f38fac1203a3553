/// The destination of results, as an output's name describes it.
public struct OutputTarget: Sendable {
  /// The kinds of output, in the order in which they are asked for a name.
  static let kinds: [any OutputKind.Type] = [
    NumberedPictures.self, PictureOutput.self, VideoOutput.self, AnimationOutput.self, Y4MOutput.self, NoOutput.self,
  ]
  package static let standardOutput = "-"
  /// No file: the job's observer sees the drawings.
  package static let observer = OutputTarget("", NoOutput())

  /// The name.
  public let path: String
  let kind: any OutputKind

  private init(_ path: String, _ kind: any OutputKind) { (self.path, self.kind) = (path, kind) }

  /// Parses a name: `-` is standard output (a picture for a still source, else YUV4MPEG2); a name with a number such as `%05d`, an existing
  /// folder, or a name that ends in a slash stands for numbered pictures. An extension of photos
  /// (``/BackdropPhotos/DepthPhoto/containers``) means one picture, `.gif` and `.apng` an animation, one of videos a video; `.y4m` is
  /// YUV4MPEG2.
  ///
  /// - Throws: `wrongArgument` for numbered pictures with an invalid pattern, or an extension that belongs to no picture format;
  ///   `unsupported` for an extension that cannot be written.
  public init(_ path: String) throws(BackdropError) { try self.init(path, Self.kinds) }

  /// A picture or video of that name, which may contain percent signs.
  package init(file path: String) throws(BackdropError) {
    try self.init(path, Self.kinds.filter { $0 != NumberedPictures.self })
  }

  private init(_ path: String, _ kinds: [any OutputKind.Type]) throws(BackdropError) {
    for type in kinds {
      guard let kind = try type.named(path) else { continue }
      self.init(path, kind)
      return
    }
    throw Self.unknownExtension(path)
  }

  /// All extensions for writing pictures and videos, as a list in a sentence.
  package static let fileExtensions = kinds.compactMap { $0.fileExtensions }.joined(separator: ", ")
  private static let otherPictures: Set<String> = ["jxl", "exr", "psd", "tga", "ppm", "jp2", "svg", "dng"]

  private static func unknownExtension(_ path: String) -> BackdropError {
    let fileExtension = FileName(path).fileExtension
    let isPicture =
      otherPictures.contains(fileExtension)
      || DepthPhoto.containers.contains { $0.fileExtensions.contains(fileExtension) }
    return BackdropError(
      .unsupported,
      fileExtension.isEmpty
        ? "the output's name has no file extension"
        : "Backdrop does not write \(isPicture ? "pictures" : "videos") as .\(fileExtension)",
      path: path, hint: "end the name in \(fileExtensions)")
  }

  package var isObserver: Bool { kind is NoOutput }
  package var isPicture: Bool { kind.isPicture }
  package var isVideo: Bool { kind.isVideo }

  /// The target for an input: a moving one becomes an animation where the format allows both, and a pipe carries a picture of a still one,
  /// in the format that `naming` chooses.
  func carrying(_ input: SceneInput, _ naming: ResultNaming) -> OutputTarget {
    guard input.isStill else { return OutputTarget(path, kind.moving) }
    guard case .standardOutput = kind.files,
      let container = DepthPhoto.pictureContainer(named: "x." + naming.picture(input.photo?.photo.container))
    else { return self }
    return OutputTarget(path, PictureOutput(path: path, container: container))
  }

  /// Refuses outputs that could not be written, as far as name and options show, before any long work. It creates nothing.
  package func check(keepsAlpha: Bool, _ options: StreamOutput.Options) throws(BackdropError) {
    try kind.check(keepsAlpha: keepsAlpha, options)
  }

  /// Refuses pictures whose encoder would use more memory than allowed.
  func checkMemory(
    width: Int, height: Int, _ options: StreamOutput.Options, _ limits: ImageLimits
  ) throws(BackdropError) {
    guard let (bytesPerPixel, title) = kind.memory(isLossless: options.photoIsLossless) else { return }
    try limits.check(
      memory: ImageLimits.memoryNeeded(forPixels: 0) + bytesPerPixel * width * height,
      for: "a picture of \(width)×\(height) that becomes \(title)")
  }
}
