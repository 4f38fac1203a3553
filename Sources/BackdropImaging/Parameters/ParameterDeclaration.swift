/// A parameter and the property that it sets.
///
/// Each kind has a factory function. A property that is not optional provides the default itself. One that is `nil` until the user sets it
/// needs a default, or words for the engine's choice (`automatic`):
///
///     .number("refine", "How much the picture's edges decide", \.refinement, in: 0...1, default: 1).needing(.network)
package struct ParameterDeclaration<Root: Parameterized>: Sendable {
  /// A property that can be set: a ``ParameterConvertible`` type, or an optional one.
  package typealias Property<Storage> = any WritableKeyPath<Root, Storage> & Sendable

  package private(set) var parameter: Parameter
  /// The condition for the parameter to have an effect.
  package private(set) var needs: [StreamFact] = []
  /// Its value; `nil` if it is not set.
  let read: @Sendable (Root) -> ParameterValue?
  /// Sets it to a checked value; `nil` clears an optional property.
  let write: Write

  typealias Write = @Sendable (inout Root, ParameterValue?) throws(BackdropError) -> Void

  /// A number; whole if the property is an `Int`.
  package static func number<Storage: ParameterStorage>(
    _ name: String, _ summary: String, _ property: Property<Storage>, in range: ClosedRange<Double>, unit: String = "",
    default value: Storage.Value? = nil, automatic: String? = nil
  ) -> Self where Storage.Value: ParameterNumber {
    Self(
      name, summary, .number(range, unit: unit, isWhole: Storage.Value.isWhole), property, default: value,
      automatic: automatic
    ) { $0.number.flatMap(Storage.Value.init(exactly:)) }
  }

  package static func toggle<Storage: ParameterStorage>(
    _ name: String, _ summary: String, _ property: Property<Storage>, automatic: String? = nil
  ) -> Self where Storage.Value == Bool {
    Self(name, summary, .toggle, property, automatic: automatic) { $0.isOn }
  }

  package static func choice<Storage: ParameterStorage>(
    _ name: String, _ summary: String, _ property: Property<Storage>, default value: Storage.Value? = nil,
    automatic: String? = nil
  ) -> Self where Storage.Value: ParameterChoice {
    let choices = Storage.Value.allCases.map { Parameter.Choice($0.rawValue, $0.summary) }
    return Self(name, summary, .choice(choices), property, default: value, automatic: automatic) {
      $0.text.flatMap(Storage.Value.init(rawValue:))
    }
  }

  package static func color<Storage: ParameterStorage>(
    _ name: String, _ summary: String, _ property: Property<Storage>, automatic: String? = nil
  ) -> Self where Storage.Value == RGBColor {
    Self(name, summary, .color, property, automatic: automatic) { $0.text.flatMap(RGBColor.init(text:)) }
  }

  /// The path of a file; `what` describes its contents, such as "a picture".
  package static func file<Storage: ParameterStorage>(
    _ name: String, _ summary: String, _ property: Property<Storage>, of what: String, automatic: String? = nil
  ) -> Self where Storage.Value == String {
    Self(name, summary, .file(what), property, automatic: automatic) { $0.text }
  }

  /// A text in the notation of the property's type.
  package static func text<Storage: ParameterStorage>(
    _ name: String, _ summary: String, _ property: Property<Storage>, automatic: String? = nil
  ) -> Self where Storage.Value: ParameterText {
    Self(name, summary, .text(Storage.Value.form), property, automatic: automatic) { (value) throws(BackdropError) in
      try value.text.map { (text) throws(BackdropError) in try Storage.Value(parsing: text) }
    }
  }

  private init<Storage: ParameterStorage>(
    _ name: String, _ summary: String, _ kind: Parameter.Kind, _ property: Property<Storage>,
    default value: Storage.Value? = nil, automatic: String?,
    read convert: @escaping @Sendable (ParameterValue) throws(BackdropError) -> Storage.Value?
  ) {
    parameter = Parameter(name, summary, kind, default: value?.parameterValue, automatic: automatic)
    read = { $0[keyPath: property].parameterSetting?.parameterValue }
    write = { (root, value) throws(BackdropError) in
      let setting = if let value { try convert(value) } else { Storage.Value?.none }
      root[keyPath: property].parameterSetting = setting
    }
    readDefault()
  }

  /// Takes the default from a new instance, which overrides a declared one.
  private mutating func readDefault() { parameter.default = read(Root()) ?? parameter.default }

  private func with(_ change: (inout Self) -> Void) -> Self {
    var copy = self
    change(&copy)
    return copy
  }

  /// A copy that has no effect unless all of these facts hold.
  package func needing(_ facts: StreamFact...) -> Self { with { $0.needs += facts } }

  /// A copy with another label, for names that are unsuitable in words.
  package func titled(_ title: String) -> Self { with { $0.parameter.title = title } }

  package func shown(in places: Parameter.Place...) -> Self { with { $0.parameter.places.formUnion(places) } }

  /// A copy that a live session uses from its start and cannot change later.
  package var fixedAtStart: Self { with { $0.parameter.isFixedAtStart = true } }

  /// A copy whose text is a list that can be given in pieces.
  package var repeatable: Self { with { $0.parameter.isRepeatable = true } }

  func within(_ group: ParameterGroup) -> Self { with { $0.parameter.group = group } }

  /// The same for a type that contains `Root`, with possibly different defaults.
  func lifted<Whole: Parameterized>(
    to part: ParameterDeclaration<Whole>.Property<Root>
  ) -> ParameterDeclaration<Whole> {
    ParameterDeclaration<Whole>(
      parameter, needs, read: { read($0[keyPath: part]) },
      write: { (whole, value) throws(BackdropError) in try write(&whole[keyPath: part], value) })
  }

  private init(
    _ parameter: Parameter, _ needs: [StreamFact], read: @escaping @Sendable (Root) -> ParameterValue?,
    write: @escaping Write
  ) {
    (self.parameter, self.needs, self.read, self.write) = (parameter, needs, read, write)
    readDefault()
  }
}
