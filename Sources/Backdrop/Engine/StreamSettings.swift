/// All choices for analyzing and drawing scenes. Jobs, live sessions, and settings by name contain them, and add only what is their own.
public struct StreamSettings: Sendable {
  /// The look.
  public var look: Look
  /// The parameter values; the others have their defaults, or follow the scene.
  public var values: [String: Double] = [:]
  /// The background, for looks that have one; `nil` is black.
  public var background: BackgroundChoice?
  /// The picture of the standby frame; `nil` for the background alone.
  public var standby: Image?
  /// How to analyze scenes.
  public var analysis = AnalyzerOptions()
  /// Options for drawing. ``StreamEngine`` sets the options that depend on the use of a stream.
  public var drawing = Renderer.Options()
  /// The audience; `nil` means others for a camera's pictures, and oneself for the rest.
  public var audience: Audience?
  /// Whether others watch already, if they are the audience. Before that, a look that shows the real background by design is drawn for the user,
  /// where a subject is visible.
  public var othersWatch = true
  /// Whether others may see the real background, through a look that shows it or a weak blur.
  public var showsRealBackground = false

  /// Settings of the look `backdrop`, with the defaults of everything else.
  public init() { self.init(.backdrop) }
  /// Settings of a look, with the defaults of everything else.
  public init(_ look: Look) { self.look = look }

  /// Whether results are transparent, without a background.
  public var isTransparent: Bool { background?.isTransparent ?? false }

  /// Whether visible real background is an error, if the look should hide it.
  var hidesRealBackground: Bool { audience == .others && !showsRealBackground }
}

extension StreamSettings: Parameterized {
  package static let parameters: ParameterTable<Self> =
    AnalyzerOptions.parameters.lifted(to: \.analysis) + Renderer.Options.parameters.lifted(to: \.drawing)
    + Composition.parameters.lifted(to: \.drawing.composition)
}
