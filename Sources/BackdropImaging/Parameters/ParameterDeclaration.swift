/// A parameter and the property that it sets.
///
/// Made by a function for each kind, one line each. A property that is not optional gives the default itself; one that is
/// `nil` until a person sets it needs a default, or words for what the engine then takes (`automatic`):
///
///     .number("refine", "How much the picture's edges decide", \.refinement, in: 0...1, default: 1).needing(.network)
package struct ParameterDeclaration<Root: Parameterized>: Sendable {
  /// A property that can be set: a ``ParameterConvertible`` type, or an optional one.
  package typealias Property<Storage> = any WritableKeyPath<Root, Storage> & Sendable

  /// The description.
  package private(set) var parameter: Parameter
  /// The condition for the parameter to have an effect.
  package private(set) var needs: [StreamFact] = []
  /// Its value; `nil` if it is not set.
  let read: @Sendable (Root) -> ParameterValue?
  /// Sets it to a checked value; `nil` clears an optional property.
  let write: Write

  typealias Write = @Sendable (inout Root, ParameterValue?) throws(BackdropError) -> Void

  /// A number; whole where the property is an `Int`.
  package static func number<Storage: ParameterStorage>(
    _ name: String, _ summary: String, _ property: Property<Storage>, in range: ClosedRange<Double>, unit: String = "",
    default value: Storage.Value? = nil, automatic: String? = nil
  ) -> Self where Storage.Value: ParameterNumber {
    let kind = Parameter.Kind.number(range, unit: unit, isWhole: Storage.Value.isWhole)
    return Self(name, summary, kind, property, value, automatic) { $0.number.flatMap(Storage.Value.init(exactly:)) }
  }

  /// A switch.
  package static func toggle<Storage: ParameterStorage>(
    _ name: String, _ summary: String, _ property: Property<Storage>, default value: Bool? = nil,
    automatic: String? = nil
  ) -> Self where Storage.Value == Bool {
    Self(name, summary, .toggle, property, value, automatic) { $0.isOn }
  }

  /// One of an enumeration's cases.
  package static func choice<Storage: ParameterStorage>(
    _ name: String, _ summary: String, _ property: Property<Storage>, default value: Storage.Value? = nil,
    automatic: String? = nil
  ) -> Self where Storage.Value: ParameterChoice {
    let choices = Storage.Value.allCases.map { Parameter.Choice($0.rawValue, $0.summary) }
    return Self(name, summary, .choice(choices), property, value, automatic) {
      $0.text.flatMap(Storage.Value.init(rawValue:))
    }
  }

  /// A colour.
  package static func color<Storage: ParameterStorage>(
    _ name: String, _ summary: String, _ property: Property<Storage>, default value: RGBColor? = nil,
    automatic: String? = nil
  ) -> Self where Storage.Value == RGBColor {
    Self(name, summary, .color, property, value, automatic) { $0.text.flatMap(RGBColor.init(text:)) }
  }

  /// The path of a file; `what` is in it, as in "a picture".
  package static func file<Storage: ParameterStorage>(
    _ name: String, _ summary: String, _ property: Property<Storage>, of what: String, default value: String? = nil,
    automatic: String? = nil
  ) -> Self where Storage.Value == String {
    Self(name, summary, .file(what), property, value, automatic) { $0.text }
  }

  /// A text, of the form of the property's type.
  package static func text<Storage: ParameterStorage>(
    _ name: String, _ summary: String, _ property: Property<Storage>, default value: Storage.Value? = nil,
    automatic: String? = nil
  ) -> Self where Storage.Value: ParameterText {
    Self(name, summary, .text(Storage.Value.form), property, value, automatic) { (value) throws(BackdropError) in
      try value.text.map { (text) throws(BackdropError) in try Storage.Value(parsing: text) }
    }
  }

  private init<Storage: ParameterStorage>(
    _ name: String, _ summary: String, _ kind: Parameter.Kind, _ property: Property<Storage>, _ value: Storage.Value?,
    _ automatic: String?, read convert: @escaping @Sendable (ParameterValue) throws(BackdropError) -> Storage.Value?
  ) {
    parameter = Parameter(name, summary, kind, default: value?.parameterValue, automatic: automatic)
    read = { $0[keyPath: property].parameterSetting?.parameterValue }
    write = { (root, value) throws(BackdropError) in
      let setting = if let value { try convert(value) } else { Storage.Value?.none }
      root[keyPath: property].parameterSetting = setting
    }
    takeDefault()
  }

  /// The values of a new instance, which the written ones override.
  private mutating func takeDefault() { parameter.default = read(Root()) ?? parameter.default }

  /// It has no effect unless all of this is so.
  package func needing(_ facts: StreamFact...) -> Self {
    var copy = self
    copy.needs += facts
    return copy
  }

  /// Its label, if its name in words will not do.
  package func titled(_ title: String) -> Self {
    var copy = self
    copy.parameter.title = title
    return copy
  }

  /// It is also shown there.
  package func shown(in places: Parameter.Place...) -> Self {
    var copy = self
    copy.parameter.places.formUnion(places)
    return copy
  }

  /// A live session takes it from its start on and cannot change it while it runs.
  package var fixedAtStart: Self {
    var copy = self
    copy.parameter.isFixedAtStart = true
    return copy
  }

  /// Its text is a list that may be given in pieces.
  package var repeatable: Self {
    var copy = self
    copy.parameter.isRepeatable = true
    return copy
  }

  /// The same in a group.
  func within(_ group: ParameterGroup) -> Self {
    var copy = self
    copy.parameter.group = group
    return copy
  }

  /// The same for a type of which `Root` is a part, whose defaults may be others.
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
    takeDefault()
  }
}
