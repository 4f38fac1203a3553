import BackdropDepth
import BackdropImaging
import BackdropLooks
import BackdropMatting
import BackdropModels

/// A scene's whole way: analyzed for what the look asks, then drawn. Photos, videos and live sessions are loops round it.
///
/// One stream, one pipeline: it is not safe to call from two threads at once.
public final class RenderPipeline {
  /// Finds what the look asks for.
  public private(set) var analyzer: SceneAnalyzer
  /// Draws.
  public let renderer: Renderer
  /// What is known of the last scene.
  public private(set) var evidence = Evidence()

  /// Joins the two.
  public init(_ analyzer: SceneAnalyzer, _ renderer: Renderer) {
    (self.analyzer, self.renderer) = (analyzer, renderer)
  }

  /// Goes on with another analyzer: nothing of the last one's scenes is left.
  public func replace(_ analyzer: SceneAnalyzer) {
    self.analyzer = analyzer
    evidence = Evidence()
  }

  /// Only finds what the look asks for, for those who draw the same scene several times.
  ///
  /// - Parameters:
  ///   - scene: the scene.
  ///   - next: the picture of the scene after that one, if it is known.
  /// - Throws: as ``SceneAnalyzer/analyze(_:for:into:next:)``.
  public func analyze(_ scene: Scene, next: Image? = nil) throws(BackdropError) {
    try StageClock.shared.measure(.refine) { () throws(BackdropError) in
      try analyzer.analyze(scene, for: renderer.request, into: &evidence, next: next)
    }
  }

  /// Draws a scene with what ``analyze(_:next:)`` found in it.
  public func draw(_ scene: Scene, into spare: inout Image) -> Rendering {
    StageClock.shared.measure(.draw) { renderer.render(scene, evidence, into: &spare) }
  }

  /// Analyzes a scene and draws it, or the standby frame in its place.
  public func render(_ scene: Scene, into spare: inout Image) -> Rendering {
    do throws(BackdropError) {
      try analyze(scene)
    } catch {
      return renderer.standby(.fault(error), at: scene.time, into: &spare)
    }
    return draw(scene, into: &spare)
  }
}
