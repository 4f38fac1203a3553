import CBackdropKernels
import Libc

/// The one place that owns raw pixel memory: 64-byte aligned, with a tail that vector loops may read.
///
/// Planes and images share it and copy on write; nobody writes to it while it is shared, which is what makes it sendable.
public final class PixelStorage: @unchecked Sendable {
  /// Bytes after the end that may be read (never written) by a kernel that works in whole vectors.
  package static let slack = 128
  /// Bytes from which on large pages are asked for.
  private static let large = 4 << 20

  package let base: UnsafeMutableRawPointer
  /// Usable bytes, without the slack.
  public let byteCount: Int
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

  /// Memory that is somebody else's for as long as `lender` lives, and only read here: with ``slack`` bytes behind it.
  package init(lent base: UnsafeMutableRawPointer, byteCount: Int, by lender: any AnyObject & Sendable) {
    self.base = base
    self.byteCount = byteCount
    self.lender = lender
    pool = nil
  }

  /// Whether nobody may ever write to it.
  package var isLent: Bool { lender != nil }

  private init(base: UnsafeMutableRawPointer, byteCount: Int, pool: ImagePool) {
    self.base = base
    self.byteCount = byteCount
    self.pool = pool
    lender = nil
  }

  /// Wraps memory that came back to `pool` earlier.
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
