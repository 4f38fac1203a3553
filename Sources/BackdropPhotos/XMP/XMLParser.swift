import BackdropImaging

/// Reads the XML of XMP packets: elements, attributes, namespaces, character data, and nothing that could harm.
///
/// Of XML 1.0 (W3C, fifth edition) and Namespaces in XML this is what ISO 16684-1 (XMP), annex C, allows: no document
/// type, no entities but the five of section 4.6 and character references, UTF-8 only. Comments and processing
/// instructions are passed over. Nesting, the number of elements and of attributes are bounded; text is copied once, so
/// memory is bounded by the size of the input.
struct XMLParser {
  /// What a document may hold.
  struct Limits: Sendable {
    var depth = 64
    var elements = 100_000
    var attributes = 200_000
    var namespaces = 256
    var bytes = 256 << 20
  }

  private let bytes: [UInt8]
  private let end: Int
  private let limits: Limits
  private var position: Int
  private var elements = 0
  private var attributes = 0
  /// Prefixes and what they stand for, innermost last.
  private var namespaces: [(prefix: String, address: String)] = [
    ("xml", "http://www.w3.org/XML/1998/namespace"), ("", ""),
  ]

  private init(_ bytes: [UInt8], _ range: Range<Int>, _ limits: Limits) {
    self.bytes = bytes
    self.limits = limits
    position = range.lowerBound
    end = range.upperBound
  }

  /// The outermost element of a document.
  ///
  /// - Parameter range: where the document lies; positions in the result count from the beginning of `bytes`.
  /// - Throws: `badData` if it is not well-formed, `unsupported` for a document type or an encoding other than UTF-8,
  ///   `overLimit` for too deep nesting or too many elements.
  static func parse(
    _ bytes: [UInt8], in range: Range<Int>? = nil, limits: Limits = Limits()
  ) throws(BackdropError) -> XMLElement {
    let range = (range ?? bytes.indices).clamped(to: bytes.indices)
    guard range.count <= limits.bytes else {
      throw BackdropError(.overLimit, "the XMP packet has \(range.count) bytes; the limit is \(limits.bytes)")
    }
    if range.count >= 2, Set([bytes[range.lowerBound], bytes[range.lowerBound + 1]]).isSuperset(of: [0xFE, 0xFF]) {
      throw BackdropError(.unsupported, "the XMP packet is in UTF-16", hint: "write it in UTF-8, as JPEG files require")
    }
    var parser = XMLParser(bytes, range, limits)
    return try parser.document()
  }

  // MARK: - Structure

  private mutating func document() throws(BackdropError) -> XMLElement {
    if starts(with: [0xEF, 0xBB, 0xBF]) { position += 3 }
    while true {
      skipBlanks()
      guard position < end else { throw damaged("no element") }
      guard try !skipAside() else { continue }
      guard bytes[position] == UInt8(ascii: "<") else { throw damaged("text comes before the first element") }
      return try tree()
    }
  }

  /// An element with all that is in it, without recursion.
  private mutating func tree() throws(BackdropError) -> XMLElement {
    var open: [Open] = []
    while true {
      guard position < end else { throw damaged("an element does not end") }
      if bytes[position] != UInt8(ascii: "<") {
        let text = try characterData()
        if !open.isEmpty { open[open.count - 1].element.text += text }
        continue
      }
      if starts(with: "<![CDATA[") {
        let text = try section()
        if !open.isEmpty { open[open.count - 1].element.text += text }
        continue
      }
      if try skipAside() { continue }
      var closed: XMLElement
      if starts(with: "</") {
        guard let last = open.popLast() else { throw damaged("an end tag has no start tag") }
        closed = try close(last)
      } else {
        guard open.count < limits.depth else {
          throw BackdropError(
            .overLimit, "the XMP packet nests elements more than \(limits.depth) deep",
            hint: "the file is damaged, or somebody crafted it to do harm")
        }
        let (opened, isEmpty) = try startTag()
        guard isEmpty else {
          open.append(opened)
          continue
        }
        namespaces.removeLast(opened.declared)
        closed = opened.element
      }
      guard !open.isEmpty else { return closed }
      open[open.count - 1].element.children.append(closed)
    }
  }

  private struct Open {
    var element: XMLElement
    var tag: Range<Int>
    /// Namespaces that it declared.
    var declared: Int
  }

