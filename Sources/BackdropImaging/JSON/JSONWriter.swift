/// Encodes values as JSON, with sorted keys, so that equal values give equal texts.
///
///     let bytes = try JSONWriter(isPretty: true).encode(settings)
package struct JSONWriter {
  /// The handling of numbers that JSON cannot represent.
  package enum NotFinite: Sendable {
    /// Throws an error for them.
    case refused
    case texts(infinity: String, nan: String)
  }

  /// Whether each value goes on a separate line.
  package var isPretty: Bool
  package var notFinite: NotFinite
  package var userInfo: [CodingUserInfoKey: Any] = [:]

  package init(isPretty: Bool = false, notFinite: NotFinite = .refused) {
    (self.isPretty, self.notFinite) = (isPretty, notFinite)
  }

  /// The value as a text.
  ///
  /// - Throws: `EncodingError.invalidValue` for numbers that are not finite, if those are refused; errors of the type.
  package func encode(_ value: some Encodable) throws -> [UInt8] {
    let box = JSONBox()
    try JSONBoxEncoder(box: box, codingPath: [], writer: self).encode(value)
    var text: [UInt8] = []
    write(box.value, indent: 0, to: &text)
    return text
  }

  private func write(_ value: JSONBox.Value, indent: Int, to text: inout [UInt8]) {
    switch value {
    case .nothing: text += Array("null".utf8)
    case .word(let word): text += Array(word.utf8)
    case .text(let string): write(string, to: &text)
    case .list(let values):
      write(("[", "]"), values.count, indent, to: &text) { write(values[$0].value, indent: indent + 1, to: &$1) }
    case .object(let values):
      let keys = values.keys.sorted()
      write(("{", "}"), keys.count, indent, to: &text) { index, text in
        write(keys[index], to: &text)
        text += Array((isPretty ? " : " : ":").utf8)
        write(values[keys[index]]?.value ?? .nothing, indent: indent + 1, to: &text)
      }
    }
  }

  private func write(
    _ brackets: (open: Unicode.Scalar, close: Unicode.Scalar), _ count: Int, _ indent: Int, to text: inout [UInt8],
    _ element: (Int, inout [UInt8]) -> Void
  ) {
    func newLine(_ indent: Int) { if isPretty { text += [10] + [UInt8](repeating: 0x20, count: 2 * indent) } }
    text.append(UInt8(ascii: brackets.open))
    for index in 0..<count {
      if index > 0 { text.append(UInt8(ascii: ",")) }
      newLine(indent + 1)
      element(index, &text)
    }
    if count > 0 { newLine(indent) }
    text.append(UInt8(ascii: brackets.close))
  }

  private func write(_ string: String, to text: inout [UInt8]) {
    text.append(UInt8(ascii: "\""))
    for byte in string.utf8 {
      switch byte {
      case UInt8(ascii: "\""): text += Array(#"\""#.utf8)
      case UInt8(ascii: "\\"): text += Array(#"\\"#.utf8)
      case 8: text += Array(#"\b"#.utf8)
      case 9: text += Array(#"\t"#.utf8)
      case 10: text += Array(#"\n"#.utf8)
      case 12: text += Array(#"\f"#.utf8)
      case 13: text += Array(#"\r"#.utf8)
      case 0..<0x20: text += Array((#"\u00"# + (byte < 16 ? "0" : "") + String(byte, radix: 16)).utf8)
      default: text.append(byte)
      }
    }
    text.append(UInt8(ascii: "\""))
  }
}

/// A value during encoding; containers fill in its parts.
private final class JSONBox {
  enum Value {
    case nothing
    /// A number, `true` or `false`.
    case word(String)
    case text(String)
    case list([JSONBox])
    case object([String: JSONBox])
  }

  var value = Value.nothing
}

private struct JSONBoxEncoder: Encoder {
  let box: JSONBox
  let codingPath: [any CodingKey]
  let writer: JSONWriter
  var userInfo: [CodingUserInfoKey: Any] { writer.userInfo }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    if case .object = box.value {} else { box.value = .object([:]) }
    return KeyedEncodingContainer(Keyed<Key>(encoder: self))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    if case .list = box.value {} else { box.value = .list([]) }
    return Listed(encoder: self)
  }

  func singleValueContainer() -> any SingleValueEncodingContainer { Single(encoder: self) }

  /// Puts a value into the box: one of JSON's own, or one that encodes itself.
  func encode(_ value: some Encodable) throws {
    switch value {
    case let text as String: box.value = .text(text)
    case let isOn as Bool: box.value = .word(isOn ? "true" : "false")
    case let number as any FixedWidthInteger & Encodable: box.value = .word("\(number)")
    case let number as Double: box.value = try written(number)
    case let number as Float: box.value = try written(number)
    default: try value.encode(to: self)
    }
  }

  private func written(_ number: some BinaryFloatingPoint & CustomStringConvertible) throws -> JSONBox.Value {
    guard !number.isFinite else {
      let digits = number.description
      return .word(digits.hasSuffix(".0") ? String(digits.dropLast(2)) : digits)
    }
    guard case .texts(let infinity, let nan) = writer.notFinite else {
      throw EncodingError.invalidValue(
        number, .init(codingPath: codingPath, debugDescription: "JSON cannot hold the number \(number)"))
    }
    return .text(number.isNaN ? nan : number < 0 ? "-" + infinity : infinity)
  }

  func at(_ key: any CodingKey, _ box: JSONBox) -> JSONBoxEncoder {
    JSONBoxEncoder(box: box, codingPath: codingPath + [key], writer: writer)
  }

  private struct Single: SingleValueEncodingContainer {
    let encoder: JSONBoxEncoder
    var codingPath: [any CodingKey] { encoder.codingPath }

    func encodeNil() { encoder.box.value = .nothing }
    func encode(_ value: some Encodable) throws { try encoder.encode(value) }
  }

  private struct Keyed<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let encoder: JSONBoxEncoder
    var codingPath: [any CodingKey] { encoder.codingPath }

    func encodeNil(forKey key: Key) { _ = part(key) }
    func encode(_ value: some Encodable, forKey key: Key) throws { try part(key).encode(value) }

    func nestedContainer<Other: CodingKey>(
      keyedBy type: Other.Type, forKey key: Key
    ) -> KeyedEncodingContainer<Other> { part(key).container(keyedBy: type) }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer { part(key).unkeyedContainer() }
    func superEncoder() -> any Encoder { encoder }
    func superEncoder(forKey key: Key) -> any Encoder { part(key) }

    private func part(_ key: Key) -> JSONBoxEncoder {
      let part = JSONBox()
      if case .object(var parts) = encoder.box.value {
        encoder.box.value = .nothing
        parts[key.stringValue] = part
        encoder.box.value = .object(parts)
      }
      return encoder.at(key, part)
    }
  }

  private struct Listed: UnkeyedEncodingContainer {
    let encoder: JSONBoxEncoder
    var codingPath: [any CodingKey] { encoder.codingPath }
    var count: Int { if case .list(let parts) = encoder.box.value { parts.count } else { 0 } }

    func encodeNil() { _ = part() }
    func encode(_ value: some Encodable) throws { try part().encode(value) }

    func nestedContainer<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
      part().container(keyedBy: type)
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { part().unkeyedContainer() }
    func superEncoder() -> any Encoder { part() }

    private func part() -> JSONBoxEncoder {
      let (part, index) = (JSONBox(), count)
      if case .list(var parts) = encoder.box.value {
        encoder.box.value = .nothing
        parts.append(part)
        encoder.box.value = .list(parts)
      }
      return encoder.at(IndexKey(index), part)
    }
  }
}
