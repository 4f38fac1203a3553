/// An opened input: its scenes, and the file with everything else that a result inherits.
///
///     var input = try SceneInput.open("talk.mp4")
///     while let scene = try input.next() { … }
public struct SceneInput: SceneSource {
  /// How to read an input, where its name leaves that open.
  public struct Options: Sendable {
    /// Depth that belongs to the input: a picture for a picture, a folder of pictures (one per frame) for a video.
    public var depth: String?
    /// Whether to refuse an input without depth.
    public var needsDepth = false
    /// How to read recordings and depth pictures.
    public var recording = RecordingOptions()
    /// The picture to use of a still input that has several.
    public var photo = PhotoReading()
    /// The part of a moving input, with its size and rate; a still input passes unchanged, with a warning.
    public var part = VideoPart()
    /// The largest pictures to read, for the input and files that belong to it.
    public var limits: ImageLimits {
      get { recording.limits }
      set { recording.limits = newValue }
    }
    /// Whether scenes of a high dynamic range also have their original samples: see `Scene.deep`.
    public var keepsDynamicRange = false
    /// Decoder threads; 0 leaves it to the decoder.
    public var threads = 0
    /// Called while reading waits for a pipe; `true` gives up.
    public var isInterrupted: (@Sendable () -> Bool)?

    /// The defaults.
    public init() {}
  }

  private var scenes: any SceneSource
  package let photo: PhotoSource?
  package let video: VideoSource?
  /// The photo whose metadata, colour profile, depth and mattes a result inherits.
  package let original: DepthPhoto?

  package init(_ photo: PhotoSource) {
    (scenes, self.photo, video, original) = (photo, photo, nil, photo.photo)
  }

  package init(_ video: VideoSource) { (scenes, photo, self.video, original) = (video, nil, video, nil) }

  /// Another source, from which a result inherits nothing but its scenes.
  public init(_ source: any SceneSource) { self.init(source, original: nil) }

  private init(_ source: any SceneSource, original: DepthPhoto?) {
    (scenes, photo, video, self.original) = (source, nil, nil, original)
  }

  /// The facts about its scenes.
  public var info: SourceInfo { scenes.info }
  /// Unusable scenes that were skipped so far.
  public var skipped: FaultTally<SkippedFrame> { scenes.skipped }
  /// Problems that do not stop the work; more may come until the end.
  public var warnings: [BackdropError] { scenes.warnings }

  /// The next usable scene, `nil` at the end.
  ///
  /// - Throws: when no more can come before the end: a lost device, a broken stream.
  public mutating func next() throws(BackdropError) -> Scene? { try scenes.next() }

  /// A part of the input.
  package func part(_ part: VideoPart) throws(BackdropError) -> SceneInput {
    var result = self
    result.scenes = try PartSource(scenes, part, isCut: video != nil)
    return result
  }

  /// The colours of the scenes' deep frames; `nil` if they have none. A video has deep frames if it was opened to keep its high dynamic
  /// range and its pictures keep their size.
  package var dynamicRange: ColorDescription? {
    guard let video, video.frames.keepsDynamicRange, video.frames.dynamicRange != nil,
      width == video.width, height == video.height
    else { return nil }
    return video.properties.color
  }

  /// Opens `sim:…`, `-` (a picture or YUV4MPEG2 on standard input), a folder, or a picture, video or recording, recognized by content.
  ///
  /// - Throws: errors in the input, with a hint.
  public static func open(_ name: String, options: Options = Options()) throws(BackdropError) -> SceneInput {
    let input = try whole(name, options)
    return options.part.isEverything ? input : try input.part(options.part)
  }

  /// The picture in a file, without its depth: for backgrounds, plates and standby frames.
  package static func picture(_ path: String, limits: ImageLimits = .standard) throws(BackdropError) -> Scene {
    try PhotoSource(path, limits: limits).picture()
  }

  private static func whole(_ name: String, _ options: Options) throws(BackdropError) -> SceneInput {
    if name == StandardInput.name { return try standardInput(options) }
    var reading = options.recording
    reading.threads = options.threads
    if let source = try RGBDInput.find(name, options: reading) {
      guard options.depth == nil else {
        throw BackdropError(
          .wrongArgument,
          SimulatedCamera.isAddress(name)
            ? "the simulated camera has depth of its own" : "a recording has depth of its own",
          path: source.name, hint: .leaveDepthOut)
      }
      return SceneInput(source)
    }
    if options.recording.raw != nil && RecordingEntry.isRaw(name, options.recording) {
      return try picture(name, options)
    }
    return switch try MediaKind(path: name) {
    case .picture: try picture(name, options)
    case .video: try videoFile(name, options)
    }
  }

  private static func standardInput(_ options: Options) throws(BackdropError) -> SceneInput {
    switch try StandardInput(limits: options.limits, isInterrupted: options.isInterrupted) {
    case .video(let input): return SceneInput(try PipeSource(input, options))
    case .photo(let photo):
      guard options.depth == nil else {
        throw BackdropError(
          .wrongArgument, "a picture from standard input cannot use a separate depth map", path: StandardInput.title,
          hint: "save it to a file first")
      }
      return SceneInput(try PhotoSource(photo, StandardInput.name, options))
    }
  }

  private static func picture(_ name: String, _ options: Options) throws(BackdropError) -> SceneInput {
    guard let depth = options.depth else { return SceneInput(try PhotoSource(name, options)) }
    let pair = try PictureFolderRecording(color: name, depth: depth, options: options.recording)
    do throws(BackdropError) {
      return SceneInput(pair, original: try FileKind(input: name) == .file ? try DepthPhoto.read(name) : nil)
    } catch {
      // The picture itself was readable; only the data beside it is lost.
      return SceneInput(pair)
    }
  }

  private static func videoFile(_ name: String, _ options: Options) throws(BackdropError) -> SceneInput {
    guard options.photo.eye == nil else {
      throw BackdropError(.wrongArgument, "only photos have a picture for each eye", path: name, hint: .leaveEyeOut)
    }
    guard options.photo.layout == nil else {
      throw BackdropError(
        .wrongArgument, "pictures side by side are told apart in photos only", path: name, hint: .leaveSideBySideOut)
    }
    return SceneInput(try VideoSource(name, options))
  }

  /// The warning about depth options for an input without depth.
  static func uselessOptions(_ options: Options) -> [BackdropError] {
    guard options.recording.unitsPerMetre != nil || options.recording.allowsAnyAspect else { return [] }
    return [
      BackdropError(
        .wrongArgument, "the input has no depth",
        hint: options.recording.unitsPerMetre != nil ? .leaveDepthUnitOut : .leaveAnyAspectOut)
    ]
  }
}

extension SceneInput.Options: Parameterized {
  package static let parameters: ParameterTable<Self> =
    VideoPart.parameters.lifted(to: \.part) + PhotoReading.parameters.lifted(to: \.photo)
}
