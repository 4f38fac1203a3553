/// Name, type and size of a network's input or output.
package struct TensorDescription: Sendable, Equatable, Codable {
  /// Its name; may be empty.
  package var name: String
  /// Samples along each dimension; `nil` if the network leaves it open.
  package var shape: [Int?]
  /// The type of a sample: `f32`, `f16`, `i32`, `i64`, `u8`, or `other`.
  package var element: String

  /// The shape as text, such as 1×256×256×3, with ? for open dimensions.
  package var shapeText: String { shape.map { $0.map(String.init) ?? "?" }.joined(separator: "×") }
}
