import BackdropImaging
import Synchronization

/// The limit of the bytes of uploads that a server holds at once, in transfer and stored.
package final class UploadQuota: Sendable {
  /// The limit in bytes.
  package let limit: Int
  private let hint: String
  private let used = Mutex(0)

  /// - Parameter hint: the remedy in the error if there is no room.
  package init(limit: Int = 512 << 20, hint: String) { (self.limit, self.hint) = (limit, hint) }

  /// Reserves bytes for the lifetime of the result.
  ///
  /// - Throws: `overLimit` if too few are left.
  package func reservation(for count: Int) throws(BackdropError) -> UploadReservation {
    let fits = used.withLock { used in
      guard count <= limit - used else { return false }
      used += count
      return true
    }
    guard fits else {
      throw BackdropError(
        .overLimit, "there is room for \(limit >> 20) MiB of uploads, and this one does not fit", hint: hint)
    }
    return UploadReservation(self, count)
  }

  /// The number of reserved bytes.
  package var bytesInUse: Int { used.withLock { $0 } }

  fileprivate func give(back count: Int) { used.withLock { $0 -= count } }
}

/// Reserved bytes, which return to the quota with the last reference.
package final class UploadReservation: Sendable {
  private let quota: UploadQuota, count: Int

  fileprivate init(_ quota: UploadQuota, _ count: Int) { (self.quota, self.count) = (quota, count) }

  deinit { quota.give(back: count) }
}
