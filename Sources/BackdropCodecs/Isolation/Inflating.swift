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
  ///
  /// - Throws: errors of the isolated process, if one unpacks.
  func unpacked(_ packed: Span<UInt8>) throws(BackdropError) -> [UInt8]? {
    if let answer = try isolated(packed) { return answer }
    return run(packed)
  }

  package func run(_ bytes: Span<UInt8>) -> [UInt8]? {
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
