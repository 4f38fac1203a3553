import Libc

/// Memory of zeros that comes to be where it is touched: of planes that are worked on near edges alone the rest takes neither room nor time.
package final class ZeroedMemory<Element: BitwiseCopyable> {
  /// The first of its elements.
  package let base: UnsafeMutablePointer<Element>
  private let byteCount: Int

  /// From there on the system gives fresh pages. The C library would clear those that it holds itself.
  private static var large: Int { 256 << 10 }

  /// Makes it, for one element at least.
  package init(count: Int) {
    precondition(MemoryLayout<Element>.alignment <= 16, "memory is aligned to 16 bytes")
    byteCount = max(1, count) * MemoryLayout<Element>.stride
    let made: UnsafeMutableRawPointer? =
      if byteCount < Self.large {
        calloc(byteCount, 1)
      } else {
        switch mmap(nil, byteCount, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) {
        case MAP_FAILED: nil
        case let pages: pages
        }
      }
    guard let made else { preconditionFailure("out of memory: \(byteCount) bytes") }
    base = made.bindMemory(to: Element.self, capacity: max(1, count))
  }

  deinit { if byteCount < Self.large { free(base) } else { munmap(base, byteCount) } }

  package subscript(index: Int) -> Element {
    get { base[index] }
    set { base[index] = newValue }
  }
}
