import Synchronization

/// Opens a library when first needed, once for the process. After a failure the next call tries again, because a user may have installed
/// it meanwhile.
package final class OpenedOnce<Library: Sendable>: Sendable {
  private let opened = Mutex<Library?>(nil)
  private let open: @Sendable () throws(BackdropError) -> Library

  /// - Parameter open: opens the library; never called again once it has succeeded.
  package init(_ open: @escaping @Sendable () throws(BackdropError) -> Library) { self.open = open }

  /// The library.
  package func library() throws(BackdropError) -> Library {
    try opened.withLock { (opened) throws(BackdropError) in
      if let opened { return opened }
      let found = try open()
      opened = found
      return found
    }
  }
}
