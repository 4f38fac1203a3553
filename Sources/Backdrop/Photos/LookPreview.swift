/// A photo's scene with the evidence for all looks, found once. Previews and contact sheets draw from it.
package struct PhotoScene: Sendable {
  package var scene: Scene
  package var evidence: Evidence
  /// The error that left some evidence missing; looks that need that evidence cannot be drawn.
  package var fault: BackdropError?

  /// Finds the evidence for looks in a scene, for example of a camera or a video.
  package init(
    _ scene: Scene, options: AnalyzerOptions = AnalyzerOptions(), workers: WorkerPool, networks: ModelCache
  ) throws(BackdropError) {
    self.scene = scene
    (evidence, fault) = Self.everything(of: scene, by: try Self.analyzer(of: scene, options, workers, networks))
  }

  static func analyzer(
    of scene: Scene, _ options: AnalyzerOptions, _ workers: WorkerPool, _ networks: ModelCache
  ) throws(BackdropError) -> SceneAnalyzer {
    var settings = StreamSettings()
    settings.analysis = options
    let stream = StreamDescription(width: scene.image.width, height: scene.image.height)
    return try StreamEngine(settings, stream, for: .preview, workers: workers, networks: networks).analyzer
  }

  init(scene: Scene, evidence: Evidence, fault: BackdropError?) {
    (self.scene, self.evidence, self.fault) = (scene, evidence, fault)
    self.evidence.alpha = scene.alpha
  }

  /// The evidence for all looks, as far as the analyzer finds it, and the error that left some missing.
  static func everything(of scene: Scene, by analyzer: SceneAnalyzer) -> (evidence: Evidence, fault: BackdropError?) {
    var evidence = Evidence()
    var fault: BackdropError?
    var request = EvidenceRequest.everything
    do throws(BackdropError) {
      try analyzer.analyze(scene, for: request, into: &evidence)
    } catch {
      fault = error
      request.needsSubject = false
      // Looks that need no such evidence can still be drawn.
      if scene.disparity != nil {
        do throws(BackdropError) { try analyzer.analyze(scene, for: request, into: &evidence) } catch { fault = error }
      }
    }
    return (evidence, fault)
  }
}

/// Draws one photo at screen size with any look, for example while a user adjusts the look. Calls must not overlap.
package final class LookPreview {
  /// The small picture as viewers see it: parts hidden by alpha are black.
  package private(set) lazy var image: Image = drawing.scene.flattened
  private let drawing: SceneDrawing
  private var fault: BackdropError?
  /// Whether distances were measured; without them ``disparityColors()`` has nothing to show.
  package var hasDepth: Bool { drawing.evidence.disparityOrigin == .depth }

  /// A preview whose longer side has at most `side` pixels.
  package init(
    _ photo: PhotoScene, side: Int, background: BackgroundChoice?, drawing options: Renderer.Options = .init(),
    workers: WorkerPool
  ) throws(BackdropError) {
    let scene = try photo.scene.reduced(to: side)
    var settings = StreamSettings()
    (settings.background, settings.drawing) = (background, options)
    drawing = SceneDrawing(scene, Self.reduced(photo.evidence, to: scene.image), settings, workers: workers)
    fault = photo.fault
  }

  /// Adopts a new state of the same photo, for example after a touch-up.
  package func change(to photo: PhotoScene) {
    (drawing.evidence, fault) = (Self.reduced(photo.evidence, to: drawing.scene.image), photo.fault)
  }

  /// The evidence with its subject scaled down to the picture's size, which makes repeated shaping and drawing cheaper.
  private static func reduced(_ evidence: Evidence, to image: Image) -> Evidence {
    var result = evidence
    result.subject = evidence.subject.fitting(image)
    return result
  }

  /// Changes the background or the drawing options. With a transparent background, looks that show the real background are unaffected.
  package func change(background: BackgroundChoice?, drawing options: Renderer.Options) {
    drawing.change(background: background, drawing: options)
  }

  /// The frame's rectangle in the drawing, as fractions of its width and height: (0, 0, 1, 1) if nothing moves the frame.
  package func frame(_ look: Look, _ values: [String: Double]) throws(BackdropError) -> Rect {
    let renderer = try drawing.prepared(look, values)
    let whole = Rect(x: 0, y: 0, width: 1, height: 1)
    guard let composed = try renderer.composition(of: drawing.scene, drawing.evidence) else { return whole }
    return composed.frame.relative(to: (composed.width, composed.height))
  }

  /// The picture with a look.
  package func draw(_ look: Look, _ values: [String: Double]) throws(BackdropError) -> Image {
    try check(look, values)
    return try drawing.draw(look, values)
  }

  /// Normalized disparity at a point, given as fractions of width and height, 0…1: the value that sets a look's focus to the point.
  package func disparity(atX x: Double, y: Double) throws(BackdropError) -> Double {
    try disparity().value(atX: x, y: y)
  }

  /// The normalized disparity of the subject.
  package var focus: Double? { drawing.evidence.focus }

  /// Normalized disparity as colours, near red to far blue, at its own size.
  package func disparityColors() throws(BackdropError) -> Image {
    // The palette runs from near to far.
    let distance = try disparity().values.map { 1 + (1 - $0) }
    return DepthColors(range: 1...2).image(of: DepthMap(metres: distance))
  }

  /// The matte of a look, at its own size.
  package func matte(_ look: Look, _ values: [String: Double]) throws(BackdropError) -> Matte {
    try check(look, values)
    let renderer = try drawing.prepared(look, values)
    return try renderer.matte(drawing.evidence(for: renderer.request))
  }

  private func disparity() throws(BackdropError) -> NormalizedDisparity {
    if let disparity = drawing.evidence.disparity { return disparity }
    throw fault ?? BackdropError(.badData, "this frame has no depth")
  }

  private func check(_ look: Look, _ values: [String: Double]) throws(BackdropError) {
    let (request, evidence) = (EvidenceRequest(look, try look.settings(values)), drawing.evidence)
    if request.needsSubject && evidence.subjectOrigin == nil || request.needsDisparity && evidence.disparity == nil {
      throw fault ?? BackdropError(.badData, "Backdrop found no person in the picture")
    }
  }
}

extension Matte {
  /// The matte, scaled down to a picture's size if it is larger.
  package func fitting(_ image: Image) -> Matte {
    width > image.width ? scaled(toWidth: image.width, height: image.height) : self
  }
}
