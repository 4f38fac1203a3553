import BackdropImaging
import CZlib

/// Unpacks a raw stream of RFC 1951: a file of a ZIP archive, a block of an OpenEXR picture.
package struct Inflating: IsolatedFunction {
  package static let name = "inflate"
  private let count: Int

  /// - Parameter count: the number of unpacked bytes.
  init(count: Int) { self.count = count }

  package init(from wire: inout WireReader) throws(BackdropError) { count = try wire.read() }
  package func write(to wire: inout WireWriter) { wire.write(count) }

  /// The unpacked bytes; `nil` unless there are `count` of them and the stream ends there.
  package func run(_ bytes: Span<UInt8>, of file: DecodedFile?) -> [UInt8]? {
    var isWhole = false
    let result = [UInt8](unsafeUninitializedCapacity: count) { target, used in
      isWhole =
        bytes.withUnsafeBufferPointer { bd_inflate_exactly($0.baseAddress, $0.count, target.baseAddress, count) } == 1
      used = isWhole ? count : 0
    }
    return isWhole ? result : nil
  }

  package func accepts(_ answer: [UInt8]?, byteCount: Int) -> Bool { answer.map { $0.count == count } ?? true }
}
