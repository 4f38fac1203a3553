package protocol Parameterized: Sendable {
  /// An instance with every parameter at its default.
  init()
  /// The parameters, in the order to show them.
  static var parameters: ParameterTable<Self> { get }
}

/// The parameters of a type, each declared once. Flags, settings files, commands, sliders and documentation derive from it.
///
///     package static let parameters: ParameterTable<Self> = [
///       .edges: [
///         .number("refine", "How much the picture's edges decide", \.refinement, in: 0...1, default: 1),
///         .toggle("mirror", "Swap left and right", \.mirror),
///       ]
///     ]
package struct ParameterTable<Root: Parameterized>: Sendable {
  package let declarations: [ParameterDeclaration<Root>]

  private init(_ declarations: [ParameterDeclaration<Root>]) {
    self.declarations = declarations
    precondition(Set(parameters.map(\.name)).count == declarations.count, "two parameters of \(Root.self) share a name")
    precondition(
      parameters.allSatisfy { $0.default != nil || $0.automatic != nil },
      "a parameter of \(Root.self) has no default and is not automatic")
  }

  /// The descriptions, in order; as JSON, the input for pages and other languages.
  package var parameters: [Parameter] { declarations.map(\.parameter) }

  /// The reasons why a parameter can have no effect, as parts of a sentence, by the code of the missing fact.
  package var absences: [String: String] {
    Dictionary(declarations.flatMap(\.needs).map { ($0.rawValue, $0.absence) }) { $1 }
  }

  package subscript(_ name: String) -> Parameter? { parameters.first { $0.name == name } }

  /// The parameters of a part, as parameters of the whole.
  package func lifted<Whole: Parameterized>(
    to part: ParameterDeclaration<Whole>.Property<Root>
  ) -> ParameterTable<Whole> {
    ParameterTable<Whole>(declarations.map { $0.lifted(to: part) })
  }

  package func excluding(_ names: String...) -> Self {
    Self(declarations.filter { !names.contains($0.parameter.name) })
  }

  package static func + (first: Self, second: Self) -> Self { Self(first.declarations + second.declarations) }

  package func values(of root: Root) -> [String: ParameterValue] {
    var values: [String: ParameterValue] = [:]
    for declaration in declarations { values[declaration.parameter.name] = declaration.read(root) }
    return values
  }

  /// The names of values that differ from a new instance's.
  package func changed(in root: Root) -> Set<String> {
    let (usual, values) = (values(of: Root()), values(of: root))
    return Set(parameters.map(\.name).filter { values[$0] != usual[$0] })
  }

  /// Sets a parameter, that of a running live session if `isRunning`; `nil` resets it to its default.
  ///
  /// - Throws: `wrongArgument` for an unknown name, an invalid value, or a parameter that cannot change while running.
  package func set(
    _ name: String, to value: ParameterValue?, in root: inout Root, isRunning: Bool = false
  ) throws(BackdropError) {
    let declaration = try declaration(name)
    try value.map { (value) throws(BackdropError) in try declaration.parameter.check(value) }
    guard !isRunning || !declaration.parameter.isFixedAtStart else {
      throw BackdropError(
        .wrongArgument, "\(name) cannot be changed while a session runs",
        hint: "end the session, and start it with the new value")
    }
    try declaration.write(&root, value ?? declaration.read(Root()))
  }

  /// Sets a parameter from a text; see ``Parameter/value(parsing:)``. `nil` resets it to its default.
  package func set(_ name: String, parsing text: String?, in root: inout Root) throws(BackdropError) {
    let parameter = try declaration(name).parameter
    let value = try text.map { (text) throws(BackdropError) in try parameter.value(parsing: text) } ?? nil
    try set(name, to: value, in: &root)
  }

  package func check(_ root: Root) throws(BackdropError) {
    for declaration in declarations {
      if let value = declaration.read(root) { try declaration.parameter.check(value) }
    }
  }

  /// The parameters that have no effect under these facts, and the facts that they lack.
  package func inactive(where facts: Set<StreamFact>) -> [String: StreamFact] {
    var inactive: [String: StreamFact] = [:]
    for declaration in declarations {
      inactive[declaration.parameter.name] = declaration.needs.first { !facts.contains($0) }
    }
    return inactive
  }

  private func declaration(_ name: String) throws(BackdropError) -> ParameterDeclaration<Root> {
    if let found = declarations.first(where: { $0.parameter.name == name }) { return found }
    throw BackdropError(
      .wrongArgument, "there is no parameter '\(name)'", hint: .known(parameters.map(\.name), insteadOf: name))
  }
}

extension ParameterTable: ExpressibleByDictionaryLiteral {
  package init(dictionaryLiteral groups: (ParameterGroup, [ParameterDeclaration<Root>])...) {
    self.init(groups.flatMap { group, declarations in declarations.map { $0.within(group) } })
  }
}
