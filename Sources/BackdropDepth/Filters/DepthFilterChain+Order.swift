import BackdropImaging

extension DepthFilterChain {
  /// Rejects orders in which a step has no effect, or an effect other than its name says.
  func checkOrder() throws(BackdropError) {
    var isDisparity = false
    var done: [DepthFilterKind] = []
    for step in steps {
      let kind = step.kind
      let (name, traits) = (kind.rawValue, kind.traits)
      func first(_ trait: DepthFilterTraits) -> DepthFilterKind? { done.first { $0.traits.contains(trait) } }
      if done.contains(kind) { throw nonsense("\(name) appears twice", "remove one") }
      if traits.contains(.shrinks), let before = done.first(where: { !$0.traits.contains(.precedesShrinking) }) {
        throw nonsense(
          "\(name) comes after \(before.rawValue)", "put \(name) first, so that the filters after it have less to do")
      }
      if isDisparity && traits.contains(.needsMetres) {
        throw nonsense("\(name) comes between disparity and depth", "put it outside, since it works on metres")
      }
      if !isDisparity && traits.contains(.needsDisparity) {
        throw nonsense("\(name) has no disparity before it", "put disparity before it, or remove \(name)")
      }
      if traits.contains(.makesDisparity) { isDisparity = true }
      if traits.contains(.makesMetres) { isDisparity = false }
      if traits.contains(.smoothsOverTime), let other = first(.smoothsOverTime) {
        let both = DepthFilterKind.allCases.filter { $0 == kind || $0 == other }.map(\.rawValue)
        throw nonsense(
          "the chain has both \(both.joined(separator: " and "))", "remove one; they do the same in different ways")
      }
      // After a step that fills all holes, steps that need holes have no effect.
      if traits.contains(.needsHoles), let before = first(.fillsHoles) {
        throw nonsense("\(name) comes after \(before.rawValue)", "put \(name) before \(before.rawValue)")
      }
      if traits.contains(.needsEdges), let before = first(.smooths) {
        throw nonsense("\(name) comes after \(before.rawValue)", "put \(name) before it, since smoothing hides edges")
      }
      if let objection = kind.stage.objection(to: step) { throw nonsense(objection.reason, objection.hint) }
      done.append(kind)
    }
    if isDisparity {
      throw nonsense("the chain ends in disparity", "put depth after the filters that work on disparity")
    }
  }

  private func nonsense(_ reason: String, _ hint: String) -> BackdropError {
    BackdropError(
      .wrongArgument,
      "Backdrop cannot use the depth filters '\(steps.map(\.description).joined(separator: ","))': \(reason)",
      hint: hint)
  }
}
