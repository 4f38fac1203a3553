import BackdropImaging

/// Changes a packet and leaves every other byte of it as it is.
struct XMPEditor {
  private(set) var packet: [UInt8]

  init(_ packet: [UInt8]) { self.packet = packet }

  /// A property as it stands in a packet: an attribute, or an element with all that is in it.
  enum Property {
    case attribute(XMLElement.Attribute)
    case element(XMLElement)

    var name: XMLName {
      switch self {
      case .attribute(let attribute): attribute.name
      case .element(let element): element.name
      }
    }

    fileprivate var range: Range<Int> {
      switch self {
      case .attribute(let attribute): attribute.range
      case .element(let element): element.range
      }
    }
  }

  /// Takes away the properties that a test picks, at the top level of the packet.
  ///
  /// - Returns: how many properties there are left.
  @discardableResult
  mutating func remove(_ isUnwanted: (XMLName) -> Bool) throws(BackdropError) -> Int {
    try remove(where: { isUnwanted($0.name) }).left
  }

  /// Takes away the properties that a test picks, at the top level of the packet.
  ///
  /// - Returns: the names of those that are gone, and how many there are left.
  mutating func remove(
    where isUnwanted: (Property) -> Bool
  ) throws(BackdropError) -> (gone: [XMLName], left: Int) {
    let root = try XMLParser.parse(packet)
    guard let rdf = XMPPacket.rdf(in: root) else { return ([], 0) }
    var cuts: [Range<Int>] = []
    var gone: [XMLName] = []
    var left = 0
    for description in rdf.children {
      let properties =
        description.attributes.filter { $0.name.namespace != XMPPacket.rdf }.map(Property.attribute)
        + description.children.map(Property.element)
      let unwanted = properties.filter(isUnwanted)
      gone += unwanted.map(\.name)
      let kept = properties.count - unwanted.count
      left += kept
      // A description of nothing goes as a whole.
      cuts += kept == 0 && !unwanted.isEmpty ? [description.range] : unwanted.map(\.range)
    }
    // Once, however many there are: a packet can have hundreds of thousands.
    var rest: [UInt8] = []
    var position = 0
    for cut in cuts.sorted(by: { $0.lowerBound < $1.lowerBound }) where cut.lowerBound >= position {
      rest += packet[position..<cut.lowerBound]
      position = cut.upperBound
    }
    packet = rest + packet[position...]
    return (gone, left)
  }

  /// Adds properties in an `rdf:Description` of their own.
  ///
  /// - Throws: `badData` if there is no RDF to put it into.
  mutating func add(_ properties: [XMPProperty]) throws(BackdropError) {
    guard !properties.isEmpty else { return }
    guard let rdf = XMPPacket.rdf(in: try XMLParser.parse(packet)) else {
      throw BackdropError(.badData, "the XMP packet contains no RDF", hint: "download or copy the file again")
    }
    guard let end = rdf.endTag else {
      // <rdf:RDF …/> has no inside.
      packet = Array(XMPPrinter.packet(properties).utf8)
      return
    }
    packet.insert(contentsOf: Array(XMPPrinter.description(properties).utf8), at: end)
  }

  /// The packet without what Google's forms say about depth inside of a JPEG file, which means nothing elsewhere.
  static func withoutDepth(_ packet: [UInt8]) throws(BackdropError) -> [UInt8] {
    guard GoogleNamespace.isMentioned(in: packet[...]) else { return packet }
    var editor = XMPEditor(packet)
    try editor.remove { GoogleNamespace.describesDepth($0) || $0 == ExtendedXMP.identifierName }
    return editor.packet
  }
}
