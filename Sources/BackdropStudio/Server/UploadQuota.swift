import BackdropImaging
import Synchronization

/// How much of what pages send may be held at once, on its way and kept.
final class UploadQuota: Sendable {
  /// Bytes.
  let limit: Int
  private let used = Mutex(0)

  init(limit: Int = 512 << 20) { self.limit = limit }

  /// Sets bytes aside until the result goes away.
  ///
  /// - Throws: `overLimit` where there are not so many left.
  func reservation(for count: Int) throws(BackdropError) -> UploadReservation {
    let fits = used.withLock { used in
      guard count <= limit - used else { return false }
      used += count
      return true
    }
    guard fits else {
      throw BackdropError(
        .overLimit, "the studio has room for \(limit >> 20) MiB of uploads, and this one does not fit",
        hint: "close photos, or restart the studio")
    }
    return UploadReservation(self, count)
  }

  /// How many bytes are set aside.
  var bytesInUse: Int { used.withLock { $0 } }

  fileprivate func give(back count: Int) { used.withLock { $0 -= count } }
}

/// Bytes of the quota, which go back to it with the last one who holds them.
final class UploadReservation: Sendable {
  private let quota: UploadQuota, count: Int

  fileprivate init(_ quota: UploadQuota, _ count: Int) { (self.quota, self.count) = (quota, count) }

  deinit { quota.give(back: count) }
}
