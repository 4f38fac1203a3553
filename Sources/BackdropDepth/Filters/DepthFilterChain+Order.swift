import BackdropImaging

extension DepthFilterChain {
  /// Refuses orders in which a step has nothing to do, or does something else than its name says.
  func checkOrder() throws(BackdropError) {
    var isDisparity = false
    var done: [DepthFilterKind] = []
    for step in steps {
      let kind = step.kind
      if done.contains(kind) { throw nonsense("\(kind.rawValue) is there twice", "leave one out") }
      switch kind {
      case .decimate:
        if let first = done.first(where: { $0 != .threshold }) {
          throw nonsense("decimate comes after \(first.rawValue)", "put decimate first: all after it has less to do")
        }
      case .threshold, .edges, .steady, .guided:
        if isDisparity {
          throw nonsense("\(kind.rawValue) comes between disparity and depth", "it is for metres: put it outside")
        }
      case .disparity:
        if done.contains(.depth) { throw nonsense("disparity comes after depth", "one pair of them is enough") }
        isDisparity = true
      case .depth:
        guard isDisparity else {
          throw nonsense("depth comes without disparity before it", "put disparity before it, or leave depth out")
        }
        isDisparity = false
      case .spatial, .temporal, .fill: break
      }
      if kind == .temporal && done.contains(.steady) || kind == .steady && done.contains(.temporal) {
        throw nonsense("both temporal and steady are there", "they do the same in different ways: leave one out")
      }
      // What fills all holes leaves nothing to those that ask where the holes are.
      let needsHoles: [DepthFilterKind] = [.edges, .temporal, .steady, .fill, .guided]
      if needsHoles.contains(kind), let before = done.first(where: { $0 == .fill || $0 == .guided }) {
        throw nonsense(
          "\(kind.rawValue) comes after \(before.rawValue)", "put \(kind.rawValue) before \(before.rawValue)")
      }
      if kind == .edges, let before = done.first(where: { [.spatial, .temporal, .steady].contains($0) }) {
        throw nonsense("edges comes after \(before.rawValue)", "smoothing hides edges: put edges before it")
      }
      if kind == .threshold, step.value(0) >= step.value(1) {
        throw nonsense(
          "threshold from \(step.value(0)) to \(step.value(1)) m leaves nothing", "give it as threshold:0.3:3")
      }
      done.append(kind)
    }
    if isDisparity { throw nonsense("disparity is not turned back", "put depth after what works on disparity") }
  }

  private func nonsense(_ reason: String, _ hint: String) -> BackdropError {
    BackdropError(
      .wrongArgument, "the depth filters '\(steps.map(\.description).joined(separator: ","))': \(reason)", hint: hint)
  }
}
