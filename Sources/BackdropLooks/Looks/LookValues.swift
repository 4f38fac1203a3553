import BackdropImaging
import BackdropMatting

/// The values of one look's parameters.
public struct LookValues: Sendable, Equatable {
  private var values: [String: Double]
  /// Parameters without a given value that follow the scene.
  private var following: [String: Follower]

  struct Follower: Sendable, Equatable {
    let source: Parameter.Automatic
    let range: ClosedRange<Double>
  }

  /// The value of a parameter, or the number itself.
  public subscript(_ value: LookNumber) -> Double {
    switch value {
    case .fixed(let number): number
    // A look is checked before it gets settings: every name it uses is one of its parameters.
    case .parameter(let name): values[name]!
    }
  }

  func has(_ name: String) -> Bool { values[name] != nil }

  fileprivate init(_ values: [String: Double], following: [String: Follower]) {
    (self.values, self.following) = (values, following)
  }

  /// Whether each scene must provide a value from this source.
  public func follows(_ source: Parameter.Automatic) -> Bool { following.values.contains { $0.source == source } }

  func follows(_ source: Parameter.Automatic, for number: LookNumber) -> Bool {
    guard case .parameter(let name) = number else { return false }
    return following[name]?.source == source
  }

  /// The same with `value` for each parameter that follows the scene from `source`, limited to the parameter's range.
  public func following(_ source: Parameter.Automatic, at value: Double) -> LookValues {
    var result = self
    for (name, follower) in following where follower.source == source {
      result.values[name] = min(max(value, follower.range.lowerBound), follower.range.upperBound)
    }
    return result
  }
}

extension Look {
  /// The values for given settings, with the other parameters at their defaults.
  ///
  /// - Throws: `wrongArgument` for a name that the look does not have, or a value out of range; `badData` if the look is inconsistent (see
  ///   ``check()``).
  public func settings(_ given: [String: Double] = [:]) throws(BackdropError) -> LookValues {
    try check()
    var values: [String: Double] = [:]
    for parameter in parameters { values[parameter.name] = parameter.default?.number }
    for (name, value) in given.sorted(by: { $0.key < $1.key }) {
      guard let parameter = parameter(name) else {
        let known = parameters.map(\.name).joined(separator: ", ")
        throw BackdropError(
          .wrongArgument, "the look '\(id)' has no parameter '\(name)'",
          hint: known.isEmpty ? "it has no parameters" : "it has: \(known)")
      }
      try parameter.check(.number(value))
      values[name] = value
    }
    var following: [String: LookValues.Follower] = [:]
    for parameter in parameters where given[parameter.name] == nil {
      guard let source = parameter.source, let range = parameter.range else { continue }
      following[parameter.name] = LookValues.Follower(source: source, range: range)
    }
    return LookValues(values, following: following)
  }

  /// The matte recipe with these settings, which must be this look's own; looks with another kind of matte have the
  /// default one.
  public func recipe(_ settings: LookValues) -> DepthMatteRecipe {
    guard case .depth(let cutoff, let margin, let sigma, let gamma) = matte else { return DepthMatteRecipe() }
    return DepthMatteRecipe(
      cutoffMetres: settings[cutoff], marginMetres: settings[margin], sigma: settings[sigma], gamma: settings[gamma])
  }

  /// Whether recognized people keep the picture's edges: neither radius nor gamma is given, and the look sets neither.
  public func keepsMatteEdges(_ settings: LookValues) -> Bool {
    guard case .depth(_, _, let sigma, let gamma) = matte else { return true }
    return [sigma, gamma].allSatisfy { settings.follows(.edges, for: $0) }
  }

  /// Checks that the look is consistent.
  ///
  /// - Throws: `badData` with the error: no layers, a first layer that does not cover everything, a parameter that is used but not
  ///   described, described twice, or with a default outside its range.
  public func check() throws(BackdropError) {
    func bad(_ what: String) -> BackdropError {
      BackdropError(.badData, "the look '\(id)' \(what)", hint: .compareLook)
    }
    guard let first = layers.first else { throw bad("has no layers") }
    guard first.through == .everything else { throw bad("has a lowest layer that does not cover everything") }
    guard layers.count <= 16 else { throw bad("has \(layers.count) layers; at most 16 are possible") }
    for layer in layers {
      guard layer.grade.count <= 16 else {
        throw bad("has \(layer.grade.count) steps in a grade; at most 16 are possible")
      }
      if case .lens = layer.blur {
        guard case .focus = matte else { throw bad("blurs like a lens but has no matte by focus") }
      }
      if case .sideBySide = layer.view {
        guard layers.count == 1 else { throw bad("puts views side by side and has other layers too") }
      }
      if layer.transform != nil && layer.through != .matte {
        throw bad("moves a layer that does not cover through the matte")
      }
    }
    var names: Set<String> = []
    for parameter in parameters {
      guard names.insert(parameter.name).inserted else { throw bad("describes '\(parameter.name)' twice") }
      guard let range = parameter.range, let number = parameter.default?.number else {
        throw bad("describes '\(parameter.name)' without a range and a number as its default")
      }
      guard range.contains(number) else {
        throw bad("has a default of '\(parameter.name)' that is out of its range")
      }
      guard parameter.automatic == nil || parameter.source != nil else {
        throw bad("has an automatic value of '\(parameter.name)' that is not subject, separation, edges or behind")
      }
    }
    if let motion {
      guard names.contains(motion.parameter) else {
        throw bad("moves '\(motion.parameter)' but does not describe that parameter")
      }
      guard motion.seconds >= 0.1 && motion.seconds <= 60 else {
        throw bad("moves for \(brief(motion.seconds)) s; 0.1…60 are possible")
      }
    }
    for value in usedRanges.map(\.0) {
      switch value {
      case .fixed(let number) where !number.isFinite: throw bad("holds a number that is not finite")
      case .parameter(let name) where !names.contains(name):
        throw bad("uses '$\(name)' but does not describe that parameter")
      case .fixed, .parameter: break
      }
    }
    for (value, range, what) in usedRanges {
      let ends: [Double] =
        switch value {
        case .fixed(let number): [number]
        case .parameter(let name):
          parameters.filter { $0.name == name }.compactMap(\.range).flatMap { [$0.lowerBound, $0.upperBound] }
        }
      for end in ends where !range.contains(end) {
        throw bad("lets \(what) be \(brief(end)); it must be in \(brief(range.lowerBound))…\(brief(range.upperBound))")
      }
    }
  }
}
