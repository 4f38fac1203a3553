import BackdropImaging

/// A value of a property list in XML (Apple's PropertyList-1.0.dtd), the form of usbmuxd's messages.
enum PropertyList: Sendable, Equatable {
  case dictionary([String: PropertyList])
  case array([PropertyList])
  case string(String)
  case integer(Int)
  case boolean(Bool)
  /// A date, data or a fraction: nothing here needs them.
  case other

  /// Reads a whole list.
  ///
  /// - Throws: `badData` for anything else, and for lists in lists more than 16 deep.
  init(_ bytes: [UInt8]) throws(BackdropError) {
    var reader = PropertyListReader(bytes)
    self = try reader.readAll()
  }

  /// A value of a dictionary.
  subscript(key: String) -> PropertyList? {
    guard case .dictionary(let values) = self else { return nil }
    return values[key]
  }

  /// The text of a string.
  var text: String? {
    guard case .string(let text) = self else { return nil }
    return text
  }

  /// The value of an integer.
  var number: Int? {
    guard case .integer(let number) = self else { return nil }
    return number
  }

  /// The values of an array.
  var elements: [PropertyList]? {
    guard case .array(let elements) = self else { return nil }
    return elements
  }

  /// A dictionary of texts and numbers as a file.
  static func file(_ entries: [(key: String, value: PropertyList)]) -> [UInt8] {
    var text = #"<?xml version="1.0" encoding="UTF-8"?><plist version="1.0"><dict>"#
    for (key, value) in entries {
      text += "<key>\(escaped(key))</key>"
      switch value {
      case .integer(let number): text += "<integer>\(number)</integer>"
      case .string(let string): text += "<string>\(escaped(string))</string>"
      case .boolean, .array, .dictionary, .other: preconditionFailure("requests hold texts and numbers only")
      }
    }
    return Array((text + "</dict></plist>").utf8)
  }

  private static func escaped(_ text: String) -> String {
    text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
  }
}

/// Goes through the bytes of a list once.
private struct PropertyListReader {
  private struct Tag {
    enum Kind { case opening, closing, empty }
    var name: String
    var kind: Kind
  }

  private static let depthLimit = 16
  private let bytes: [UInt8]
  private var position = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  mutating func readAll() throws(BackdropError) -> PropertyList {
    var tag = try nextTag()
    if tag.name == "plist" && tag.kind == .opening { tag = try nextTag() }
    return try value(tag, depth: 0)
  }

  private func failure(_ reason: String) -> BackdropError {
    BackdropError(.badData, "the property list is damaged (\(reason))")
  }

  private mutating func value(_ tag: Tag, depth: Int) throws(BackdropError) -> PropertyList {
    guard tag.kind != .closing else { throw failure("</\(tag.name)> ends nothing") }
    guard depth < Self.depthLimit else { throw failure("lists are more than \(Self.depthLimit) deep") }
    let isEmpty = tag.kind == .empty
    switch tag.name {
    case "dict": return .dictionary(isEmpty ? [:] : try dictionary(depth))
    case "array": return .array(isEmpty ? [] : try array(depth))
    case "true", "false":
      if !isEmpty { _ = try text(of: tag.name) }
      return .boolean(tag.name == "true")
    case "string": return .string(isEmpty ? "" : try text(of: "string"))
    case "integer":
      let digits = isEmpty ? "" : try text(of: "integer")
      guard let number = Int(digits.trimmed) else { throw failure("a number that is none") }
      return .integer(number)
    case "real", "date", "data":
      if !isEmpty { _ = try text(of: tag.name) }
      return .other
    default: throw failure("<\(tag.name)> is not known")
    }
  }

  private mutating func dictionary(_ depth: Int) throws(BackdropError) -> [String: PropertyList] {
    var result: [String: PropertyList] = [:]
    while true {
      let tag = try nextTag()
      if tag.name == "dict" && tag.kind == .closing { return result }
      guard tag.name == "key" && tag.kind != .closing else { throw failure("a value has no key") }
      let key = tag.kind == .empty ? "" : try text(of: "key")
      let next = try nextTag()
      result[key] = try value(next, depth: depth + 1)
    }
  }

  private mutating func array(_ depth: Int) throws(BackdropError) -> [PropertyList] {
    var result: [PropertyList] = []
    while true {
      let tag = try nextTag()
      if tag.name == "array" && tag.kind == .closing { return result }
      result.append(try value(tag, depth: depth + 1))
    }
  }

  /// The next tag; only spaces, comments and declarations may be before it.
  private mutating func nextTag() throws(BackdropError) -> Tag {
    while true {
      while position < bytes.count, bytes[position] <= 0x20 { position += 1 }
      guard position < bytes.count else { throw failure("it ends too early") }
      guard bytes[position] == UInt8(ascii: "<") else { throw failure("text where a tag is expected") }
      if begins(with: "<!--") {
        try skip(past: "-->")
      } else if begins(with: "<?") || begins(with: "<!") {
        try skip(past: ">")
      } else {
        return try tag()
      }
    }
  }

  private mutating func tag() throws(BackdropError) -> Tag {
    guard let end = bytes[position...].firstIndex(of: UInt8(ascii: ">")) else { throw failure("it ends too early") }
    var inside = bytes[(position + 1)..<end]
    position = end + 1
    var kind = Tag.Kind.opening
    if inside.first == UInt8(ascii: "/") {
      kind = .closing
      inside = inside.dropFirst()
    } else if inside.last == UInt8(ascii: "/") {
      kind = .empty
      inside = inside.dropLast()
    }
    let name = inside.prefix { $0 > 0x20 }
    guard !name.isEmpty && name.count <= 16 else { throw failure("a tag without a name that is known") }
    return Tag(name: String(decoding: name, as: UTF8.self), kind: kind)
  }

  /// The text up to the closing tag of that name.
  private mutating func text(of name: String) throws(BackdropError) -> String {
    guard let end = bytes[position...].firstIndex(of: UInt8(ascii: "<")) else { throw failure("it ends too early") }
    let raw = bytes[position..<end]
    position = end
    let closing = try tag()
    guard closing.kind == .closing && closing.name == name else { throw failure("<\(name)> is not closed") }
    let text = String(decoding: raw, as: UTF8.self)
    guard raw.contains(UInt8(ascii: "&")) else { return text }
    // The ampersand comes last, so that what it makes is not read again.
    return [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&apos;", "'"), ("&amp;", "&")]
      .reduce(text) { $0.replacing($1.0, with: $1.1) }
  }

  private func begins(with text: StaticString) -> Bool {
    text.withUTF8Buffer { bytes[position...].starts(with: $0) }
  }

  private mutating func skip(past text: String) throws(BackdropError) {
    let end = Array(text.utf8)
    while position < bytes.count {
      if bytes[position...].starts(with: end) {
        position += end.count
        return
      }
      position += 1
    }
    throw failure("it ends too early")
  }
}
