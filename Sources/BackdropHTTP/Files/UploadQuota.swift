import BackdropImaging
import Synchronization

/// The limit of the bytes of uploads that a server holds at once, in transfer and stored.
package final class UploadQuota: Sendable {
  /// The limit in bytes.
  package let limit: Int
  private let hint: String
  private let isShared: Bool
  private let used = Mutex((all: 0, each: [String: Int]()))

  /// - Parameters:
  ///   - hint: the hint in the error if there is no room.
  ///   - isShared: whether no account may hold more than it leaves free. However many accounts take what they can, another one then
  ///     finds room: one can hold a half, two a third each, and so on.
  package init(limit: Int = 512 << 20, hint: String, isShared: Bool = false) {
    (self.limit, self.hint, self.isShared) = (limit, hint, isShared)
  }

  /// Reserves bytes for the lifetime of the result.
  package func reservation(for count: Int, of account: String = "") throws(BackdropError) -> UploadReservation {
    let reservation = UploadReservation(self, account)
    try reservation.grow(by: count)
    return reservation
  }

  package func hasRoom(for count: Int, of account: String) -> Bool {
    used.withLock { hasRoom(count, account, $0) }
  }

  private func hasRoom(_ count: Int, _ account: String, _ used: (all: Int, each: [String: Int])) -> Bool {
    let free = limit - used.all - count
    return free >= 0 && (!isShared || (used.each[account] ?? 0) + count <= free)
  }

  package var bytesInUse: Int { used.withLock { $0.all } }

  fileprivate func reserve(_ count: Int, _ account: String) throws(BackdropError) {
    let fits = used.withLock { used in
      guard hasRoom(count, account, used) else { return false }
      used.all += count
      used.each[account, default: 0] += count
      return true
    }
    guard fits else { throw noRoom }
  }

  package var noRoom: BackdropError {
    BackdropError(.overLimit, "there is room for \(limit >> 20) MiB of uploads, and this one does not fit", hint: hint)
  }

  fileprivate func give(back count: Int, _ account: String) {
    used.withLock { used in
      used.all -= count
      let left = (used.each[account] ?? count) - count
      used.each[account] = left == 0 ? nil : left
    }
  }
}

/// Reserved bytes, which return to the quota with the last reference.
package final class UploadReservation: Sendable {
  private let quota: UploadQuota, account: String
  private let count = Mutex(0)

  fileprivate init(_ quota: UploadQuota, _ account: String) { (self.quota, self.account) = (quota, account) }

  deinit { quota.give(back: count.withLock { $0 }, account) }

  /// Reserves more bytes.
  package func grow(by more: Int) throws(BackdropError) {
    try quota.reserve(more, account)
    count.withLock { $0 += more }
  }
}
