extension ProbabilityMap {
  /// Limits each sample to the range of other maps of the same size; nothing changes without any.
  mutating func limit(to bounds: [ProbabilityMap]) {
    precondition(bounds.allSatisfy { $0.width == width && $0.height == height }, "maps of other sizes")
    guard let first = bounds.first else { return }
    for i in values.indices {
      var (low, high) = (first.values[i], first.values[i])
      for map in bounds.dropFirst() { (low, high) = (min(low, map.values[i]), max(high, map.values[i])) }
      values[i] = min(max(values[i], low), high)
    }
  }

  /// The intersection over union of the people in this map and another of its size, 0…1; 0 if both are empty.
  func agreement(with other: ProbabilityMap) -> Double {
    var (both, either) = (0, 0)
    for i in values.indices {
      let (mine, its) = (values[i] > 0.5, other.values[i] > 0.5)
      if mine && its { both += 1 }
      if mine || its { either += 1 }
    }
    return either == 0 ? 0 : Double(both) / Double(either)
  }
}