  private mutating func startTag() throws(BackdropError) -> (Open, isEmpty: Bool) {
    elements += 1
    guard elements <= limits.elements else {
      throw BackdropError(.overLimit, "the XMP packet has more than \(limits.elements) elements")
    }
    let start = position
    position += 1
    let tag = try nameRange()
    var raw: [(name: Range<Int>, value: String, range: Range<Int>)] = []
    var declared = 0
    var isEmpty = false
    while true {
      let before = position
      skipBlanks()
      guard position < end else { throw damaged("a tag does not end") }
      if bytes[position] == UInt8(ascii: ">") {
        position += 1
        break
      }
      if starts(with: "/>") {
        position += 2
        isEmpty = true
        break
      }
      guard position > before else { throw damaged("attributes have no space between them") }
      let name = try nameRange()
      skipBlanks()
      guard position < end, bytes[position] == UInt8(ascii: "=") else { throw damaged("an attribute has no value") }
      position += 1
      skipBlanks()
      let value = try quoted()
      let (prefix, local) = split(name)
      if prefix == "xmlns" || (prefix.isEmpty && local == "xmlns") {
        guard namespaces.count < limits.namespaces else {
          throw BackdropError(.overLimit, "the XMP packet has too many namespaces")
        }
        namespaces.append((prefix.isEmpty ? "" : local, value))
        declared += 1
      } else {
        raw.append((name, value, before..<position))
        attributes += 1
        guard attributes <= limits.attributes else {
          throw BackdropError(.overLimit, "the XMP packet has more than \(limits.attributes) attributes")
        }
      }
    }
    var element = XMLElement(name: try resolve(tag, isAttribute: false), range: start..<position)
    for (name, value, range) in raw {
      element.attributes.append(
        XMLElement.Attribute(name: try resolve(name, isAttribute: true), value: value, range: range))
    }
    return (Open(element: element, tag: tag, declared: declared), isEmpty)
  }

  private mutating func close(_ last: Open) throws(BackdropError) -> XMLElement {
    let start = position
    position += 2
    let name = try nameRange()
    guard bytes[name] == bytes[last.tag] else { throw damaged("an end tag has another name than its start tag") }
    skipBlanks()
    guard position < end, bytes[position] == UInt8(ascii: ">") else { throw damaged("a tag does not end") }
    position += 1
    namespaces.removeLast(last.declared)
    var element = last.element
    element.range = element.range.lowerBound..<position
    element.endTag = start
    return element
  }

  // MARK: - Names and text

  private mutating func nameRange() throws(BackdropError) -> Range<Int> {
    let start = position
    while position < end, isName(bytes[position]) { position += 1 }
    guard position > start, position - start <= 1000 else { throw damaged("a tag or attribute has no name") }
    return start..<position
  }

