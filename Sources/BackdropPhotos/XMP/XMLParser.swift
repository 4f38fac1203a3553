import BackdropImaging
import CExpat

/// Parses the XML of XMP packets with Expat: elements, attributes, namespaces and character data.
///
/// It supports the part of XML 1.0 (W3C, fifth edition) and Namespaces in XML that ISO 16684-1 (XMP), annex C, allows: no document type,
/// and so no entities but the five of section 4.6 and character references. Bytes that are not UTF-8 are read as Latin-1. Nesting, the
/// number of elements, of attributes and of namespaces are bounded; text is copied once, so memory is bounded by the size of the input.
struct XMLParser {
  struct Limits: Sendable {
    var depth = 64
    var elements = 100_000
    var attributes = 200_000
    var namespaces = 256
    var bytes = 256 << 20
  }

  /// The outermost element of a document; the rest is skipped.
  ///
  /// - Throws: `badData` if it is not well-formed, `unsupported` for a document type or an encoding other than UTF-8,
  ///   `overLimit` for too deep nesting or too many elements.
  static func parse(_ bytes: [UInt8], limits: Limits = Limits()) throws(BackdropError) -> XMLElement {
    guard bytes.count <= limits.bytes else {
      throw BackdropError(.overLimit, "the XMP packet has \(bytes.count) bytes; the limit is \(limits.bytes)")
    }
    if bytes.starts(with: [0xFE, 0xFF]) || bytes.starts(with: [0xFF, 0xFE]) {
      throw BackdropError(.unsupported, "the XMP packet is in UTF-16", hint: "write it in UTF-8, as JPEG files require")
    }
    var start = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    // Whitespace before the XML declaration is not allowed, but some programs write it.
    start += bytes[start...].prefix { [0x20, 0x09, 0x0A, 0x0D].contains($0) }.count
    return try XMLReading(start: start, limits).result(bytes.span.extracting(start...))
  }

  /// The outermost element of a document that begins at byte `start` of its file.
  static func read(_ document: Span<UInt8>, at start: Int, _ limits: Limits) throws(BackdropError) -> XMLElement {
    try document.withUnsafeBufferPointer { buffer throws(BackdropError) in
      try XMLReader(buffer, at: start, limits).read()
    }
  }
}

/// A document during parsing: the context of Expat's callbacks.
private final class XMLReader {
  private let bytes: UnsafeBufferPointer<UInt8>
  /// The document's start in the file.
  private let start: Int
  private let limits: XMLParser.Limits
  private let parser: XML_Parser
  /// Elements without an end, innermost last.
  private var open: [XMLElement] = []
  private var root: XMLElement?
  private var (elements, attributes, namespaces) = (0, 0, 0)
  /// The error that stopped reading.
  private var fault: BackdropError?

  /// A separator between namespaces and names that no address contains.
  private static let separator = UInt8(ascii: "\n")

  init(_ bytes: UnsafeBufferPointer<UInt8>, at start: Int, _ limits: XMLParser.Limits) throws(BackdropError) {
    (self.bytes, self.start, self.limits) = (bytes, start, limits)
    let encoding = Self.isUTF8(bytes) ? "UTF-8" : "ISO-8859-1"
    guard let parser = XML_ParserCreateNS(encoding, CChar(Self.separator)) else {
      throw BackdropError(.system, "Expat did not start")
    }
    self.parser = parser
  }

  deinit { XML_ParserFree(parser) }

  private static func isUTF8(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    do {
      _ = try UTF8Span(validating: bytes.span)
      return true
    } catch {
      return false
    }
  }

  func read() throws(BackdropError) -> XMLElement {
    XML_SetUserData(parser, Unmanaged.passUnretained(self).toOpaque())
    XML_SetElementHandler(parser, { XMLReader.of($0)?.begin($1, $2) }, { reader, _ in XMLReader.of(reader)?.end() })
    XML_SetCharacterDataHandler(parser) { XMLReader.of($0)?.append($1, Int($2)) }
    XML_SetNamespaceDeclHandler(
      parser, { reader, _, _ in XMLReader.of(reader)?.declare() },
      { reader, _ in XMLReader.of(reader)?.namespaces -= 1 })
    XML_SetStartDoctypeDeclHandler(parser) { reader, _, _, _, _ in XMLReader.of(reader)?.stop(XMLReader.documentType) }
    let text = UnsafeRawPointer(bytes.baseAddress)?.assumingMemoryBound(to: CChar.self)
    let status = XML_Parse(parser, text, Int32(bytes.count), 1)
    if let fault { throw fault }
    if let root { return root }
    let offset = max(0, Int(bd_xml_index(parser)))
    // Inside elements, Expat reports the character after the mark.
    if [offset, offset - 2].contains(where: { isDeclaration(at: $0) }) { throw Self.documentType }
    if XML_GetErrorCode(parser) == XML_ERROR_UNDEFINED_ENTITY, bytes[offset] == UInt8(ascii: "&") {
      let name = bytes.dropFirst(offset + 1).prefix(41).prefix { $0 != UInt8(ascii: ";") }
      throw BackdropError(
        .badData,
        "the XMP packet uses the entity &\(String(decoding: name, as: UTF8.self).excerpt);, which XMP does not allow",
        hint: "the file is damaged, or somebody crafted it to do harm")
    }
    let reason = status == XML_STATUS_ERROR ? String(cString: XML_ErrorString(XML_GetErrorCode(parser))) : "no element"
    throw BackdropError(damaged: "the XMP packet is damaged (\(reason), at byte \(start + offset))")
  }

