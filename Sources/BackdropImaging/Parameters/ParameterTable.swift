/// A type that declares what can be set of it.
package protocol Parameterized: Sendable {
  /// Everything at its default.
  init()
  /// The parameters, in the order to show them.
  static var parameters: ParameterTable<Self> { get }
}

/// Everything that can be set of a type, each declared once: flags, settings files, commands, sliders and documentation are
/// made from it.
///
///     package static let parameters: ParameterTable<Self> = [
///       .edges: [
///         .number("refine", "How much the picture's edges decide", \.refinement, in: 0...1, default: 1),
///         .toggle("mirror", "Swap left and right", \.mirror),
///       ]
///     ]
package struct ParameterTable<Root: Parameterized>: Sendable {
  /// The declarations, in order.
  package let declarations: [ParameterDeclaration<Root>]

  private init(_ declarations: [ParameterDeclaration<Root>]) {
    self.declarations = declarations
    precondition(Set(parameters.map(\.name)).count == declarations.count, "two parameters of \(Root.self) share a name")
    precondition(
      parameters.allSatisfy { $0.default != nil || $0.automatic != nil },
      "a parameter of \(Root.self) has no default and is not automatic")
  }

  /// The descriptions, in order: as JSON what pages and other languages need to know.
  package var parameters: [Parameter] { declarations.map(\.parameter) }

  /// The description of that name; `nil` if there is none.
  package subscript(_ name: String) -> Parameter? { parameters.first { $0.name == name } }

  /// Those of a part of a whole, as the whole's.
  package func lifted<Whole: Parameterized>(
    to part: ParameterDeclaration<Whole>.Property<Root>
  ) -> ParameterTable<Whole> {
    ParameterTable<Whole>(declarations.map { $0.lifted(to: part) })
  }

  /// The others.
  package func excluding(_ names: String...) -> Self {
    Self(declarations.filter { !names.contains($0.parameter.name) })
  }

  /// All of both.
  package static func + (first: Self, second: Self) -> Self { Self(first.declarations + second.declarations) }

  /// The set values, by name.
  package func values(of root: Root) -> [String: ParameterValue] {
    var values: [String: ParameterValue] = [:]
    for declaration in declarations { values[declaration.parameter.name] = declaration.read(root) }
    return values
  }

  /// Names of what is set to something else than a new value has.
  package func changed(in root: Root) -> Set<String> {
    let (usual, values) = (values(of: Root()), values(of: root))
    return Set(parameters.map(\.name).filter { values[$0] != usual[$0] })
  }

  /// Sets a parameter; `nil` puts it back to its default.
  ///
  /// - Parameter isRunning: whether it is of a live session that runs.
  /// - Throws: `wrongArgument` for a name that there is not, a value that the parameter does not take, or one that cannot
  ///   be changed now.
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

  /// Sets a parameter to what a text says; see ``Parameter/value(parsing:)``. `nil` puts it back to its default.
  package func set(_ name: String, parsing text: String?, in root: inout Root) throws(BackdropError) {
    let parameter = try declaration(name).parameter
    let value = try text.map { (text) throws(BackdropError) in try parameter.value(parsing: text) } ?? nil
    try set(name, to: value, in: &root)
  }

  /// Whether everything is set to what it can be.
  package func check(_ root: Root) throws(BackdropError) {
    for declaration in declarations {
      if let value = declaration.read(root) { try declaration.parameter.check(value) }
    }
  }

  /// The parameters that have no effect where this is so, and what they lack.
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
  /// The declarations by group, in the order in which they are written.
  package init(dictionaryLiteral groups: (ParameterGroup, [ParameterDeclaration<Root>])...) {
    self.init(groups.flatMap { group, declarations in declarations.map { $0.within(group) } })
  }
}
