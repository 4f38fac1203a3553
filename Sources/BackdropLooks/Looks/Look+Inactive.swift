import BackdropImaging
import BackdropMatting

extension Look {
  /// The parameters that have no effect with these facts, each with a fact that it lacks; `values` are those that are not at their
  /// defaults.
  ///
  /// If a look needs depth and there is none, it uses the subject's matte, and parameters that shape a matte by depth have no effect.
  package func inactive(where facts: Set<StreamFact>, values: [String: Double] = [:]) -> [String: StreamFact] {
    var inactive: [String: StreamFact] = [:]
    var active: Set<String> = []
    for (value, needs) in uses(facts, values) {
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
  private func uses(_ facts: Set<StreamFact>, _ values: [String: Double]) -> [(value: LookNumber, needs: [StreamFact])]
  {
    let ofLayers = layers.flatMap(\.ranges).map { (value: $0.0, needs: [StreamFact]()) }
    switch matte {
    case .depth(let cutoff, let margin, let sigma, let gamma):
      return [(cutoff, [.depthMatte, .noFace]), (margin, [.depthMatte, .face]), (sigma, []), (gamma, [])] + ofLayers
    case .focus(let focus, let slope, let width) where facts.contains(.motion) && hasLens:
      let isUseless = reachesNeither(focus, slope, width, values)
      return [(focus, []), (slope, []), (width, isUseless ? [.depth] : [])] + ofLayers
    case .focus, .histogram, .subject, .haze, .everything: return usedRanges.map { ($0.0, []) }
    }
  }

  private var hasLens: Bool { layers.contains { if case .lens = $0.blur { true } else { false } } }

  /// Whether no width of the focus changes the defocus of the two distances that a stream without depth has: the subject's, 1, and that of
  /// everything else, 0.
  private func reachesNeither(
    _ focus: LookNumber, _ slope: LookNumber, _ width: LookNumber, _ values: [String: Double]
  ) -> Bool {
    guard case .parameter(let name) = width, let range = parameter(name)?.range, let slope = number(slope, values)
    else {
      return false
    }
    // A focus that follows the subject is at its distance.
    let isFollowing =
      if case .parameter(let name) = focus { values[name] == nil && parameter(name)?.source != nil } else { false }
    guard let focus = isFollowing ? 1 : number(focus, values) else { return false }
    return [0, 1].allSatisfy { distance in
      let opacities = [range.lowerBound, range.upperBound].map {
        FocusMask(focus: focus, slope: slope, width: $0).opacity(at: distance)
      }
      return opacities[0] == opacities[1]
    }
  }

  func parameter(_ name: String) -> Parameter? { parameters.first { $0.name == name } }

  /// A number with the given values, or the defaults of the parameters without one.
  func number(_ number: LookNumber, _ values: [String: Double] = [:]) -> Double? {
    switch number {
    case .fixed(let value): value
    case .parameter(let name): values[name] ?? parameter(name)?.default?.number
    }
  }
}
