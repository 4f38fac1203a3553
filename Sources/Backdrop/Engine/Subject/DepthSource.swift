import BackdropDepth
import BackdropImaging
import BackdropMatting
import BackdropModels

/// Depth in metres, joined with the person network if the look does not reshape the matte.
enum DepthSource: SubjectSource {
  /// If the network sees a person in less than this fraction of the near area, depth alone makes the matte.
  fileprivate static let minimumAgreement = 0.05

  static func finds(in scene: Scene, _ analyzer: SceneAnalyzer) -> Bool {
    analyzer.stream.hasDepth && analyzer.usesDepth
  }

  static func find(
    in scene: Scene, _ request: EvidenceRequest, _ analyzer: SceneAnalyzer, into evidence: inout Evidence
  ) throws(BackdropError) { try analyzer.joinDepth(scene, request, into: &evidence) }
}

extension SceneAnalyzer {
  fileprivate func joinDepth(
    _ scene: Scene, _ request: EvidenceRequest, into evidence: inout Evidence
  ) throws(BackdropError) {
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
    if options.followsFace && scene.faces == nil { try faces.find(in: &scene) }
    let (recipe, joined) = (options.completed(request.recipe), scene)
    let isOther = recipe != depthMaker.recipe
    depthMaker.recipe = recipe
    if options.mattes != .depth && !request.isShaped, let maker = try personMaker() {
      if isOther { maker.expire() }
      let near = PersonMatteMaker.Near(depth) { [self] () throws(BackdropError) in
        // Forget before the network sees a frame of another scene, so that the last scene's face does not set the cutoff.
        if maker.isNewScene { forgetScene() }
        try depthMaker.updateCutoff(from: bodies.choose(in: joined, recipe, options, maker.coarsePrior))
        return depthMaker.cutoffMetres
      }
      try update(&evidence, maker, scene, near: near)
      // Faces are still found while the network rests.
      let chosen = bodies.choose(in: scene, recipe, options, maker.coarsePrior)
      evidence.nearPart = depth.part(nearerThan: depthMaker.cutoffMetres)
      if maker.agreementWithDepth < DepthSource.minimumAgreement {
        // In the dark the network sees nobody.
        try makeFromDepth(chosen, depth, into: &evidence)
      }
    } else {
      try makeFromDepth(bodies.choose(in: scene, recipe, options, nil), depth, into: &evidence)
    }
    let hasNetwork = !evidence.independentMattes.isEmpty
    evidence.independentMattes.append(
      bodies.coarseMatte(in: depth, at: scene.time, cutoffMetres: depthMaker.cutoffMetres, hasNetwork: hasNetwork))
    (evidence.cutoffMetres, evidence.isCutoffFromFace) = (depthMaker.cutoffMetres, depthMaker.followsFace)
    hasSeenSomebody = hasSeenSomebody || evidence.subject.coverage > 0
  }

  private func makeFromDepth(_ scene: Scene, _ depth: DepthMap, into evidence: inout Evidence) throws(BackdropError) {
    var matte = depthMatte.take() ?? Matte(constant: 0, width: 1, height: 1)
    evidence.subject = Self.nothing
    try depthMaker.update(&matte, from: scene)
    (evidence.subject, depthMatte) = (matte, matte)
    evidence.subjectOrigin = .depth
    evidence.nearPart = depth.part(nearerThan: depthMaker.cutoffMetres)
    (evidence.age, evidence.confidence) = (0, [.depth: 1])
    matteCount += 1
  }
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
