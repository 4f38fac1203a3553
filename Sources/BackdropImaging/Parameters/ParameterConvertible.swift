package protocol ParameterConvertible: ParameterStorage where Value == Self {
  var parameterValue: ParameterValue { get }
}

/// The type of a property that a parameter can set: a ``ParameterConvertible`` type, or an optional one, which is `nil`
/// while the parameter is not set.
package protocol ParameterStorage: Sendable {
  /// The type without the optional.
  associatedtype Value: ParameterConvertible
  /// The value, if one is set; a property that is not optional keeps its value when this is set to `nil`.
  var parameterSetting: Value? { get set }
}

extension ParameterConvertible {
  package var parameterSetting: Self? {
    get { self }
    set { self = newValue ?? self }
  }
}

extension Optional: ParameterStorage where Wrapped: ParameterConvertible {
  package var parameterSetting: Wrapped? {
    get { self }
    set { self = newValue }
  }
}

extension Bool: ParameterConvertible {
  package var parameterValue: ParameterValue { .toggle(self) }
}

extension RGBColor: ParameterConvertible {
  package var parameterValue: ParameterValue { .text(hex) }
}

package protocol ParameterNumber: ParameterConvertible {
  static var isWhole: Bool { get }
  /// The same number; `nil` if the type cannot represent it.
  init?(exactly number: Double)
}

extension Double: ParameterNumber {
  package static var isWhole: Bool { false }
  package var parameterValue: ParameterValue { .number(self) }
}

extension Int: ParameterNumber {
  package static var isWhole: Bool { true }
  package var parameterValue: ParameterValue { .number(Double(self)) }
}

/// An enumeration whose cases the user chooses by name.
package protocol ParameterChoice: ParameterConvertible, CaseIterable, RawRepresentable<String> {
  var summary: String { get }
}

extension ParameterChoice {
  package var parameterValue: ParameterValue { .text(rawValue) }
}

/// A type with a text form, such as a size as `1280x720`.
package protocol ParameterText: ParameterConvertible, CustomStringConvertible {
  /// Its notation, such as `WIDTHxHEIGHT`; empty if that does not matter.
  static var form: String { get }
  /// Reads the form of ``CustomStringConvertible/description``, and other texts with the same meaning.
  ///
  /// - Throws: `wrongArgument` for another text.
  init(parsing text: String) throws(BackdropError)
}

extension ParameterText {
  package var parameterValue: ParameterValue { .text(description) }
}

extension String: ParameterText {
  package static var form: String { "" }
  package init(parsing text: String) { self = text }
}
