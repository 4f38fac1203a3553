import CBackdropKernels
import Libc

/// The only owner of raw pixel memory: 64-byte aligned, with a tail that vector loops may read.
///
/// Planes and images share it and copy on write. It is never written while shared, which makes it sendable.
package final class PixelStorage: @unchecked Sendable {
  /// Bytes after the end that a kernel with whole vectors may read, never write.
  package static let slack = 128
  /// From this size on large pages are requested.
  private static let large = 4 << 20

  package let base: UnsafeMutableRawPointer
  /// Usable bytes, without the slack.
  package let byteCount: Int
  private let pool: ImagePool?
  private let lender: (any AnyObject & Sendable)?

  package init(byteCount: Int, pool: ImagePool? = nil) {
    precondition(byteCount >= 0)
    var pointer: UnsafeMutableRawPointer?
    let status = posix_memalign(&pointer, 64, byteCount + Self.slack)
    guard status == 0, let pointer else { preconditionFailure("out of memory: \(byteCount) bytes of pixels") }
    if byteCount >= Self.large { bd_prefer_large_pages(pointer, byteCount) }
    memset(pointer + byteCount, 0, Self.slack)
    base = pointer
    self.byteCount = byteCount
    self.pool = pool
    lender = nil
  }

  /// Memory that `lender` owns and keeps alive, and that is only read here; ``slack`` readable bytes follow it.
  package init(lent base: UnsafeMutableRawPointer, byteCount: Int, by lender: any AnyObject & Sendable) {
    self.base = base
    self.byteCount = byteCount
    self.lender = lender
    pool = nil
  }

  /// Whether it is read-only.
  package var isLent: Bool { lender != nil }

  private init(base: UnsafeMutableRawPointer, byteCount: Int, pool: ImagePool) {
    self.base = base
    self.byteCount = byteCount
    self.pool = pool
    lender = nil
  }

  /// Wraps memory that `pool` took back earlier.
  static func reusing(_ base: UnsafeMutableRawPointer, byteCount: Int, pool: ImagePool) -> PixelStorage {
    PixelStorage(base: base, byteCount: byteCount, pool: pool)
  }

  deinit {
    if isLent { return }
    if let pool, pool.keep(base, byteCount: byteCount) { return }
    free(base)
  }

  func copy() -> PixelStorage {
    let fresh = PixelStorage(byteCount: byteCount)
    memcpy(fresh.base, base, byteCount)
    return fresh
  }
}
