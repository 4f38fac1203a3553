import Libc
import Synchronization

/// Reuses the pixel memory of released images for new images of the same byte count.
///
/// Memory returns to the pool when the last copy of an image is released, on any thread.
public final class ImagePool: Sendable {
  private struct Free: @unchecked Sendable {
    // Owned by the list: each pointer is in it exactly once and not in any storage.
    var blocks: [(base: UnsafeMutableRawPointer, byteCount: Int)] = []
  }

  private let unused = Mutex(Free())
  private let limit: Int

  /// Creates a pool that keeps at most `limit` free blocks; any beyond that are freed.
  public init(limit: Int = 8) { self.limit = limit }

  deinit {
    unused.withLock { for block in $0.blocks { free(block.base) } }
  }

  func keep(_ base: UnsafeMutableRawPointer, byteCount: Int) -> Bool {
    // `withLock` requires sendable captures, so the address is passed as a number.
    let address = UInt(bitPattern: base)
    return unused.withLock { list in
      guard list.blocks.count < limit, let base = UnsafeMutableRawPointer(bitPattern: address) else { return false }
      list.blocks.append((base, byteCount))
      return true
    }
  }

  /// Storage of exactly `byteCount` bytes with undefined contents, reusing a free block.
  package func storage(byteCount: Int) -> PixelStorage {
    let address = unused.withLock { list -> UInt in
      guard let index = list.blocks.lastIndex(where: { $0.byteCount == byteCount }) else { return 0 }
      return UInt(bitPattern: list.blocks.remove(at: index).base)
    }
    guard let base = UnsafeMutableRawPointer(bitPattern: address) else {
      return PixelStorage(byteCount: byteCount, pool: self)
    }
    return PixelStorage(base, byteCount: byteCount, pool: self)
  }
}
