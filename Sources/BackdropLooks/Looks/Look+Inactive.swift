import BackdropImaging

extension Look {
  /// The parameters that have no effect with these facts, each with a fact that it lacks.
  ///
  /// If a look needs depth and there is none, it uses the subject's matte, and parameters that shape a matte by depth have no effect.
  package func inactive(where facts: Set<StreamFact>) -> [String: StreamFact] {
    var inactive: [String: StreamFact] = [:]
    var active: Set<String> = []
    for (value, needs) in uses {
      guard case .parameter(let name) = value else { continue }
      if let missing = needs.first(where: { !facts.contains($0) }) {
        inactive[name] = missing
      } else {
        active.insert(name)
      }
    }
    // One use with an effect is enough.
    return inactive.filter { !active.contains($0.key) }
  }

  /// Each number of the look, and the facts that it needs to have an effect.
  private var uses: [(value: LookNumber, needs: [StreamFact])] {
    guard case .depth(let cutoff, let margin, let sigma, let gamma) = matte else {
      return usedRanges.map { ($0.0, []) }
    }
    return [(cutoff, [.depthMatte, .noFace]), (margin, [.depthMatte, .face]), (sigma, []), (gamma, [])]
      + layers.flatMap(\.ranges).map { ($0.0, []) }
  }
}
