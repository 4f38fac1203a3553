/// Decodes values from JSON.
///
///     let look = try JSONReader.decode(Look.self, from: bytes)
///
/// It replaces Foundation's decoder: FoundationEssentials would double the size of `libbackdrop.so`. C libraries for JSON would still need
/// a complete `Decoder` around them.
package enum JSONReader {
  /// The value of a text.
  ///
  /// - Throws: `DecodingError.dataCorrupted`, with an empty path, for invalid JSON; errors of the type.
  package static func decode<Value: Decodable>(_ type: Value.Type, from bytes: [UInt8]) throws -> Value {
    let value: JSONValue
    do throws(JSONParser.Fault) {
      value = try JSONParser.value(of: bytes)
    } catch {
      throw DecodingError.dataCorrupted(
        .init(codingPath: [], debugDescription: "this is not JSON (\(error.message), at byte \(error.offset))"))
    }
    return try JSONValueDecoder(value: value, codingPath: []).value(as: type)
  }

  /// The value of a text; `failure` if it is none.
  package static func decode<Value: Decodable>(
    _ bytes: [UInt8], failure: @autoclosure () -> BackdropError
  ) throws(BackdropError) -> Value {
    do { return try decode(Value.self, from: bytes) } catch { throw failure() }
  }
}

private struct JSONValueDecoder: Decoder {
  let value: JSONValue
  let codingPath: [any CodingKey]
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    guard case .object(let values) = value else { throw mismatch([String: Any].self, "an object") }
    return KeyedDecodingContainer(Keyed<Key>(values: values, codingPath: codingPath))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    guard case .list(let values) = value else { throw mismatch([Any].self, "a list") }
    return Listed(values: values, codingPath: codingPath)
  }

  func singleValueContainer() throws -> any SingleValueDecodingContainer { Single(decoder: self) }

  func mismatch(_ type: any Any.Type, _ wanted: String) -> DecodingError {
    let context = DecodingError.Context(
      codingPath: codingPath, debugDescription: "expected \(wanted), found \(value.title)")
    if case .null = value { return .valueNotFound(type, context) }
    return .typeMismatch(type, context)
  }

  /// The value as a type: one of JSON's own, or one that decodes itself.
  func value<Value: Decodable>(as type: Value.Type) throws -> Value {
    let found: Any? =
      switch type {
      case is String.Type: try text()
      case is Bool.Type: try toggle()
      case let type as any LosslessNumber.Type: try number(as: type)
      default: nil
      }
    if let found = found as? Value { return found }
    return try Value(from: self)
  }

  private func text() throws -> String {
    guard case .text(let text) = value else { throw mismatch(String.self, "a text") }
    return text
  }

  private func toggle() throws -> Bool {
    guard case .toggle(let isOn) = value else { throw mismatch(Bool.self, "true or false") }
    return isOn
  }

  private func number<Number: LosslessNumber>(as type: Number.Type) throws -> Number {
    guard case .number(let digits) = value else { throw mismatch(type, "a number") }
    guard let number = Number(json: digits) else {
      throw DecodingError.dataCorrupted(
        .init(codingPath: codingPath, debugDescription: "the number \(digits.prefix(40)) does not fit"))
    }
    return number
  }

  private struct Single: SingleValueDecodingContainer {
    let decoder: JSONValueDecoder
    var codingPath: [any CodingKey] { decoder.codingPath }

    func decodeNil() -> Bool { if case .null = decoder.value { true } else { false } }
    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try decoder.value(as: type) }
  }

  private struct Keyed<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let values: [String: JSONValue]
    let codingPath: [any CodingKey]
    var allKeys: [Key] { values.keys.compactMap { Key(stringValue: $0) } }

    func contains(_ key: Key) -> Bool { values[key.stringValue] != nil }

    func decodeNil(forKey key: Key) throws -> Bool { if case .null = try decoder(key).value { true } else { false } }

    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
      try decoder(key).value(as: type)
    }

    func nestedContainer<Other: CodingKey>(
      keyedBy type: Other.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Other> { try decoder(key).container(keyedBy: type) }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
      try decoder(key).unkeyedContainer()
    }

    func superDecoder() throws -> any Decoder { JSONValueDecoder(value: .object(values), codingPath: codingPath) }
    func superDecoder(forKey key: Key) throws -> any Decoder { try decoder(key) }

    private func decoder(_ key: Key) throws -> JSONValueDecoder {
      guard let value = values[key.stringValue] else {
        throw DecodingError.keyNotFound(
          key, .init(codingPath: codingPath, debugDescription: "\"\(key.stringValue)\" is missing"))
      }
      return JSONValueDecoder(value: value, codingPath: codingPath + [key])
    }
  }

  private struct Listed: UnkeyedDecodingContainer {
    let values: [JSONValue]
    let codingPath: [any CodingKey]
    var currentIndex = 0
    var count: Int? { values.count }
    var isAtEnd: Bool { currentIndex >= values.count }

    mutating func decodeNil() throws -> Bool {
      guard case .null = try decoder(Never?.self).value else { return false }
      currentIndex += 1
      return true
    }

    mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
      try next(type) { try $0.value(as: type) }
    }

    mutating func nestedContainer<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
      try next([String: Any].self) { try $0.container(keyedBy: type) }
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
      try next([Any].self) { try $0.unkeyedContainer() }
    }

    mutating func superDecoder() throws -> any Decoder { try next(Never?.self) { $0 } }

    /// Goes on to the value after the next one, if `read` succeeds with that.
    private mutating func next<Value>(
      _ type: any Any.Type, _ read: (JSONValueDecoder) throws -> Value
    ) throws -> Value {
      let result = try read(decoder(type))
      currentIndex += 1
      return result
    }

    private func decoder(_ type: any Any.Type) throws -> JSONValueDecoder {
      let path = codingPath + [IndexKey(currentIndex)]
      guard !isAtEnd else {
        throw DecodingError.valueNotFound(type, .init(codingPath: path, debugDescription: "the list ends too early"))
      }
      return JSONValueDecoder(value: values[currentIndex], codingPath: path)
    }
  }
}

struct IndexKey: CodingKey {
  let intValue: Int?
  var stringValue: String { "Index \(intValue ?? 0)" }

  init(_ index: Int) { intValue = index }
  init?(intValue: Int) { self.intValue = intValue }
  init?(stringValue: String) { nil }
}

/// A number type that JSON's digits can represent.
private protocol LosslessNumber: Decodable {
  init?(json digits: String)
}

extension LosslessNumber where Self: FixedWidthInteger {
  init?(json digits: String) {
    if let number = Self(digits) {
      self = number
      return
    }
    // An integer may have a fraction of 0, or an exponent.
    guard let number = Double(digits), let whole = Self(exactly: number) else { return nil }
    self = whole
  }
}

extension LosslessNumber where Self: BinaryFloatingPoint & LosslessStringConvertible {
  init?(json digits: String) {
    guard let number = Self(digits), number.isFinite else { return nil }
    self = number
  }
}

extension Int: LosslessNumber {}
extension Int8: LosslessNumber {}
extension Int16: LosslessNumber {}
extension Int32: LosslessNumber {}
extension Int64: LosslessNumber {}
extension UInt: LosslessNumber {}
extension UInt8: LosslessNumber {}
extension UInt16: LosslessNumber {}
extension UInt32: LosslessNumber {}
extension UInt64: LosslessNumber {}
extension Double: LosslessNumber {}
extension Float: LosslessNumber {}
