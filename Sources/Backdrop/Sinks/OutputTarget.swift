import BackdropCodecs
import BackdropFFmpeg
import BackdropImaging
import BackdropPhotos
import BackdropVideo

/// The destination of results, as an output's name describes it.
public struct OutputTarget: Sendable {
  /// The kind of output that a name stands for.
  public enum Kind: Sendable {
    /// Standard output: YUV4MPEG2, or a picture for a still source.
    case pipe
    /// Numbered pictures in a folder.
    case pictures(PictureSequence, PictureKind)
    /// One picture.
    case picture(any WritablePhotoContainer)
    /// An animated picture.
    case animation(AnimationKind)
    /// A video file.
    case video
    /// YUV4MPEG2 in a file.
    case y4m
    /// No file: the job's observer sees the drawings.
    case observer
  }

  /// No file: the job's observer sees the drawings.
  package static let observer = OutputTarget(path: "", kind: .observer)

  /// Whether nothing is written.
  package var isObserver: Bool { if case .observer = kind { true } else { false } }

  private init(path: String, kind: Kind) { (self.path, self.kind) = (path, kind) }

  /// The name.
  public let path: String
  /// The kind of output.
  public let kind: Kind

  /// Parses a name: `-` is standard output; a name with a number such as `%05d`, an existing folder, or a name that ends in a slash stands
  /// for numbered pictures. An extension of photos (``/BackdropPhotos/DepthPhoto/containers``) means one picture, `.gif` and `.apng` an
  /// animation, one of videos a video; `.y4m` is YUV4MPEG2.
  ///
  /// - Throws: `wrongArgument` for numbered pictures with an invalid pattern, or an extension that belongs to no picture format;
  ///   `unsupported` for an extension that cannot be written.
  public init(_ path: String) throws(BackdropError) {
    if path == "-" {
      self.init(path: path, kind: .pipe)
    } else if PictureSequence.isPattern(path) {
      self.init(path: path, kind: .pictures(try PictureSequence(pattern: path), try PictureKind(path: path)))
    } else if path.utf8.last == UInt8(ascii: "/") || FileKind(path) == .folder {
      let folder = path.utf8.last == UInt8(ascii: "/") ? String(path.unicodeScalars.dropLast()) : path
      self.init(path: path, kind: .pictures(try PictureSequence(pattern: folder + "/%05d.png"), .png))
    } else {
      try self.init(file: path)
    }
  }

  /// A picture or video of that name, which may contain percent signs.
  ///
  /// - Throws: `unsupported` for an extension that cannot be written.
  package init(file path: String) throws(BackdropError) {
    self.path = path
    if let container = DepthPhoto.pictureContainer(named: path) {
      kind = .picture(container)
    } else if let animation = AnimationKind(ending: FileName(path).ending) {
      kind = .animation(animation)
    } else if FileName(path).ending == "y4m" {
      kind = .y4m
    } else {
      guard VideoSettings.endings.contains(FileName(path).ending) else { throw Self.unknownEnding(path) }
      kind = .video
    }
  }

  /// All extensions for writing pictures and videos, as a list in a sentence.
  package static let endings =
    "\(DepthPhoto.writtenEndings) for a picture, \(VideoSettings.suffixes) for a video, "
    + AnimationKind.allCases.map { "." + $0.ending }.listed("or") + " for an animation"
  /// Extensions of other common picture formats.
  private static let otherPictures: Set<String> = ["jxl", "exr", "psd", "tga", "ppm", "jp2", "svg", "dng"]

  private static func unknownEnding(_ path: String) -> BackdropError {
    let ending = FileName(path).ending
    let isPicture = otherPictures.contains(ending) || DepthPhoto.containers.contains { $0.endings.contains(ending) }
    return BackdropError(
      .unsupported,
      ending.isEmpty
        ? "the output's name has no ending"
        : "Backdrop does not write \(isPicture ? "pictures" : "videos") as .\(ending)",
      path: path, hint: "end the name in \(endings)")
  }

  /// The kind of animation.
  var animation: AnimationKind? { if case .animation(let kind) = kind { kind } else { nil } }
  /// The target for a moving source: a format for one picture or several becomes an animation.
  var moving: OutputTarget {
    guard case .picture(let container) = kind, let animation = AnimationKind(ending: container.name) else {
      return self
    }
    return OutputTarget(path: path, kind: .animation(animation))
  }
  /// Whether it is standard output.
  package var isStandardOutput: Bool { path == "-" }

  /// The content of a pipe: a picture for a still source, in the format of ``ResultNaming``, else YUV4MPEG2.
  func carrying(_ input: SceneInput, _ naming: ResultNaming) -> OutputTarget {
    guard case .pipe = kind, input.isStill else { return self }
    let ending = naming.picture(input.photo?.photo.container)
    return DepthPhoto.pictureContainer(named: "x." + ending).map { OutputTarget(path: path, kind: .picture($0)) }
      ?? self
  }

