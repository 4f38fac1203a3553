import BackdropImaging
import CSandbox
import Libc

/// Memory that this process makes and another one maps. Neither can change its size.
final class SharedMemory: @unchecked Sendable {  // Readers check its content.
  /// The number by which the other process knows it.
  let slot: UInt32
  let descriptor: Int32
  let base: UnsafeMutableRawPointer
  let byteCount: Int

  /// - Throws: `system` if there is not enough memory.
  init(slot: UInt32, byteCount: Int) throws(BackdropError) {
    let page = 1 << 16
    let size = max(page, (byteCount + page - 1) / page * page)
    let made = bd_shared_memory(size)
    guard made >= 0 else { throw Self.failure }
    guard let base = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_SHARED, made, 0), base != MAP_FAILED else {
      close(made)
      throw Self.failure
    }
    (self.slot, self.base, self.byteCount, descriptor) = (slot, base, size, made)
  }

  private static var failure: BackdropError {
    BackdropError(
      .system, "Backdrop has no memory to share with its decoder (\(systemReason()))",
      hint: "close other programs and try again")
  }

  deinit {
    munmap(base, byteCount)
    close(descriptor)
  }
}
