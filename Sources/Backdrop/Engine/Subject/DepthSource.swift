/// Depth in metres, joined with the person network if the look does not reshape the matte.
final class DepthSource: SubjectSource {
  static let parameters: ParameterTable<AnalyzerOptions> = [
    .depth: [
      .text(
        "filter",
        "Clean the depth of each frame: filtered, or a chain such as decimate:2,disparity,spatial:alpha=0.5,temporal,depth,fill "
          + "(\(DepthFilterKind.allCases.map(\.rawValue).joined(separator: ", ")))", \.depthFilter
      ).needing(.depth),
      .toggle(
        "face", "Set the cutoff from the face", \.followsFace, automatic: "on, unless you give a cutoff"
      ).needing(.depthMatte),
      .number(
        "farthest-face", "The greatest distance at which a face may move the cutoff back", \.farthestFaceMetres,
        in: 0.3...15, unit: "m"
      ).needing(.depthMatte),
      .choice("faces", "Choose which of several faces sets the cutoff", \.faces).needing(.depthMatte, .face),
      .toggle(
        "find-gap", "End the foreground at the gap in front of the room while no face is visible", \.findsGap
      ).needing(.depthMatte, .noFace),
    ]
  ]
  static let shapesMattes = true
  /// If the network sees a person in less than this fraction of the near area, depth alone makes the matte.
  private static let minimumAgreement = 0.05

  private unowned let analyzer: SceneAnalyzer
  private let maker: DepthMatteMaker
  private let filter: DepthFilter
  private var bodies = DepthPersonLocator()
  private var farthestFaceMetres: Double
  private var spare = SpareMatte()

  init(_ analyzer: SceneAnalyzer) {
    self.analyzer = analyzer
    maker = DepthMatteMaker(DepthMatteRecipe(), workers: analyzer.workers)
    filter = DepthFilter(analyzer.options.depthFilter)
    farthestFaceMetres = analyzer.options.farthestFaceMetres
  }

  func prepare(for request: EvidenceRequest) throws(BackdropError) -> Bool {
    guard analyzer.usesDepth else { return false }
    let isAuto = analyzer.options.mattes == .auto
    if isAuto && !request.isShaped {
      try analyzer.network.prepare()
    } else if isAuto || !request.isShaped {
      try analyzer.options.refusePlate("depth")
    }
    return true
  }

  func applies(to scene: Scene) -> Bool { analyzer.usesDepth }

  func find(in scene: Scene, _ request: EvidenceRequest, into evidence: inout Evidence) throws(BackdropError) {
    var scene = scene
    guard var depth = scene.depth, !depth.isEmpty else {
      throw scene.depthFault
        ?? BackdropError(
          .badData, scene.depth == nil ? "this frame has no depth" : "the depth map has no values, only holes")
    }
    // With a single reference the filter works in place.
    scene.depth = nil
    filter.apply(&depth, guide: scene.image)
    scene.depth = depth
    let options = analyzer.options
    let followsFace = options.followsFace ?? true
    if followsFace && scene.faces == nil { try analyzer.faces.find(in: &scene) }
    var wanted = request.recipe ?? DepthMatteRecipe()
    (wanted.followsFace, wanted.findsGap, wanted.faces) = (followsFace, options.findsGap, options.faces)
    let (recipe, joined) = (wanted, scene)
    let isOther = recipe != maker.recipe || options.farthestFaceMetres != farthestFaceMetres
    (maker.recipe, farthestFaceMetres) = (recipe, options.farthestFaceMetres)
    if options.mattes != .depth && !request.isShaped, let network = try analyzer.network.maker() {
      // Otherwise the last matte would stay while nothing moves.
      if isOther { network.expire() }
      let near = PersonMatteMaker.Near(depth) { [self] () throws(BackdropError) in
        // Forget before the network sees a frame of another shot, so that the last shot's face does not set the cutoff.
        if network.isNewShot { analyzer.forgetShot() }
        try maker.updateCutoff(from: bodies.choose(in: joined, recipe, options, network.coarsePrior))
        return maker.cutoffMetres
      }
      try analyzer.network.update(&evidence, network, scene, near: near)
      // Faces are still found while the network rests.
      let chosen = bodies.choose(in: scene, recipe, options, network.coarsePrior)
      evidence.nearPart = depth.part(nearerThan: maker.cutoffMetres)
      if network.agreementWithDepth < Self.minimumAgreement {
        // In the dark the network sees nobody.
        try makeFromDepth(chosen, depth, into: &evidence)
      }
    } else {
      try makeFromDepth(bodies.choose(in: scene, recipe, options, nil), depth, into: &evidence)
    }
    let hasNetwork = !evidence.independentMattes.isEmpty
    evidence.independentMattes.append(
      bodies.coarseMatte(in: depth, at: scene.time, cutoffMetres: maker.cutoffMetres, hasNetwork: hasNetwork))
    (evidence.cutoffMetres, evidence.isCutoffFromFace) = (maker.cutoffMetres, maker.followsFace)
    analyzer.hasSeenSomebody = analyzer.hasSeenSomebody || evidence.subject.coverage > 0
  }

  private func makeFromDepth(_ scene: Scene, _ depth: DepthMap, into evidence: inout Evidence) throws(BackdropError) {
    try spare.make(&evidence) { (matte) throws(BackdropError) in try maker.update(&matte, from: scene) }
    evidence.subjectOrigin = .depth
    evidence.nearPart = depth.part(nearerThan: maker.cutoffMetres)
    (evidence.age, evidence.confidence) = (0, [.depth: 1])
    analyzer.matteCount += 1
  }

  func keepsState(with wanted: AnalyzerOptions) -> Bool { wanted.depthFilter == analyzer.options.depthFilter }

  func forget() {
    maker.reset()
    filter.reset()
    bodies.reset()
  }

  var warnings: [BackdropError] {
    guard let metres = bodies.tooFar else { return [] }
    return [
      BackdropError(
        .unsupported,
        "the face is \(brief((metres * 10).rounded() / 10)) m away, too far for the cutoff to follow; the limit is \(brief(analyzer.options.farthestFaceMetres)) m",
        hint: .allowFartherFaces)
    ]
  }
}

extension Evidence.Origin {
  /// Depth alone.
  public static let depth = Self("depth", words: "the depth", [.depthMatte])
  /// Depth and the person network, joined.
  public static let depthAndPerson = Self(
    "depth and person", words: "depth and the person network", [.depthMatte, .network])
}

extension DepthMap {
  /// The fraction of all distances (or of half the map if fewer are known) that are nearer than `metres`.
  func part(nearerThan metres: Double) -> Double {
    let limit = Float(metres)
    var (near, known, all) = (0, 0, 0)
    // Every fourth row and column is enough.
    for y in stride(from: 0, to: height, by: 4) {
      let row = self.metres.row(y)
      for x in stride(from: 0, to: width, by: 4) {
        all += 1
        guard row[x] > 0 else { continue }
        known += 1
        if row[x] <= limit { near += 1 }
      }
    }
    return Double(near) / max(1, Double(known), Double(all) / 2)
  }
}
