struct XMLName: Sendable, Hashable, CustomStringConvertible {
  /// The namespace's address; empty without one.
  var namespace: String
  var local: String

  init(_ namespace: String, _ local: String) {
    self.namespace = namespace
    self.local = local
  }

  var description: String { namespace + local }
}

/// An element of an XML document, with its range in the bytes.
package struct XMLElement: Sendable {
  struct Attribute: Sendable {
    var name: XMLName
    var value: String
    /// From the whitespace before the name to the closing quote.
    var range: Range<Int>
  }

  var name: XMLName
  var attributes: [Attribute] = []
  var children: [XMLElement] = []
  /// All character data directly inside, in order.
  var text = ""
  /// From the opening `<` to after the last `>`.
  var range: Range<Int>
  /// The start of the end tag; `nil` for an element without one.
  var endTag: Int?
}
