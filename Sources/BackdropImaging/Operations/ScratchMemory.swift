import CBackdropKernels
import Libc

/// Memory for intermediate rows, kept between calls, so that repeated operations allocate nothing.
///
/// It holds one block, which grows to the largest request. Use one per thread, without sharing.
package final class ScratchMemory {
  private var base: UnsafeMutableRawPointer?
  private var byteCount = 0

  /// Makes an empty one; the first operation allocates.
  package init() {}

  deinit { free(base) }

  /// Returns to the system the freed memory that the allocator keeps. Call it before a step that needs much memory.
  package static func giveBack() { bd_give_back_memory() }

  /// Prepares the program for large blocks: call it once, before the first thread starts. Two heaps for each processor are enough that
  /// threads seldom wait for one; more would keep more freed memory (40 MB while a 4K video is made).
  package static func expectLargeBlocks() { bd_expect_large_blocks(Int32(2 * WorkerPool.processorCount)) }

  /// A block of at least `byteCount` bytes, 64-byte aligned, with undefined contents; the previous one becomes invalid.
  func reserve(_ byteCount: Int) -> UnsafeMutableRawPointer {
    if let base, byteCount <= self.byteCount { return base }
    free(base)
    base = nil
    var pointer: UnsafeMutableRawPointer?
    let status = posix_memalign(&pointer, 64, max(byteCount, 64))
    guard status == 0, let pointer else { preconditionFailure("out of memory: \(byteCount) bytes of scratch") }
    base = pointer
    self.byteCount = byteCount
    return pointer
  }
}

/// Adds up the parts of a scratch block, each 64-byte aligned.
struct ScratchLayout {
  private(set) var byteCount = 0

  /// The offset of a new part.
  mutating func part(_ bytes: Int) -> Int {
    let offset = byteCount
    byteCount += (bytes + 63) / 64 * 64
    return offset
  }
}
