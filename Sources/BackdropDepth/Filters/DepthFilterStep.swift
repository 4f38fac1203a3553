import BackdropImaging

/// One filter of a ``DepthFilterChain`` with its settings.
public struct DepthFilterStep: Sendable, Equatable {
  /// Its kind.
  public let kind: DepthFilterKind
  private var values: [Double]

  /// A step with its kind's defaults.
  public init(_ kind: DepthFilterKind) {
    self.kind = kind
    values = kind.parameters.map(\.numbers.usual)
  }

  /// A step with some of its parameters set, by name.
  ///
  /// - Throws: `wrongArgument` for an unknown name or a value outside its range.
  public init(_ kind: DepthFilterKind, _ settings: [String: Double]) throws(BackdropError) {
    self.init(kind)
    for name in settings.keys.sorted() {
      if let value = settings[name] { try set(name, to: value) }
    }
  }

  /// The value of a parameter; `nil` for an unknown name.
  public subscript(_ name: String) -> Double? {
    kind.parameters.firstIndex { $0.name == name }.map { values[$0] }
  }

  func value(_ index: Int) -> Float { Float(values[index]) }

  func whole(_ index: Int) -> Int { Int(values[index]) }

  /// Sets a parameter.
  ///
  /// - Throws: `wrongArgument` for an unknown name or a value outside its range.
  public mutating func set(_ name: String, to value: Double) throws(BackdropError) {
    let parameters = kind.parameters
    guard let index = parameters.firstIndex(where: { $0.name == name }) else {
      let known = parameters.map(\.name).joined(separator: ", ")
      throw BackdropError(
        .wrongArgument, "the filter \(kind.rawValue) has no setting '\(name)'",
        hint: known.isEmpty ? "it has no settings" : "it has \(known)")
    }
    let (range, isWhole, _) = parameters[index].numbers
    // Written so that NaN also fails.
    guard range.contains(value) && !(isWhole && value != value.rounded()) else {
      throw BackdropError(
        .wrongArgument, "\(name) of the filter \(kind.rawValue) cannot be \(brief(value))",
        hint:
          "it is \(isWhole && parameters[index].range != nil ? "a whole number in " : "")\(parameters[index].allowed)")
    }
    values[index] = value
  }
}

extension DepthFilterStep: CustomStringConvertible {
  /// The step in a chain's text: the name, and values that differ from the defaults.
  public var description: String {
    let set = zip(kind.parameters, values).filter { $0.numbers.usual != $1 }
    return ([kind.rawValue] + set.map { "\($0.name)=\($0.text($1))" }).joined(separator: ":")
  }

  /// Reads `NAME`, `NAME:VALUE`, `NAME:PARAMETER=VALUE` or several of the latter two.
  init(parsing text: Substring) throws(BackdropError) {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false).map { $0.trimmed }
    let kind = try DepthFilterKind(known: parts[0], or: "there is no depth filter '\(parts[0].excerpt)'")
    self.init(kind)
    let parameters = kind.parameters
    var given: Set<String> = []
    for (index, part) in parts.dropFirst().enumerated() {
      let halves = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map { $0.trimmed }
      guard halves.count == 2 || index < parameters.count else {
        throw BackdropError(
          .wrongArgument, "the filter \(kind.rawValue) does not accept '\(part.excerpt)'",
          hint: parameters.isEmpty ? "it has no settings" : "it has \(parameters.map(\.name).joined(separator: ", "))")
      }
      let name = halves.count == 2 ? String(halves[0]) : parameters[index].name
      guard given.insert(name).inserted else {
        throw BackdropError(
          .wrongArgument, "the filter \(kind.rawValue) has '\(name.excerpt)' twice", hint: "give it once")
      }
      let text = halves[halves.count - 1]
      let choices = parameters.first { $0.name == name }?.choiceNames ?? []
      guard let value = choices.firstIndex(of: String(text)).map(Double.init) ?? Double(text) else {
        throw BackdropError(
          .wrongArgument, "\(name.excerpt) of the filter \(kind.rawValue) cannot be '\(text.excerpt)'",
          hint: choices.isEmpty
            ? "give a number, such as \(kind.rawValue):\(name.excerpt)=1" : "it is \(choices.joined(separator: ", "))")
      }
      try set(name, to: value)
    }
  }
}

extension Parameter {
  fileprivate var choiceNames: [String] {
    if case .choice(let choices) = kind { choices.map(\.name) } else { [] }
  }

  /// The numeric form of a step's value: choices count from 0.
  fileprivate var numbers: (range: ClosedRange<Double>, isWhole: Bool, usual: Double) {
    switch (kind, `default`) {
    case (.number(let range, _, let isWhole), .number(let number)): (range, isWhole, number)
    case (.choice(let choices), .text(let name)):
      (0...Double(choices.count - 1), true, Double(choices.firstIndex { $0.name == name } ?? 0))
    default: preconditionFailure("the filters have numbers and choices only")
    }
  }

  fileprivate func text(_ value: Double) -> String {
    choiceNames.isEmpty ? brief(value) : choiceNames[Int(value)]
  }
}

extension StringProtocol {
  /// The text on one line of at most 40 characters, for messages.
  fileprivate var excerpt: String {
    let text = String(map { $0.isNewline ? " " : $0 })
    return text.count <= 40 ? text : text.prefix(40) + "…"
  }
}
