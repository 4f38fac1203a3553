/// Depth from any source with depth, one map after the other: inputs of ``SceneInput``, photos with depth, and single depth files.
package final class DepthInput {
  /// How to read an input, where it leaves that open.
  package struct Options: Sendable {
    /// How to read streams and recordings, and the depth of a picture or video. The units of depth pictures are in its
    /// ``SceneInput/Options/recording``.
    package var input = SceneInput.Options()
    /// The camera, in place of the input's own.
    package var camera: Camera?
    /// The filters for each map; `edges` and `guided` follow the picture.
    package var filter = DepthFilterChain.raw
    /// Whether maps include confidence, an estimate if the input has none.
    package var estimatesConfidence = false

    package init() {}
  }

  /// A field of view or intrinsics, for an input that lacks them.
  package enum Camera: Sendable {
    /// Degrees across the picture.
    case fieldOfView(Double)
    /// Focal lengths and principal point in pixels of the depth map, from its upper left corner.
    case intrinsics(fx: Double, fy: Double, cx: Double, cy: Double)
  }

  /// A map and the picture of the same moment.
  package struct View: Sendable {
    /// The picture, upright, if there is one.
    package var image: Image?
    /// The depth; all holes if it was lost.
    package var depth: DepthMap
    /// Its time and duration (0 if unknown), in ticks of ``DepthInput/timeBase``.
    package var time: Int64, duration: Int64
    /// The error that left it without depth.
    package var fault: BackdropError?
  }

  /// Its name in messages.
  package let name: String
  /// The average number of frames a second; the length of a tick in seconds.
  package let frameRate: Rational, timeBase: Rational
  package let frameCount: Int?
  package let isStill: Bool
  /// Whether distances are absolute; if not, only their order is valid.
  package private(set) var isAbsolute = true
  /// The largest error from the file's quantization, in metres at one metre, growing with the square of the distance; `nil` if steps are
  /// even in depth, or too fine to matter.
  package private(set) var stepErrorAtOneMetre: Double?
  package let hasPictures: Bool
  private let stream: ReadAhead?
  private var still: View?
  private let camera: Camera?
  private let filter: DepthFilter
  private var lastSize: (width: Int, height: Int)?
  private var ownWarnings: [Warning] = []

  package var warnings: [Warning] {
    ownWarnings + (stream?.source.warnings.map { Warning($0) } ?? [])
      + (stream?.source.skipped.warnings("was left out", "were left out") ?? [])
  }

  private init(_ name: String, stream: ReadAhead? = nil, still: View? = nil, _ options: Options) {
    (self.name, self.stream, self.still, camera) = (name, stream, still, options.camera)
    filter = DepthFilter(options.filter)
    filter.estimatesConfidence = options.estimatesConfidence
    frameRate = stream?.source.frameRate ?? Rational(25, 1)
    timeBase = stream?.source.timeBase ?? Rational(1, 25)
    frameCount = stream == nil ? 1 : stream?.source.frameCount
    isStill = stream?.source.isStill ?? true
    hasPictures = stream != nil || still?.image != nil
  }

  /// Opens `sim:…`, a folder, a video or picture with its depth, `-`, a photo with depth (JPEG, HEIC), or a depth file: 16-bit PNG or TIFF
  /// in units (millimetres by default), PFM or float TIFF in metres.
  package static func open(_ name: String, options: Options = Options()) throws(BackdropError) -> DepthInput {
    if case .intrinsics(let fx, let fy, let cx, let cy) = options.camera {
      let camera = Intrinsics(fx: fx, fy: fy, cx: cx, cy: cy, width: 1, height: 1)
      guard camera.isPossible else {
        throw BackdropError(
          .wrongArgument, "these intrinsics fit no camera: fx \(fx), fy \(fy), cx \(cx), cy \(cy)",
          hint: .writeIntrinsics)
      }
    }
    if case .fieldOfView(let degrees) = options.camera { _ = try Intrinsics(fieldOfView: degrees, width: 1, height: 1) }
    if name == StandardInput.name { return try standardInput(options) }
    let isFile = SimulatedCamera.isAddress(name) ? false : try FileKind(input: name) == .file
    if options.input.recording.alignment != nil && options.input.depth != nil {
      throw BackdropError(
        .wrongArgument, "Backdrop aligns recordings, not a picture with a depth file", path: name,
        hint: "put both in one folder, as color/1.png and depth/1.png")
    }
    if isFile && options.input.depth == nil, let still = try file(name, options) {
      guard options.input.recording.alignment == nil && options.input.recording.view == nil else {
        throw BackdropError(
          .wrongArgument, "Backdrop aligns recordings, and this is one picture", path: name, hint: .leaveAlignOut)
      }
      return still
    }
    var input = options.input
    input.needsDepth = true
    return DepthInput(name, stream: ReadAhead(try SceneInput.open(name, options: input), frames: 0), options)
  }

  private static func standardInput(_ options: Options) throws(BackdropError) -> DepthInput {
    switch try StandardInput(limits: options.input.limits, isInterrupted: options.input.isInterrupted) {
    case .photo(let photo): return try self.photo(photo, StandardInput.name, options)
    case .video(let pipe):
      var input = options.input
      input.needsDepth = true
      var source = SceneInput(try PipeSource(pipe, input))
      if !input.part.isEverything { source = try source.part(input.part) }
      return DepthInput(StandardInput.name, stream: ReadAhead(source, frames: 0), options)
    }
  }

  /// The next map; `nil` at the end.
  package func next() throws(BackdropError) -> View? {
    if let view = still.take() { return try seen(view) }
    guard let stream, let scene = try stream.next() else { return nil }
    let (width, height) = lastSize ?? (scene.image.width, scene.image.height)
    let depth = scene.depth ?? DepthMap(metres: Plane(repeating: .nan, width: width, height: height))
    lastSize = (depth.width, depth.height)
    let ticks = scene.ticks ?? SceneTicks(time: 0, duration: 0)
    return try seen(
      hiddenBy: scene.alpha,
      View(
        image: scene.image, depth: depth, time: ticks.time, duration: ticks.duration,
        fault: scene.depth == nil
          ? scene.depthFault ?? BackdropError(.badData, "the frame has no depth", path: name) : nil))
  }

  /// The view with the camera and the filters of the options, without depth in parts that the picture's alpha hides.
  private func seen(hiddenBy alpha: Plane<UInt8>? = nil, _ view: View) throws(BackdropError) -> View {
    var view = view
    let (width, height) = (view.depth.width, view.depth.height)
    switch camera {
    case nil: break
    case .fieldOfView(let degrees):
      view.depth.intrinsics = try Intrinsics(fieldOfView: degrees, width: width, height: height)
    case .intrinsics(let fx, let fy, let cx, let cy):
      view.depth.intrinsics = Intrinsics(fx: fx, fy: fy, cx: cx, cy: cy, width: width, height: height)
    }
    if view.fault == nil { filter.apply(&view.depth, guide: view.image) }
    view.depth = view.depth.hidden(by: alpha)
    return view
  }

  /// A file that is a single map; `nil` for all others.
  private static func file(_ name: String, _ options: Options) throws(BackdropError) -> DepthInput? {
    let recording = options.input.recording
    if recording.raw != nil && RecordingEntry.isRaw(name, recording) { return nil }
    let head = try InputFile.head(name)
    func alone(_ map: DepthMap) -> DepthInput {
      DepthInput(name, still: View(image: nil, depth: map, time: 0, duration: 1), options)
    }
    let (scale, limits) = (recording.unitsPerMetre ?? 1000, options.input.limits)
    if PFM.isPFM(head) {
      let metres = try located(name) { bytes throws(BackdropError) in try PFM.decode(bytes, limits: limits) }
      return alone(DepthMap(metres: metres))
    }
    switch FileContent(head.span) {
    case .picture(.png):
      let image = try Picture.load(name, upright: true, limits: limits)
      guard image.format == .gray16 else { return try photo(DepthPhoto.read(name, limits: limits), name, options) }
      return alone(try DepthMap(units: image.plane(as: UInt16.self), unitsPerMetre: scale))
    case .tiff:
      let numbers = try located(name) { bytes throws(BackdropError) in try FloatTIFF.decode(bytes, limits: limits) }
      guard numbers.areWhole else { return alone(DepthMap(metres: numbers.values)) }
      return alone(try DepthMap(wholeNumbers: numbers.values, unitsPerMetre: scale))
    default:
      return DepthPhoto.container(of: head.span) == nil
        ? nil : try photo(DepthPhoto.read(name, limits: limits), name, options)
    }
  }

  private static func located<R>(
    _ path: String, _ body: ([UInt8]) throws(BackdropError) -> R
  ) throws(BackdropError) -> R {
    let bytes = try InputFile.read(path)
    do { return try body(bytes) } catch { throw error.at(path) }
  }

  private static func photo(
    _ photo: DepthPhoto, _ name: String, _ options: Options
  ) throws(BackdropError) -> DepthInput {
    do throws(BackdropError) {
      guard let depth = try photo.depth() else {
        throw BackdropError(.wrongArgument, "this picture has no depth", path: name, hint: .giveItsDepthOrPhoto)
      }
      var map = depth.depth
      if let confidence = depth.confidence, (confidence.width, confidence.height) == (map.width, map.height) {
        map.confidence = ConfidenceMap(parts: confidence)
      } else if options.estimatesConfidence && depth.properties.quality == .low {
        // Apple's cameras report one quality for all pixels.
        map.confidence = ConfidenceMap(map.estimatedConfidence().values.map { $0 / 2 })
      }
      let view = View(image: try photo.image(as: .rgba8), depth: map, time: 0, duration: 1)
      let input = DepthInput(name, still: view, options)
      input.isAbsolute = depth.properties.accuracy == .absolute
      input.stepErrorAtOneMetre = depth.stepErrorAtOneMetre
      input.ownWarnings = (photo.faults + [depth.confidenceFault].compactMap { $0 }).map { Warning($0) }
      return input
    } catch {
      throw error.at(name)
    }
  }
}

extension PhotoDepth {
  /// Half a step of stored disparity, in metres at one metre; `nil` for stored floats or depth.
  fileprivate var stepErrorAtOneMetre: Double? {
    guard properties.quantity == .disparity, samples.format == .gray8 || samples.format == .gray16,
      let first = properties.first, let last = properties.last
    else { return nil }
    let steps = Double(properties.codes.upperBound - properties.codes.lowerBound)
    return steps > 0 ? abs(last - first) / steps / 2 : nil
  }
}
