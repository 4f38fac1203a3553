extension [UInt8] {
  /// The bytes of all parts, one after the other.
  package init(joining parts: [UInt8]...) { self = parts.flatMap { $0 } }
}
