/// The keys of an object in JSON, without its values, to find unknown ones.
package struct JSONKeys: Decodable {
  /// `nil` if the text is not an object.
  package let names: [String]?

  package init(from decoder: any Decoder) {
    // Decoders refuse containers of another kind, which reveals the kind.
    names = (try? decoder.container(keyedBy: AnyKey.self))?.allKeys.map(\.stringValue)
  }
}
