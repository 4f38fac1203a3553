import BackdropCodecs
import BackdropDepth
import BackdropFFmpeg
import BackdropImaging
import BackdropPhotos
import BackdropRecordings
import BackdropVideo

/// Opens the source of scenes that a name refers to.
public enum SceneInput {
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
    /// Whether scenes of a high dynamic range also have their original samples: see ``/BackdropDepth/Scene/deep``.
    public var keepsDynamicRange = false
    /// Decoder threads; 0 leaves it to the decoder.
    public var threads = 0
    /// Called while reading waits for a pipe; `true` gives up.
    public var isInterrupted: (@Sendable () -> Bool)?

    /// The defaults.
    public init() {}
  }

  /// Opens `sim:…`, `-` (a picture or YUV4MPEG2 on standard input), a folder, or a picture, video or recording, recognized by content.
  ///
  /// - Throws: errors in the input, with a hint.
  public static func open(_ name: String, options: Options = Options()) throws(BackdropError) -> any SceneSource {
    let source = try whole(name, options)
    return options.part.isEverything ? source : try PartSource(source, options.part)
  }

  /// The picture in a file, without its depth: for backgrounds, plates and standby frames.
  ///
  /// - Throws: as ``open(_:options:)``; `unsupported` for a video.
  package static func picture(
    _ path: String, limits: ImageLimits = .standard
  ) throws(BackdropError) -> Scene {
    try PhotoSource(path, limits: limits).picture()
  }

  private static func whole(_ name: String, _ options: Options) throws(BackdropError) -> any SceneSource {
    if name == StandardInput.name { return try standardInput(options) }
    var reading = options.recording
    reading.threads = options.threads
    if let source = try RGBDInput.find(name, options: reading) {
      guard options.depth == nil else {
        throw BackdropError(
          .wrongArgument,
          name.hasPrefix("sim:") ? "the simulated camera has depth of its own" : "a recording has depth of its own",
          path: source.name, hint: .leaveDepthOut)
      }
      return source
    }
    if options.recording.raw != nil && RecordingEntry.isRaw(name, options.recording) {
      return try picture(name, options)
    }
    return switch try MediaKind(path: name) {
    case .picture: try picture(name, options)
    case .video: try video(name, options)
    }
  }

  private static func standardInput(_ options: Options) throws(BackdropError) -> any SceneSource {
    switch try StandardInput(limits: options.limits, isInterrupted: options.isInterrupted) {
    case .video(let input): return try PipeSource(input, options)
    case .photo(let photo):
      guard options.depth == nil else {
        throw BackdropError(
          .wrongArgument, "a picture from standard input cannot use a separate depth map", path: StandardInput.title,
          hint: "save it to a file first")
      }
      return try PhotoSource(photo, StandardInput.name, options)
    }
  }

  private static func picture(_ name: String, _ options: Options) throws(BackdropError) -> any SceneSource {
    guard let depth = options.depth else { return try PhotoSource(name, options) }
    return try PictureFolderRecording(color: name, depth: depth, options: options.recording)
  }

  private static func video(_ name: String, _ options: Options) throws(BackdropError) -> any SceneSource {
    guard options.photo.eye == nil else {
      throw BackdropError(.wrongArgument, "only photos have a picture for each eye", path: name, hint: .leaveEyeOut)
    }
    guard options.photo.layout == nil else {
      throw BackdropError(
        .wrongArgument, "pictures side by side are told apart in photos only", path: name, hint: .leaveSideBySideOut)
    }
    return try VideoSource(name, options)
  }

  /// The depth of a video; `nil` if it has none and needs none.
  static func depthPictures(
    _ options: Options, _ name: String, width: Int, height: Int, orientation: Orientation = .up
  ) throws(BackdropError) -> DepthPictures? {
    guard options.depth != nil || options.needsDepth else { return nil }
    return try DepthPictures.open(options, for: name, width: width, height: height, orientation: orientation)
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
  /// Its parameters.
  package static let parameters: ParameterTable<Self> =
    VideoPart.parameters.lifted(to: \.part) + PhotoReading.parameters.lifted(to: \.photo)
}
