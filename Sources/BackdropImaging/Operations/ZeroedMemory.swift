import Libc

/// Zeroed memory, allocated on first access: planes used only near edges take neither space nor time elsewhere.
package final class ZeroedMemory<Element: BitwiseCopyable> {
  package let base: UnsafeMutablePointer<Element>
  private let byteCount: Int
  private let isMapped: Bool

  /// From this size on, memory is mapped: the system provides fresh zero pages, while the C library would clear reused ones.
  private static var large: Int { 256 << 10 }

  /// Makes memory for `count` elements, at least one.
  package init(count: Int) {
    precondition(MemoryLayout<Element>.alignment <= 16, "memory is aligned to 16 bytes")
    byteCount = max(1, count) * MemoryLayout<Element>.stride
    let pages =
      byteCount < Self.large
      ? MAP_FAILED : mmap(nil, byteCount, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
    isMapped = pages != MAP_FAILED
    // The number of mappings is limited, so a failed one falls back to the C library.
    guard let made = isMapped ? pages : calloc(byteCount, 1) else {
      preconditionFailure("out of memory: \(byteCount) bytes")
    }
    base = made.bindMemory(to: Element.self, capacity: max(1, count))
  }

  deinit { if isMapped { munmap(base, byteCount) } else { free(base) } }

  package subscript(index: Int) -> Element {
    get { base[index] }
    set { base[index] = newValue }
  }
}