  private static let documentType = BackdropError(
    .unsupported, "the XMP packet has a document type, which XMP does not allow",
    hint: "the file is damaged, or somebody crafted it to do harm")

  private func isDeclaration(at offset: Int) -> Bool {
    offset >= 0 && bytes.dropFirst(offset).starts(with: "<!".utf8)
      && bytes.dropFirst(offset + 2).first.map { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) } == true
  }

  // MARK: - Expat's callbacks

  private static func of(_ reader: UnsafeMutableRawPointer?) -> XMLReader? {
    reader.map { Unmanaged<XMLReader>.fromOpaque($0).takeUnretainedValue() }
  }

  private func stop(_ error: BackdropError?) {
    fault = fault ?? error
    XML_StopParser(parser, 0)
  }

  /// The range of Expat's current event in the document.
  private var range: Range<Int> {
    let index = Int(bd_xml_index(parser))
    return index..<index + Int(bd_xml_count(parser))
  }

  private func declare() {
    namespaces += 1
    if namespaces > limits.namespaces { stop(BackdropError(.overLimit, "the XMP packet has too many namespaces")) }
  }

  private func begin(_ name: UnsafePointer<CChar>?, _ pairs: UnsafeMutablePointer<UnsafePointer<CChar>?>?) {
    // Expat may continue briefly after a stop.
    guard fault == nil, let name, let pairs else { return }
    elements += 1
    guard elements <= limits.elements else {
      return stop(BackdropError(.overLimit, "the XMP packet has more than \(limits.elements) elements"))
    }
    guard open.count < limits.depth else {
      return stop(
        BackdropError(
          .overLimit, "the XMP packet nests elements more than \(limits.depth) deep",
          hint: "the file is damaged, or somebody crafted it to do harm"))
    }
    var element = XMLElement(name: Self.name(name), range: start + range.lowerBound..<start + range.upperBound)
    var ranges = Self.ranges(in: bytes[range])[...]
    var next = 0
    while let key = pairs[next], let value = pairs[next + 1], let range = ranges.popFirst() {
      element.attributes.append(
        XMLElement.Attribute(
          name: Self.name(key), value: String(cString: value),
          range: start + range.lowerBound..<start + range.upperBound))
      next += 2
    }
    attributes += element.attributes.count
    guard attributes <= limits.attributes else {
      return stop(BackdropError(.overLimit, "the XMP packet has more than \(limits.attributes) attributes"))
    }
    open.append(element)
  }

  private func end() {
    guard fault == nil, var element = open.popLast() else { return }
    let range = range
    element.range = element.range.lowerBound..<start + range.upperBound
    // An empty element's end takes no bytes.
    if !range.isEmpty { element.endTag = start + range.lowerBound }
    guard open.isEmpty else { return open[open.count - 1].children.append(element) }
    root = element
    stop(nil)
  }

  private func append(_ text: UnsafePointer<CChar>?, _ count: Int) {
    guard !open.isEmpty else { return }
    let bytes = UnsafeRawBufferPointer(start: text, count: count)
    open[open.count - 1].text += String(decoding: bytes, as: UTF8.self)
  }

  private static func name(_ name: UnsafePointer<CChar>) -> XMLName {
    let parts = String(cString: name).utf8.split(separator: separator, omittingEmptySubsequences: false)
    return XMLName(parts.count > 1 ? String(parts[0]) ?? "" : "", parts.last.flatMap { String($0) } ?? "")
  }

  /// The ranges of a well-formed tag's attributes that declare no namespace, each from the whitespace before it.
  private static func ranges(in tag: Slice<UnsafeBufferPointer<UInt8>>) -> [Range<Int>] {
    var result: [Range<Int>] = []
    var rest = tag.drop { $0 > 0x20 }
    while let equals = rest.firstIndex(of: UInt8(ascii: "=")),
      let opening = rest[equals...].firstIndex(where: { [UInt8(ascii: "\""), UInt8(ascii: "'")].contains($0) }),
      let closing = rest[(opening + 1)...].firstIndex(of: rest[opening])
    {
      let name = rest[..<equals].drop { $0 <= 0x20 }.prefix { $0 > 0x20 }
      if !name.elementsEqual("xmlns".utf8) && !name.starts(with: "xmlns:".utf8) {
        result.append(rest.startIndex..<closing + 1)
      }
      rest = rest[(closing + 1)...]
    }
    return result
  }
}
