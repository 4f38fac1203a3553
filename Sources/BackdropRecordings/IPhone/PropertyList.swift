import BackdropImaging
import CExpat

/// A value of a property list in XML (Apple's PropertyList-1.0.dtd), the form of usbmuxd's messages.
enum PropertyList: Sendable, Equatable {
  case dictionary([String: PropertyList])
  case array([PropertyList])
  case string(String)
  case integer(Int)
  case boolean(Bool)
  /// A date, data or a real number; Backdrop needs none of them.
  case other

  /// Parses a complete property list.
  init(_ bytes: [UInt8]) throws(BackdropError) { self = try PropertyListReader().read(bytes) }

  subscript(key: String) -> PropertyList? {
    guard case .dictionary(let values) = self else { return nil }
    return values[key]
  }

  var text: String? {
    guard case .string(let text) = self else { return nil }
    return text
  }

  var number: Int? {
    guard case .integer(let number) = self else { return nil }
    return number
  }

  var elements: [PropertyList]? {
    guard case .array(let elements) = self else { return nil }
    return elements
  }

  /// Writes a dictionary of strings and integers as XML.
  static func file(_ entries: [(key: String, value: PropertyList)]) -> [UInt8] {
    var text = #"<?xml version="1.0" encoding="UTF-8"?><plist version="1.0"><dict>"#
    for (key, value) in entries {
      text += "<key>\(key.markup)</key>"
      switch value {
      case .integer(let number): text += "<integer>\(number)</integer>"
      case .string(let string): text += "<string>\(string.markup)</string>"
      case .boolean, .array, .dictionary, .other: preconditionFailure("requests hold texts and numbers only")
      }
    }
    return Array((text + "</dict></plist>").utf8)
  }
}

/// Builds a list from the tags that Expat finds.
private final class PropertyListReader {
  private static let depthLimit = 16
  private static let names: Set = [
    "plist", "dict", "array", "key", "string", "integer", "true", "false", "real", "date", "data",
  ]

  /// An element that is still open: its text, or the values in it with the keys of a dictionary.
  private struct Element {
    var name: String
    var text = ""
    var keys: [String] = []
    var values: [PropertyList] = []
  }

  private let parser: XML_Parser
  private var open: [Element] = []
  private var root: PropertyList?
  private var fault: String?

  init() throws(BackdropError) {
    guard let parser = XML_ParserCreate("UTF-8") else { throw BackdropError(.system, "Expat did not start") }
    self.parser = parser
  }

  deinit { XML_ParserFree(parser) }

  func read(_ bytes: [UInt8]) throws(BackdropError) -> PropertyList {
    XML_SetUserData(parser, Unmanaged.passUnretained(self).toOpaque())
    XML_SetElementHandler(
      parser, { reader, name, _ in PropertyListReader.of(reader)?.begin(name.map { String(cString: $0) } ?? "") },
      { reader, _ in PropertyListReader.of(reader)?.end() })
    XML_SetCharacterDataHandler(parser) { PropertyListReader.of($0)?.append($1, Int($2)) }
    // Entities that a document declares could expand without end.
    XML_SetStartDoctypeDeclHandler(parser) { reader, _, _, _, hasDeclarations in
      if hasDeclarations != 0 { PropertyListReader.of(reader)?.stop("it declares entities") }
    }
    let status = bytes.withUnsafeBytes {
      XML_Parse(parser, $0.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(clamping: $0.count), 1)
    }
    guard let root, status != XML_STATUS_ERROR, fault == nil else {
      let reason = fault ?? String(cString: XML_ErrorString(XML_GetErrorCode(parser)))
      throw BackdropError(.badData, "the property list is damaged (\(reason))")
    }
    return root
  }

  private static func of(_ reader: UnsafeMutableRawPointer?) -> PropertyListReader? {
    reader.map { Unmanaged<PropertyListReader>.fromOpaque($0).takeUnretainedValue() }
  }

  private func stop(_ reason: String) {
    fault = fault ?? reason
    XML_StopParser(parser, 0)
  }

  private func begin(_ name: String) {
    guard Self.names.contains(name) else { return stop("<\(name.prefix(16).oneLine)> is not known") }
    guard open.count <= Self.depthLimit else { return stop("lists are more than \(Self.depthLimit) deep") }
    open.append(Element(name: name))
  }

  private func append(_ text: UnsafePointer<CChar>?, _ count: Int) {
    guard !open.isEmpty else { return }
    open[open.count - 1].text += String(decoding: UnsafeRawBufferPointer(start: text, count: count), as: UTF8.self)
  }

  private func end() {
    guard fault == nil, let element = open.popLast() else { return }
    let holdsValues = ["plist", "dict", "array"].contains(element.name)
    guard !holdsValues || element.text.trimmed.isEmpty else { return stop("text where a tag is expected") }
    guard !open.isEmpty || element.name == "plist" || root == nil else { return stop("it has several values") }
    let value: PropertyList
    switch element.name {
    case "plist":
      guard let only = element.values.first, element.values.count == 1 else { return stop("it has no value") }
      root = only
      return
    case "key":
      guard !open.isEmpty else { return stop("a key has no value") }
      return open[open.count - 1].keys.append(element.text)
    case "dict":
      guard element.keys.count == element.values.count else { return stop("a key has no value") }
      value = .dictionary(Dictionary(zip(element.keys, element.values)) { $1 })
    case "array": value = .array(element.values)
    case "string": value = .string(element.text)
    case "integer":
      guard let number = Int(element.text.trimmed) else { return stop("a number that is none") }
      value = .integer(number)
    case "true", "false": value = .boolean(element.name == "true")
    default: value = .other
    }
    guard let parent = open.last else {
      root = value
      return
    }
    guard parent.name != "dict" || parent.keys.count == parent.values.count + 1 else {
      return stop("a value has no key")
    }
    open[open.count - 1].values.append(value)
  }
}
