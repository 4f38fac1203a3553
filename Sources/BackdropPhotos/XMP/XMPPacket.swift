import BackdropImaging

/// The value of a property of XMP (ISO 16684-1, section 6.3): simple, an array, or a structure.
indirect enum XMPValue: Sendable, Equatable {
  case text(String)
  case array([XMPValue])
  case structure([XMLName: XMPValue])

  var text: String? { if case .text(let text) = self { text } else { nil } }

  /// The items of an array; any other value as an array of one.
  var items: [XMPValue] { if case .array(let items) = self { items } else { [self] } }

  subscript(_ namespace: String, _ local: String) -> XMPValue? {
    if case .structure(let fields) = self { fields[XMLName(namespace, local)] } else { nil }
  }
}

/// The properties of an XMP packet, written as attributes or as elements.
struct XMPPacket: Sendable {
  static let rdf = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
  static let xmlNamespace = "http://www.w3.org/XML/1998/namespace"

  private(set) var properties: [XMLName: XMPValue] = [:]

  /// Parses a packet, and skips data around the RDF.
  ///
  /// - Throws: as ``XMLParser``; `badData` if it contains no RDF.
  init(_ bytes: [UInt8]) throws(BackdropError) {
    guard let rdf = Self.rdf(in: try XMLParser.parse(bytes)) else {
      throw BackdropError(damaged: "the XMP packet contains no RDF")
    }
    for description in rdf.children where description.name == XMLName(Self.rdf, "Description") {
      properties.merge(Self.fields(of: description)) { first, _ in first }
    }
  }

  /// The `rdf:RDF` element of a packet, which may be the outermost one.
  static func rdf(in root: XMLElement) -> XMLElement? {
    let wanted = XMLName(rdf, "RDF")
    return root.name == wanted ? root : root.children.first { $0.name == wanted }
  }

  subscript(_ namespace: String, _ local: String) -> XMPValue? { properties[XMLName(namespace, local)] }

  func text(_ namespace: String, _ local: String) -> String? { self[namespace, local]?.text }

  // Recursion is bounded by the parser's limit on nesting.

  private static func fields(of element: XMLElement) -> [XMLName: XMPValue] {
    var result: [XMLName: XMPValue] = [:]
    for attribute in element.attributes where isProperty(attribute.name) {
      result[attribute.name] = .text(attribute.value)
    }
    for child in element.children where isProperty(child.name) { result[child.name] = value(of: child) }
    return result
  }

  private static func isProperty(_ name: XMLName) -> Bool {
    name.namespace != rdf && name.namespace != xmlNamespace && !name.namespace.isEmpty
  }

  /// The value of a property's element (ISO 16684-1, section 7.9 for the short forms).
  private static func value(of element: XMLElement) -> XMPValue {
    if let first = element.children.first, first.name.namespace == rdf {
      switch first.name.local {
      case "Seq", "Bag", "Alt": return .array(first.children.filter { $0.name == XMLName(rdf, "li") }.map(value))
      case "Description": return .structure(fields(of: first))
      case "value": return value(of: first)
      default: break
      }
    }
    // A value with a type or qualifiers is an rdf:value among other elements.
    if let inner = element.children.first(where: { $0.name == XMLName(rdf, "value") }) { return value(of: inner) }
    let fields = fields(of: element)
    return fields.isEmpty ? .text(element.text) : .structure(fields)
  }
}
