import BackdropImaging

/// Changes a packet and leaves every other byte unchanged.
struct XMPEditor {
  private(set) var packet: [UInt8]

  init(_ packet: [UInt8]) { self.packet = packet }

  /// A property in a packet: an attribute, or an element with its contents.
  struct Property {
    let name: XMLName
    fileprivate let range: Range<Int>
    /// Whether it contains, or may contain, a picture as text.
    let mayHoldPicture: () -> Bool
  }

  /// Removes the properties that match a test, at the top level of the packet.
  ///
  /// - Returns: the names of removed ones, and the number of remaining ones.
  @discardableResult
  mutating func remove(where isUnwanted: (Property) -> Bool) throws(BackdropError) -> (gone: [XMLName], left: Int) {
    let root = try XMLParser.parse(packet)
    guard let rdf = XMPPacket.rdf(in: root) else { return ([], 0) }
    var cuts: [Range<Int>] = []
    var gone: [XMLName] = []
    var left = 0
    for description in rdf.children {
      var properties: [Property] = []
      for attribute in description.attributes where attribute.name.namespace != XMPPacket.rdf {
        properties.append(
          Property(name: attribute.name, range: attribute.range) { PictureSignature.isFound(inText: attribute.value) })
      }
      for child in description.children {
        properties.append(Property(name: child.name, range: child.range) { PictureNamespace.holdsPicture(child) })
      }
      let unwanted = properties.filter(isUnwanted)
      gone += unwanted.map(\.name)
      let kept = properties.count - unwanted.count
      left += kept
      // An empty description is removed completely.
      cuts += kept == 0 && !unwanted.isEmpty ? [description.range] : unwanted.map(\.range)
    }
    // Cut in one pass: a packet can have hundreds of thousands of properties.
    var rest: [UInt8] = []
    var position = 0
    for cut in cuts.sorted(by: { $0.lowerBound < $1.lowerBound }) where cut.lowerBound >= position {
      rest += packet[position..<cut.lowerBound]
      position = cut.upperBound
    }
    packet = rest + packet[position...]
    return (gone, left)
  }

  /// Adds properties in a separate `rdf:Description`.
  ///
  /// - Throws: `badData` without RDF for them.
  mutating func add(_ properties: [XMPProperty]) throws(BackdropError) {
    guard !properties.isEmpty else { return }
    guard let rdf = XMPPacket.rdf(in: try XMLParser.parse(packet)) else {
      throw BackdropError(damaged: "the XMP packet contains no RDF")
    }
    guard let end = rdf.endTag else {
      // An empty <rdf:RDF …/> has no end tag before which to insert, so write a new packet.
      packet = Array(XMPPrinter.packet(properties).utf8)
      return
    }
    packet.insert(contentsOf: Array(XMPPrinter.description(properties).utf8), at: end)
  }

  /// The packet without the depth data of Google's forms for JPEG files, which is meaningless elsewhere.
  static func withoutDepth(_ packet: [UInt8]) throws(BackdropError) -> [UInt8] {
    guard GoogleNamespace.isMentioned(in: packet[...]) else { return packet }
    var editor = XMPEditor(packet)
    try editor.remove { GoogleNamespace.describesDepth($0.name) || $0.name == ExtendedXMP.identifierName }
    return editor.packet
  }
}
