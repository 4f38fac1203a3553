/// Draws one scene, whose evidence is known, with any number of looks.
final class SceneDrawing {
  let scene: Scene
  /// The scene's evidence. A change takes effect with the next drawing.
  var evidence: Evidence
  private let workers: WorkerPool
  private var settings: StreamSettings
  private var engine: StreamEngine?
  /// The subject, shaped by the last look's recipe.
  private var shaped: (recipe: DepthMatteRecipe, subject: PixelStorage, evidence: Evidence)?
  /// The real background that the last drawing shows: see ``Rendering``.
  private(set) var exposedBackground = 0.0, showsRealBackground = false

  /// - Parameter settings: all settings except the look and its values, which come with each drawing.
  init(_ scene: Scene, _ evidence: Evidence, _ settings: StreamSettings, workers: WorkerPool) {
    (self.scene, self.evidence, self.settings, self.workers) = (scene, evidence, settings, workers)
  }

  func change(background: BackgroundChoice?, drawing: Renderer.Options) {
    (settings.background, settings.drawing) = (background, drawing)
    engine = nil
  }

  func evidence(for request: EvidenceRequest) -> Evidence {
    guard request.isShaped, let recipe = request.recipe, evidence.subjectOrigin != nil else { return evidence }
    let subject = evidence.subject.q15.storage
    if let shaped, shaped.recipe == recipe, shaped.subject === subject { return shaped.evidence }
    var result = evidence
    var shaper = MatteShaper()
    result.subject = shaper.shape(evidence.subject, sigma: recipe.sigma, gamma: recipe.gamma)
    shaped = (recipe, subject, result)
    return result
  }

  /// The renderer for a look. It keeps results of the last drawing that are still valid.
  func prepared(_ look: Look, _ values: [String: Double]) throws(BackdropError) -> Renderer {
    var wanted = settings
    (wanted.look, wanted.values) = (look, values)
    // Only cutouts take a transparent background; all other looks show the real background behind the subject.
    if wanted.isTransparent && !look.isCutout { wanted.background = nil }
    if let engine, engine.renderer.isTransparent == wanted.isTransparent {
      try engine.change(to: wanted)
      return engine.renderer
    }
    let stream = StreamDescription(width: scene.image.width, height: scene.image.height)
    let made = try StreamEngine(wanted, stream, for: .preview, workers: workers)
    engine = made
    return made.renderer
  }

  /// The scene with a look.
  func draw(_ look: Look, _ values: [String: Double]) throws(BackdropError) -> Image {
    let renderer = try prepared(look, values)
    var image = Image(.gray8, width: 1, height: 1)
    let rendering = renderer.render(scene, evidence(for: renderer.request), into: &image).rendering
    if case .standby(let reason) = rendering.standing {
      throw reason.error ?? BackdropError(.badData, "Backdrop could not draw the look")
    }
    (exposedBackground, showsRealBackground) = (rendering.exposedBackground, rendering.showsRealBackground)
    return rendering.image
  }
}
