import BackdropImaging

extension JSONReader {
  /// The value of a text; `failure` if it is none.
  static func decode<Value: Decodable>(
    _ bytes: [UInt8], failure: @autoclosure () -> BackdropError
  ) throws(BackdropError) -> Value {
    do { return try decode(Value.self, from: bytes) } catch { throw failure() }
  }
}
