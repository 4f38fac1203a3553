/// The name and the parameters of a camera's address: `talking?seed=2&size=640x480`.
package struct AddressParameters {
  /// The part before the question mark.
  package let name: String
  /// The parameters in their order, each name once.
  package private(set) var all: [(key: String, value: String)] = []

  /// Parses `rest`, the part of an address after the kind of camera; the whole address is for messages.
  ///
  /// - Throws: `wrongArgument` for a duplicate parameter.
  package init(_ address: String, _ rest: Substring) throws(BackdropError) {
    let mark = rest.firstIndex(of: "?") ?? rest.endIndex
    name = String(rest[..<mark])
    for part in rest[mark...].dropFirst().split(separator: "&") {
      let equals = part.firstIndex(of: "=") ?? part.endIndex
      let key = String(part[..<equals])
      guard !all.contains(where: { $0.key == key }) else {
        throw BackdropError(.wrongArgument, "you gave '\(key)' twice", path: address, hint: "give it once")
      }
      all.append((key, String(part[equals...].dropFirst())))
    }
  }

  /// A parameter's size, such as `640x480`.
  ///
  /// - Throws: `wrongArgument` unless both sides are in `sides`.
  package static func size(
    _ key: String, _ value: String, sides: ClosedRange<Int>
  ) throws(BackdropError) -> (width: Int, height: Int) {
    let numbers = value.split(separator: "x", omittingEmptySubsequences: false).map { Int($0) ?? 0 }
    guard numbers.count == 2, numbers.allSatisfy({ sides.contains($0) }) else {
      throw bad(key, value, "WIDTHxHEIGHT, each from \(sides.lowerBound) to \(sides.upperBound)")
    }
    return (numbers[0], numbers[1])
  }

  package static func bad(_ key: String, _ value: String, _ wanted: String) -> BackdropError {
    BackdropError(.wrongArgument, "'\(value)' is not a value for '\(key)'", hint: "give \(wanted)")
  }
}
