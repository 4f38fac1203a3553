import BackdropImaging

/// The reason that compressed data cannot be decoded.
struct DecompressionFailure: Error {
  var reason: String
  init(_ reason: String) { self.reason = reason }

  static let cutOff = DecompressionFailure("it ends too early")
  static let tooLong = DecompressionFailure("it is longer than it claims")
  static let badDistance = DecompressionFailure("it refers to data before its beginning")
}

/// Lets `decode` fill `count` bytes, all of them, with decompressed data.
///
/// - Parameter name: the name of the compression.
/// - Throws: `badData` if it fails.
func decompressed(
  _ bytes: Span<UInt8>, count: Int, _ name: String,
  _ decode: (UnsafeRawBufferPointer, UnsafeMutableBufferPointer<UInt8>) throws(DecompressionFailure) -> Void
) throws(BackdropError) -> [UInt8] {
  precondition(count >= 0, "a count is not negative")
  var failure: DecompressionFailure?
  let result = [UInt8](unsafeUninitializedCapacity: count) { target, used in
    let target = UnsafeMutableBufferPointer(rebasing: target[..<count])
    failure = bytes.withUnsafeBytes { source in
      do throws(DecompressionFailure) {
        try decode(source, target)
        return nil
      } catch {
        return error
      }
    }
    used = failure == nil ? count : 0
  }
  guard let failure else { return result }
  throw BackdropError(damaged: "the \(name) data is damaged (\(failure.reason))")
}
