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

  package convenience init(byteCount: Int, pool: ImagePool? = nil) {
    precondition(byteCount >= 0)
    var pointer: UnsafeMutableRawPointer?
    let status = posix_memalign(&pointer, 64, byteCount + Self.slack)
    guard status == 0, let pointer else { preconditionFailure("out of memory: \(byteCount) bytes of pixels") }
    if byteCount >= Self.large { bd_prefer_large_pages(pointer, byteCount) }
    memset(pointer + byteCount, 0, Self.slack)
    self.init(pointer, byteCount: byteCount, pool: pool)
  }

  /// Memory that `lender` owns and keeps alive, and that is only read here; ``slack`` readable bytes follow it.
  package convenience init(lent base: UnsafeMutableRawPointer, byteCount: Int, by lender: any AnyObject & Sendable) {
    self.init(base, byteCount: byteCount, lender: lender)
  }

  /// Existing memory: that of this object, which `pool` may take back, or of `lender`.
  init(
    _ base: UnsafeMutableRawPointer, byteCount: Int, pool: ImagePool? = nil, lender: (any AnyObject & Sendable)? = nil
  ) {
    (self.base, self.byteCount, self.pool, self.lender) = (base, byteCount, pool, lender)
  }

  /// Whether it is read-only.
  package var isLent: Bool { lender != nil }

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