  private func isName(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: ":"), UInt8(ascii: "-"),
      UInt8(ascii: "."), 0x80...:
      true
    default: false
    }
  }

  private func split(_ name: Range<Int>) -> (prefix: String, local: String) {
    let colon = bytes[name].firstIndex(of: UInt8(ascii: ":"))
    guard let colon else { return ("", String(decoding: bytes[name], as: UTF8.self)) }
    return (
      String(decoding: bytes[name.lowerBound..<colon], as: UTF8.self),
      String(decoding: bytes[colon + 1..<name.upperBound], as: UTF8.self)
    )
  }

  private func resolve(_ name: Range<Int>, isAttribute: Bool) throws(BackdropError) -> XMLName {
    let (prefix, local) = split(name)
    // An attribute without a prefix is in no namespace (Namespaces in XML, section 6.2).
    if prefix.isEmpty && isAttribute { return XMLName("", local) }
    guard let address = namespaces.last(where: { $0.prefix == prefix })?.address else {
      throw damaged("the prefix \(prefix.excerpt) has no namespace")
    }
    return XMLName(address, local)
  }

  private mutating func quoted() throws(BackdropError) -> String {
    guard position < end, bytes[position] == UInt8(ascii: "\"") || bytes[position] == UInt8(ascii: "'") else {
      throw damaged("a value has no quotes")
    }
    let quote = bytes[position]
    let start = position + 1
    guard let close = bytes[start..<end].firstIndex(of: quote) else { throw damaged("a value does not end") }
    guard !bytes[start..<close].contains(UInt8(ascii: "<")) else { throw damaged("a value contains <") }
    position = close + 1
    return try unescaped(start..<close)
  }

  private mutating func characterData() throws(BackdropError) -> String {
    let start = position
    position = bytes[start..<end].firstIndex(of: UInt8(ascii: "<")) ?? end
    return try unescaped(start..<position)
  }

  private mutating func section() throws(BackdropError) -> String {
    let start = position + 9
    guard let close = find("]]>", from: start) else { throw damaged("a CDATA section does not end") }
    position = close + 3
    return String(decoding: bytes[start..<close], as: UTF8.self)
  }

  private func unescaped(_ range: Range<Int>) throws(BackdropError) -> String {
    guard bytes[range].contains(UInt8(ascii: "&")) else { return String(decoding: bytes[range], as: UTF8.self) }
    var result: [UInt8] = []
    result.reserveCapacity(range.count)
    var at = range.lowerBound
    while at < range.upperBound {
      guard bytes[at] == UInt8(ascii: "&") else {
        result.append(bytes[at])
        at += 1
        continue
      }
      // The longest reference that stands for anything is &#x10FFFF; and zeros in front of it are none of our business.
      let window = at + 1..<min(at + 16, range.upperBound)
      guard let close = bytes[window].firstIndex(of: UInt8(ascii: ";")) else {
        throw damaged("a reference does not end")
      }
      result += try character(String(decoding: bytes[at + 1..<close], as: UTF8.self)).utf8
      at = close + 1
    }
    return String(decoding: result, as: UTF8.self)
  }

  private func character(_ reference: String) throws(BackdropError) -> String {
    switch reference {
    case "lt": return "<"
    case "gt": return ">"
    case "amp": return "&"
    case "quot": return "\""
    case "apos": return "'"
    default: break
    }
    let isHex = reference.hasPrefix("#x")
    guard reference.hasPrefix("#"), let number = UInt32(reference.dropFirst(isHex ? 2 : 1), radix: isHex ? 16 : 10),
      let scalar = Unicode.Scalar(number), number != 0
    else {
      throw BackdropError(
        .badData, "the XMP packet uses the entity &\(reference.excerpt);, which XMP does not allow",
        hint: "the file is damaged, or somebody crafted it to do harm")
    }
    return String(Character(scalar))
  }

  // MARK: - Aside

  /// Passes over a comment or a processing instruction; whether there was one.
  private mutating func skipAside() throws(BackdropError) -> Bool {
    if starts(with: "<!--") {
      guard let close = find("-->", from: position + 4) else { throw damaged("a comment does not end") }
      position = close + 3
      return true
    }
    if starts(with: "<?") {
      guard let close = find("?>", from: position + 2) else { throw damaged("an instruction does not end") }
      position = close + 2
      return true
    }
    guard !starts(with: "<!") || starts(with: "<![CDATA[") else {
      throw BackdropError(
        .unsupported, "the XMP packet has a document type, which XMP does not allow",
        hint: "the file is damaged, or somebody crafted it to do harm")
    }
    return false
  }

  private mutating func skipBlanks() {
    while position < end, [0x20, 0x09, 0x0A, 0x0D].contains(bytes[position]) { position += 1 }
  }

  private func starts(with text: StaticString) -> Bool {
    guard end - position >= text.utf8CodeUnitCount else { return false }
    return (0..<text.utf8CodeUnitCount).allSatisfy { bytes[position + $0] == text.utf8Start[$0] }
  }

  private func starts(with pattern: [UInt8]) -> Bool {
    end - position >= pattern.count && bytes[position..<position + pattern.count].elementsEqual(pattern)
  }

  private func find(_ text: StaticString, from start: Int) -> Int? {
    guard start <= end else { return nil }
    let first = text.utf8Start[0]
    var at = start
    while at + text.utf8CodeUnitCount <= end, let found = bytes[at..<end].firstIndex(of: first) {
      guard found + text.utf8CodeUnitCount <= end else { return nil }
      if (0..<text.utf8CodeUnitCount).allSatisfy({ bytes[found + $0] == text.utf8Start[$0] }) { return found }
      at = found + 1
    }
    return nil
  }

  private func damaged(_ what: String) -> BackdropError {
    BackdropError(
      .badData, "the XMP packet is damaged (\(what), at byte \(position))", hint: "download or copy the file again")
  }
}
