import BackdropImaging

package struct XMLReading: IsolatedFunction {
  package static let name = "xml"
  /// The position of the document in its file.
  private let start: Int
  private let bounds: XMLParser.Limits

  init(start: Int, _ limits: XMLParser.Limits) { (self.start, bounds) = (start, limits) }

  package init(from wire: inout WireReader) throws(BackdropError) {
    start = try wire.read()
    bounds = XMLParser.Limits(
      depth: try wire.read(), elements: try wire.read(), attributes: try wire.read(), namespaces: try wire.read(),
      bytes: try wire.read())
  }

  package func write(to wire: inout WireWriter) {
    wire.write(start, bounds.depth, bounds.elements, bounds.attributes, bounds.namespaces, bounds.bytes)
  }

  package func run(_ bytes: Span<UInt8>, of file: DecodedFile?) throws(BackdropError) -> XMLElement {
    try XMLParser.read(bytes, at: start, bounds)
  }

  package func accepts(_ answer: XMLElement, byteCount: Int) -> Bool {
    answer.isOrderly(inside: start..<start + byteCount)
  }
}

extension XMLElement: WireValue {
  package init(from wire: inout WireReader) throws(BackdropError) {
    self.init(
      name: try wire.read(), attributes: try wire.read(), children: try wire.read(), text: try wire.read(),
      range: try wire.read(), endTag: try wire.read())
  }

  package func write(to wire: inout WireWriter) { wire.write(name, attributes, children, text, range, endTag) }

  /// Whether the element lies inside `outer`, and its attributes and children follow one another inside the element.
  fileprivate func isOrderly(inside outer: Range<Int>) -> Bool {
    guard outer.lowerBound <= range.lowerBound, range.upperBound <= outer.upperBound else { return false }
    if let endTag, !range.contains(endTag) { return false }
    var offset = range.lowerBound
    for part in attributes.map(\.range) {
      guard offset <= part.lowerBound, part.upperBound <= range.upperBound else { return false }
      offset = part.upperBound
    }
    for child in children {
      guard offset <= child.range.lowerBound, child.isOrderly(inside: range) else { return false }
      offset = child.range.upperBound
    }
    return true
  }
}

extension XMLElement.Attribute: WireValue {
  package init(from wire: inout WireReader) throws(BackdropError) {
    self.init(name: try wire.read(), value: try wire.read(), range: try wire.read())
  }

  package func write(to wire: inout WireWriter) { wire.write(name, value, range) }
}

extension XMLName: WireValue {
  package init(from wire: inout WireReader) throws(BackdropError) { self.init(try wire.read(), try wire.read()) }

  package func write(to wire: inout WireWriter) { wire.write(namespace, local) }
}