  /// Whether it is one picture.
  package var isPicture: Bool { if case .picture = kind { true } else { false } }
  /// Whether it is a video file.
  package var isVideo: Bool { if case .video = kind { true } else { false } }

  /// Refuses outputs that could not be written, as far as name and options show, before any long work. It creates nothing.
  package func check(keepsAlpha: Bool, _ options: StreamOutput.Options) throws(BackdropError) {
    if keepsAlpha { try checkAlpha() }
    if options.photoIsLossless { try checkLossless() }
    switch kind {
    case .pipe, .observer: break
    case .pictures(let sequence, _):
      // The folder may be missing, but its parent may not.
      if FileKind(sequence.folder) == .absent { _ = try OutputFile(sequence.folder, overwrite: false) }
    case .picture, .animation, .y4m:
      try refuseCodec(options)
      guard !isStandardOutput else { return }
      _ = try OutputFile(path, overwrite: options.overwrite)
    case .video:
      if let codec = options.codec {
        guard try VideoSettings.canHold(codec, path: path) else { throw VideoSettings.refusal(of: codec, path: path) }
      } else {
        _ = try VideoSettings.codec(forPath: path, keepingAlpha: keepsAlpha)
      }
      _ = try OutputFile(path, overwrite: options.overwrite)
    }
  }

  /// Refuses pictures whose encoder would use more memory than allowed.
  ///
  /// - Throws: `overLimit`.
  func checkMemory(
    width: Int, height: Int, _ options: StreamOutput.Options, _ limits: ImageLimits
  ) throws(BackdropError) {
    let (perPixel, title): (Int, String)
    let isLossless = options.photoIsLossless
    switch kind {
    case .pictures(_, let kind): (perPixel, title) = (kind.jobBytesPerPixel(isLossless: isLossless), kind.title)
    case .picture(let container):
      guard let kind = PictureKind(rawValue: container.name) else { return }
      (perPixel, title) = (kind.jobBytesPerPixel(isLossless: isLossless), kind.title)
    case .animation(let kind): (perPixel, title) = (kind.jobBytesPerPixel(isLossless: isLossless), kind.title)
    case .pipe, .video, .y4m, .observer: return
    }
    try limits.check(
      memory: ImageLimits.memoryNeeded(forPixels: 0) + perPixel * width * height,
      for: "a picture of \(width)×\(height) that becomes \(title)")
  }

  /// Refuses a codec for a picture.
  func refuseCodec(_ options: StreamOutput.Options) throws(BackdropError) {
    guard options.codec == nil else {
      throw BackdropError(
        .wrongArgument, "a picture cannot use a video codec", path: path, hint: .leavePictureCodecOut)
    }
  }

  /// Refuses outputs that cannot keep alpha.
  private func checkAlpha() throws(BackdropError) {
    switch kind {
    case .pipe, .y4m:
      throw BackdropError(
        .unsupported, "YUV4MPEG2 cannot hold transparency", path: path == "-" ? nil : path,
        hint: .chooseTransparentKind)
    case .pictures(_, let kind): if !kind.holdsAlpha { throw noAlpha(JPEGContainer()) }
    case .picture(let container): if !container.holdsAlpha { throw noAlpha(container) }
    case .animation, .video, .observer: break
    }
  }

  private func noAlpha(_ container: any WritablePhotoContainer) -> BackdropError {
    BackdropError(
      .unsupported, container.alphaRefusal, path: path,
      hint: "end the name in \(DepthPhoto.transparentEndings)")
  }

  /// Refuses outputs that are lossy, or would be with the default codec of the name.
  private func checkLossless() throws(BackdropError) {
    switch kind {
    case .pictures(_, let kind) where !kind.canBeLossless: throw losing(kind.title)
    case .picture(let container) where !container.canBeLossless: throw losing(container.title)
    case .animation(let kind) where !kind.canBeLossless: throw losing("GIF")
    case .pictures, .picture, .animation, .pipe, .observer: break
    case .video, .y4m:
      throw BackdropError(
        .wrongArgument, "lossless output is for pictures, and this is a video", path: path,
        hint: .chooseLosslessCodec)
    }
  }

  private func losing(_ title: String) -> BackdropError {
    BackdropError(
      .unsupported, "Backdrop does not write \(title) pictures without loss", path: path,
      hint: "end the name in \(DepthPhoto.losslessEndings)")
  }
}

extension PictureKind {
  /// The kind for a file name; `nil` if none.
  init?(named path: String) {
    do throws(BackdropError) {
      self = try PictureKind(path: path)
    } catch {
      return nil
    }
  }
}
