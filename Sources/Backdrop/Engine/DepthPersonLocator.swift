/// Chooses the faces that may set the cutoff, and locates people by depth. No parameter of a look can influence it.
///
/// Everything nearer than the looks' standard cutoff counts as people. Round a face that ``FaceJudge`` accepts, everything counts up to
/// the looks' usual margin behind the face. Without a face or a network, everything in front of the gap between near things and the
/// background counts.
struct DepthPersonLocator {
  /// The width of a person with both arms spread, in face widths, and the space above the face, in face heights.
  private static let span = 7.0, above = 1.0
  /// How long the locator remembers a face that turns away, in seconds, and the most that its distance may change meanwhile, in metres.
  private static let memory = 2.0, stay = 0.3
  /// The longer side of the matte of people's positions.
  private static let side = 80

  /// The faces of people with bodies, as fractions of the picture, and their distances.
  private var faces: [(box: Rect, metres: Double)] = []
  private var seen = -Double.infinity
  /// The distance of the nearest face that was too far away to move the cutoff back; `nil` if no face was.
  private(set) var tooFar: Double?

  mutating func reset() { (faces, seen) = ([], -.infinity) }

  /// The scene, with only the faces that may set the cutoff: near faces, which pull the cutoff nearer, and faces with bodies within range.
  mutating func choose(
    in scene: Scene, _ recipe: DepthMatteRecipe, _ options: AnalyzerOptions, _ network: Evidence.CoarseMatte?
  ) -> Scene {
    guard recipe.followsFace, let depth = scene.depth, let found = scene.faces, !found.isEmpty else { return scene }
    let judge = FaceJudge(depth: depth, width: scene.image.width, height: scene.image.height, network: network)
    var deciding: [Rect] = []
    var living: [(box: Rect, metres: Double)] = []
    for face in found {
      // A face in a hole of the depth leaves the cutoff unchanged.
      guard let metres = DepthMatteMaker.distance(of: face, in: scene).map(Double.init) else {
        deciding.append(face)
        continue
      }
      let isInRange = metres <= options.farthestFaceMetres
      let isLiving = isInRange && judge.refusal(of: face, at: metres) == nil
      if isLiving || metres + recipe.marginMetres <= recipe.cutoffMetres { deciding.append(face) }
      if !isInRange { tooFar = min(tooFar ?? metres, metres) }
      guard isLiving else { continue }
      living.append((face.relative(to: (scene.image.width, scene.image.height)), metres))
    }
    if !living.isEmpty { (faces, seen) = (living, scene.time) }
    var result = scene
    result.faces = deciding
    return result
  }

  /// A coarse matte of the people that depth shows in front of the cutoff; farther things do not matter.
  ///
  /// - Parameter hasNetwork: whether a network also locates people.
  func coarseMatte(in depth: DepthMap, at time: Double, cutoffMetres: Double, hasNetwork: Bool) -> Evidence.CoarseMatte
  {
    let usual = DepthMatteRecipe()
    var limit = usual.cutoffMetres
    let known = faces.filter { face in
      guard time >= seen && time - seen <= Self.memory else { return false }
      let (x, y) = (face.box.center.x * Double(depth.width), face.box.center.y * Double(depth.height))
      guard x >= 0, y >= 0, let metres = depth.nearby(x: Int(x), y: Int(y)) else { return true }
      return abs(Double(metres) - face.metres) < Self.stay
    }
    let bodies = known.map { face -> (columns: ClosedRange<Double>, top: Double, metres: Float) in
      let half = face.box.width * Self.span / 2
      return (
        face.box.center.x - half...face.box.center.x + half, face.box.y - Self.above * face.box.height,
        Float(face.metres + usual.marginMetres)
      )
    }
    let step = max(1, max(depth.width, depth.height) / Self.side)
    let coarse = Plane<Float>(
      width: (depth.width + step - 1) / step, height: (depth.height + step - 1) / step
    ) { x, y in
      depth.metres[min(depth.width - 1, x * step + step / 2), min(depth.height - 1, y * step + step / 2)]
    }
    if known.isEmpty && !hasNetwork && cutoffMetres > limit, let gap = DepthMap(metres: coarse).bands?.cutoffMetres {
      limit = max(limit, Double(gap))
    }
    let samples = Plane<UInt16>(width: coarse.width, height: coarse.height) { x, y in
      let metres = coarse[x, y]
      let (u, v) = ((Double(x) + 0.5) / Double(coarse.width), (Double(y) + 0.5) / Double(coarse.height))
      let isPerson =
        metres <= Float(limit)
        || bodies.contains { metres <= $0.metres && v >= $0.top && $0.columns.contains(u) }
      return isPerson ? Matte.one : 0
    }
    return Evidence.CoarseMatte(Matte(q15: samples))
  }
}
