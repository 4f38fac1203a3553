/// Finds the evidence that looks need: the subject, the distances, the focus. It holds the whole policy:
///
/// - **Priority.** First a screen's colour, if requested. Then the camera's own portrait matte, unless the options ask for a network. Then
///   depth in metres, joined with the person network: depth decides what is near, the network draws the edges. In the dark, if the network
///   sees nobody, depth alone. A face moves the cutoff back only if it has a body (`FaceJudge`). Without depth, the network. In a single
///   picture, if the network sees nobody or its result is not in front: the near part of the phone's disparity, drawn to the picture's
///   edges.
/// - **Without depth.** The subject stands in: it is near, and everything else is far. A look that shapes the depth's matte shapes the
///   subject's in the same way.
/// - **Nobody found.** A stream's matte is 0 everywhere; a single picture is an error.
/// - **Alpha.** Hidden parts are never shown. If alpha keeps little more than the found subject, the picture was already cut out, and alpha
///   itself is the matte.
/// - **Several people.** People who are not chosen are removed from every matte (`PeopleChooser`).
/// - **Focus.** It is at the subject's distance. In a stream it follows slowly.
///
/// Use one analyzer for one stream. It is not safe to call from two threads at once.
package final class SceneAnalyzer {
  /// Facts about the stream's scenes, known before the first one.
  let stream: StreamDescription
  var options: AnalyzerOptions
  let workers: WorkerPool
  let networks: ModelCache
  var shaper = MatteShaper()
  let faces: FaceFinder
  private(set) lazy var sources = subjectSources.map { $0.init(self) }
  private(set) lazy var network = sources.lazy.compactMap { $0 as? NetworkSource }.first ?? NetworkSource(self)
  /// The time of the next search for faces, and the last faces found.
  var nextFaces = -Double.infinity, lastFaces: [Rect]?
  var range: ClosedRange<Float>?
  var focus: Double?
  /// Keeps the chosen people; `nil` before the first choice.
  var people: PeopleChooser?
  var chosenMatte = SpareMatte()
  /// The manual corrections, and the mattes into which they were drawn.
  var touchUp: (choice: TouchUpChoice, value: TouchUp)?
  let touchUpDrawing = TouchUpDrawing()
  /// The storage of the matte from which ``reconsider(_:for:from:into:)`` last chose people.
  var chosenFrom: PixelStorage?
  /// The stream's next picture during the analysis of a scene, if known.
  var next: Image?
  /// The number of mattes made so far; the network makes none while nothing moves.
  package internal(set) var matteCount = 0
  /// The networks that make the mattes, each with its picture size; empty if depth alone is enough.
  package var networkNames: [String] { network.names }
  /// Whether alpha was the subject's matte in the last scene.
  var acceptsAlpha = false
  package internal(set) var hasSeenSomebody = false
  /// Whether a single picture's matte comes from the person network alone, and no other network recognized a person in it.
  package internal(set) var seesNoLikeness = false
  package var usesDepth: Bool { stream.hasDepth && options.mattes.usesDepth }
  package var warnings: [BackdropError] { faces.warnings + sources.flatMap(\.warnings) }

  static let noLikeness = BackdropError(
    .badData, "Backdrop recognized no person in the picture; the matte may keep something else",
    hint: .cropOrChooseNetwork)

  static let noDepth = BackdropError(.unsupported, "a matte from depth needs depth, and this frame has none")
  /// The fraction of the way to a new scale of distances, or a new focus, per frame.
  private static let pace = 0.05
  /// The longer side of the distances that stand in for depth.
  private static let standInSide = 384

  /// Makes an analyzer. `prepare(for:)`, or the first scene that needs them, loads networks.
  package init(
    _ stream: StreamDescription, options: AnalyzerOptions = AnalyzerOptions(), workers: WorkerPool,
    networks: ModelCache = ModelCache()
  ) {
    (self.stream, self.options, self.workers, self.networks) = (stream, options, workers, networks)
    faces = FaceFinder(networks: networks)
  }

  /// Loads the networks that scenes of this stream need for a request.
  ///
  /// - Throws: `unsupported` if a required network is missing, or mattes from depth are requested without depth; `wrongArgument` for a
  ///   clean plate that has no use, or a touch-up of a stream; errors of a touch-up.
  package func prepare(for request: EvidenceRequest) throws(BackdropError) {
    _ = try loadedTouchUp()
    guard request.needsSubject || request.needsFocus || request.needsDisparity && !stream.hasDepth else { return }
    _ = try peopleChooser()
    for source in sources where try source.prepare(for: request) { return }
    throw Self.noDepth
  }

  /// Changes the options as far as a running stream allows, and keeps the state of the stream.
  ///
  /// - Parameter reduction: the factor by which to scale down the picture for the mattes' edges; `nil` for the default.
  /// - Returns: whether this was possible; if not, a new analyzer is needed.
  package func change(to wanted: AnalyzerOptions, reduction: Int?) throws(BackdropError) -> Bool {
    guard wanted.mattes == options.mattes, wanted.touchUp == options.touchUp,
      sources.allSatisfy({ $0.keepsState(with: wanted) })
    else { return false }
    try network.change(to: wanted, reduction: reduction)
    options = wanted
    people?.choice = wanted.people
    return true
  }

  /// Finds the evidence of a request in the next scene, and updates the stream's evidence.
  ///
  /// - Parameter next: the picture of the following scene, if known: a network may process it ahead of time.
  /// - Throws: the error that left the scene without a subject or distances; the evidence then has no subject.
  package func analyze(
    _ scene: Scene, for request: EvidenceRequest, into evidence: inout Evidence, next: Image? = nil
  ) throws(BackdropError) {
    self.next = next
    evidence.alpha = scene.alpha
    defer { self.next = nil }
    do throws(BackdropError) {
      if let fault = scene.depthFault, request.needsDisparity, stream.isStill, scene.disparity == nil { throw fault }
      let hasDistances = scene.depth.map { !$0.isEmpty } ?? (scene.disparity != nil)
      let standsIn = request.needsDisparity && !hasDistances
      if request.needsSubject || standsIn {
        try findSubject(scene, request, into: &evidence)
      } else if request.needsFocus {
        // A chosen focus is enough if nobody is found.
        do throws(BackdropError) { try findSubject(scene, request, into: &evidence) } catch {
          guard error.kind != .interrupted else { throw error }
          evidence.clearSubject()
        }
      } else {
        evidence.clearSubject()
      }
      if request.needsFaces { findFaces(scene, into: &evidence) } else { evidence.faces = nil }
      if request.needsDisparity { findDisparity(scene, into: &evidence) } else { evidence.disparity = nil }
      if request.needsFocus { findFocus(into: &evidence) }
    } catch {
      evidence.clearSubject()
      throw error
    }
  }

  // MARK: - Distances

  func findDisparity(_ scene: Scene, into evidence: inout Evidence) {
    if let map = scene.disparity {
      if evidence.disparity == nil || !stream.isStill { evidence.disparity = map.normalized() }
      evidence.disparityOrigin = .depth
    } else if let depth = scene.depth, !depth.isEmpty, let range = follow(depth.disparity) {
      evidence.disparity = depth.disparity.normalized(in: range)
      evidence.disparityOrigin = .depth
    } else {
      evidence.disparity = NormalizedDisparity(
        subject: evidence.subject, side: stream.isStill ? 2 * Self.standInSide : Self.standInSide)
      evidence.disparityOrigin = evidence.subjectOrigin
    }
  }

  /// A scale that follows the scene slowly, so that a focus stays in place.
  private func follow(_ disparity: DisparityMap) -> ClosedRange<Float>? {
    // A sensor's stray values must not set the scale.
    let ends = disparity.percentiles([1, 99])
    guard ends.count == 2, ends[1] > ends[0] else { return range }
    let pace = Float(Self.pace)
    if let old = range {
      let (low, high) = (
        old.lowerBound + (ends[0] - old.lowerBound) * pace, old.upperBound + (ends[1] - old.upperBound) * pace
      )
      range = low...max(low, high)
    } else {
      range = ends[0]...ends[1]
    }
    return range
  }

  func findFocus(into evidence: inout Evidence) {
    let found: Double? =
      evidence.subjectOrigin == nil ? nil : evidence.disparity?.median(under: evidence.subject)
    if let found { focus = focus.map { $0 + (found - $0) * (stream.isStill ? 1 : 4 * Self.pace) } ?? found }
    // A subject that is briefly out of sight keeps its focus.
    evidence.focus = focus
  }
}

/// Facts about a stream's scenes, known before the first one comes.
public struct StreamDescription: Sendable, Equatable {
  /// Size of the pictures.
  public var width: Int, height: Int
  /// Whether there is only one scene.
  public var isStill: Bool
  /// Whether scenes come with depth in metres.
  public var hasDepth: Bool

  /// The limits for the stream's picture files.
  public var limits: ImageLimits

  /// Makes a description.
  public init(width: Int, height: Int, isStill: Bool = false, hasDepth: Bool = false, limits: ImageLimits = .standard) {
    (self.width, self.height, self.isStill, self.hasDepth) = (width, height, isStill, hasDepth)
    self.limits = limits
  }
}
