/// The value of a JSON text (RFC 8259).
enum JSONValue {
  case null
  case toggle(Bool)
  /// In its original digits, so that none is lost.
  case number(String)
  case text(String)
  case list([JSONValue])
  case object([String: JSONValue])

  /// Its kind, for messages.
  var title: String {
    switch self {
    case .null: "null"
    case .toggle: "true or false"
    case .number: "a number"
    case .text: "a text"
    case .list: "a list"
    case .object: "an object"
    }
  }
}

/// Reads JSON texts: UTF-8, one value, with only whitespace around it. If a key repeats, the last value counts.
struct JSONParser {
  struct Fault: Error, Equatable {
    var message: String
    /// The offset of the faulty byte.
    var offset: Int
  }

  /// The maximum nesting of lists and objects; deeper ones are refused before the stack overflows.
  static let maximumDepth = 512

  private let bytes: [UInt8]
  private var offset = 0

  /// The value of a text.
  ///
  /// - Throws: ``Fault`` for invalid JSON.
  static func value(of bytes: [UInt8]) throws(Fault) -> JSONValue {
    var parser = JSONParser(bytes: bytes)
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { parser.offset = 3 }
    let value = try parser.value(depth: 0)
    parser.skipBlanks()
    guard parser.offset == bytes.count else { throw parser.fault("text follows the end") }
    return value
  }

  private init(bytes: [UInt8]) { self.bytes = bytes }

  private func fault(_ message: String) -> Fault { Fault(message: message, offset: offset) }

  private var next: UInt8? { offset < bytes.count ? bytes[offset] : nil }

  private mutating func skipBlanks() {
    while let byte = next, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { offset += 1 }
  }

  /// Skips a byte if it comes next.
  private mutating func consume(_ byte: Unicode.Scalar) -> Bool {
    guard next == UInt8(ascii: byte) else { return false }
    offset += 1
    return true
  }

  private mutating func value(depth: Int) throws(Fault) -> JSONValue {
    guard depth < Self.maximumDepth else { throw fault("it has more than \(Self.maximumDepth) levels") }
    skipBlanks()
    guard let byte = next else { throw fault("the text ends too early") }
    switch byte {
    case UInt8(ascii: "{"): return try object(depth)
    case UInt8(ascii: "["): return try list(depth)
    case UInt8(ascii: "\""): return .text(try text())
    case UInt8(ascii: "t"): return try word("true", .toggle(true))
    case UInt8(ascii: "f"): return try word("false", .toggle(false))
    case UInt8(ascii: "n"): return try word("null", .null)
    default: return try number()
    }
  }

  private mutating func word(_ word: StaticString, _ value: JSONValue) throws(Fault) -> JSONValue {
    let isThere = word.withUTF8Buffer { bytes[offset...].starts(with: $0) }
    guard isThere else { throw fault("unknown word") }
    offset += word.utf8CodeUnitCount
    return value
  }

  private mutating func object(_ depth: Int) throws(Fault) -> JSONValue {
    var result: [String: JSONValue] = [:]
    offset += 1
    skipBlanks()
    if consume("}") { return .object(result) }
    while true {
      skipBlanks()
      guard next == UInt8(ascii: "\"") else { throw fault("a key is missing") }
      let key = try text()
      skipBlanks()
      guard consume(":") else { throw fault("a colon is missing") }
      result[key] = try value(depth: depth + 1)
      skipBlanks()
      if consume("}") { return .object(result) }
      guard consume(",") else { throw fault("a comma or a brace is missing") }
    }
  }

  private mutating func list(_ depth: Int) throws(Fault) -> JSONValue {
    var result: [JSONValue] = []
    offset += 1
    skipBlanks()
    if consume("]") { return .list(result) }
    while true {
      result.append(try value(depth: depth + 1))
      skipBlanks()
      if consume("]") { return .list(result) }
      guard consume(",") else { throw fault("a comma or a bracket is missing") }
    }
  }

  private mutating func number() throws(Fault) -> JSONValue {
    let start = offset
    func isDigit(_ byte: UInt8?) -> Bool { byte.map { $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") } ?? false }
    func digits(_ parser: inout JSONParser) throws(Fault) {
      guard isDigit(parser.next) else { throw parser.fault("a value is missing") }
      while isDigit(parser.next) { parser.offset += 1 }
    }
    _ = consume("-")
    if !consume("0") { try digits(&self) }
    if consume(".") { try digits(&self) }
    if consume("e") || consume("E") {
      if !consume("+") { _ = consume("-") }
      try digits(&self)
    }
    return .number(String(decoding: bytes[start..<offset], as: UTF8.self))
  }

  private mutating func text() throws(Fault) -> String {
    offset += 1
    var units: [UInt8] = []
    while let byte = next {
      switch byte {
      case UInt8(ascii: "\""):
        guard let text = String(validating: units, as: UTF8.self) else { throw fault("a string is not UTF-8") }
        offset += 1
        return text
      case UInt8(ascii: "\\"):
        offset += 1
        units += Array(String(try escaped()).utf8)
      case 0..<0x20: throw fault("a string contains a control character")
      default:
        units.append(byte)
        offset += 1
      }
    }
    throw fault("a string does not end")
  }

  private mutating func escaped() throws(Fault) -> Unicode.Scalar {
    guard let byte = next else { throw fault("a string does not end") }
    offset += 1
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(byte)
    case UInt8(ascii: "b"): return "\u{8}"
    case UInt8(ascii: "f"): return "\u{C}"
    case UInt8(ascii: "n"): return "\n"
    case UInt8(ascii: "r"): return "\r"
    case UInt8(ascii: "t"): return "\t"
    case UInt8(ascii: "u"):
      var code = try hexadecimal()
      // A character beyond the first plane comes in two halves.
      if (0xD800..<0xDC00).contains(code), consume("\\"), consume("u") {
        let second = try hexadecimal()
        if (0xDC00..<0xE000).contains(second) { code = 0x10000 + (code - 0xD800) << 10 + (second - 0xDC00) }
      }
      guard let scalar = Unicode.Scalar(code) else { throw fault("an escape holds half a character") }
      return scalar
    default: throw fault("unknown escape")
    }
  }

  private mutating func hexadecimal() throws(Fault) -> UInt32 {
    guard offset + 4 <= bytes.count else { throw fault("a string does not end") }
    var result: UInt32 = 0
    for byte in bytes[offset..<offset + 4] {
      guard let digit = byte.hexDigit else { throw fault("an escape needs four hexadecimal digits") }
      result = result << 4 | UInt32(digit)
    }
    offset += 4
    return result
  }
}
