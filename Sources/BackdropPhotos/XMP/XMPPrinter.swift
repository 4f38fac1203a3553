/// A property for writing.
struct XMPProperty: Sendable {
  var name: XMLName
  var value: XMPValue

  init(_ namespace: String, _ local: String, _ value: XMPValue) {
    name = XMLName(namespace, local)
    self.value = value
  }

  init(_ namespace: String, _ local: String, _ text: String) { self.init(namespace, local, .text(text)) }

  init(_ namespace: String, _ local: String, _ numbers: [Double]) {
    self.init(namespace, local, .array(numbers.map { .text("\($0)") }))
  }
}

/// Writes XMP packets (ISO 16684-1, section 7), with every property as an element.
enum XMPPrinter {
  private static let prefixes = [
    AppleNamespace.pixelData: "apdi", AppleNamespace.depthData: "depthData",
    AppleNamespace.portraitMatte: "portraitEffectsMatte",
    AppleNamespace.semanticMatte: "semanticSegmentationMatte", AppleNamespace.gainMap: "HDRGainMap",
    ExtendedXMP.identifierName.namespace: "xmpNote", PictureNamespace.tiff: "tiff", PictureNamespace.exif: "exif",
  ].merging(GoogleNamespace.prefixes) { $1 }

  static func packet(_ properties: [XMPProperty]) -> String {
    """
    <x:xmpmeta xmlns:x="adobe:ns:meta/" x:xmptk="Backdrop">
       <rdf:RDF xmlns:rdf="\(XMPPacket.rdf)">
    \(description(properties))   </rdf:RDF>
    </x:xmpmeta>
    """
  }

  /// One `rdf:Description`, for insertion into a packet.
  static func description(_ properties: [XMPProperty]) -> String {
    var printer = Printer()
    for property in properties { printer.element(property.name, property.value, indent: 9) }
    let declarations = printer.used.map { "\n            xmlns:\(prefix($0))=\"\($0.markup)\"" }.joined()
    // The prefix is declared here too, for packets that give it another name.
    return """
            <rdf:Description xmlns:rdf="\(XMPPacket.rdf)" rdf:about=""\(declarations)>
      \(printer.text)      </rdf:Description>

      """
  }

  private struct Printer {
    var text = ""
    /// Namespaces in order of first use.
    var used: [String] = []

    mutating func element(_ name: XMLName, _ value: XMPValue, indent: Int) {
      if !used.contains(name.namespace) { used.append(name.namespace) }
      write(value, as: "\(prefix(name.namespace)):\(name.local)", indent: indent)
    }

    private mutating func write(_ value: XMPValue, as tag: String, indent: Int) {
      let blank = String(repeating: " ", count: indent)
      switch value {
      case .text(let text): self.text += "\(blank)<\(tag)>\(text.markup)</\(tag)>\n"
      case .array(let items):
        text += "\(blank)<\(tag)>\n\(blank)   <rdf:Seq>\n"
        for item in items { write(item, as: "rdf:li", indent: indent + 6) }
        text += "\(blank)   </rdf:Seq>\n\(blank)</\(tag)>\n"
      case .structure(let fields):
        text += "\(blank)<\(tag) rdf:parseType=\"Resource\">\n"
        for (name, value) in fields.sorted(by: { $0.key.description < $1.key.description }) {
          element(name, value, indent: indent + 3)
        }
        text += "\(blank)</\(tag)>\n"
      }
    }
  }

  private static func prefix(_ namespace: String) -> String { prefixes[namespace] ?? "ns" }
}
