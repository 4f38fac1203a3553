import BackdropImaging
import CV4L2
import Libc

/// Reports when video devices come and go, without polling.
///
/// One thread uses it at a time.
package final class DeviceWatch {
  /// Becomes readable after a change, for programs that wait for several things.
  package let descriptor: Int32
  private let isWanted: (String) -> Bool

  private init(_ path: String, events: UInt32, isWanted: @escaping (String) -> Bool) throws(BackdropError) {
    self.isWanted = isWanted
    descriptor = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))
    guard descriptor >= 0, inotify_add_watch(descriptor, path, events) >= 0 else {
      let number = errno
      throw BackdropError(
        .system, "Backdrop cannot watch for cameras being plugged in (\(systemReason(number)))",
        path: path,
        hint: number == EMFILE || number == ENOSPC ? "raise fs.inotify.max_user_instances and max_user_watches" : nil)
    }
  }

  deinit { close(descriptor) }

  /// Watches a folder for devices called `video…`, including changes of permissions, which come last.
  package static func open(_ folder: String = "/dev") throws(BackdropError) -> DeviceWatch {
    try DeviceWatch(folder, events: UInt32(IN_CREATE | IN_DELETE | IN_ATTRIB | IN_MOVED_FROM | IN_MOVED_TO)) {
      $0.hasPrefix("video")
    }
  }

  /// Watches one device for opening and closing by programs.
  static func ofUse(_ path: String) throws(BackdropError) -> DeviceWatch {
    try DeviceWatch(path, events: UInt32(IN_OPEN | IN_CLOSE_WRITE | IN_CLOSE_NOWRITE)) { _ in true }
  }

  /// Whether something changed since the last call; returns at once.
  package func hasChanged() -> Bool {
    var changed = false
    withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 8) { buffer in
      while true {
        let count = read(descriptor, buffer.baseAddress, buffer.count)
        if count < 0 && errno == EINTR { continue }
        guard count > 0 else { break }
        var position = 0
        let header = MemoryLayout<inotify_event>.size
        while position + header <= count {
          let event = buffer.loadUnaligned(fromByteOffset: position, as: inotify_event.self)
          let end = min(count, position + header + Int(event.len))
          let name = String(decoding: buffer[position + header..<end].prefix { $0 != 0 }, as: UTF8.self)
          // Events lost from the kernel's queue may have been anything.
          if event.mask & UInt32(IN_Q_OVERFLOW) != 0 || isWanted(name) { changed = true }
          position = end
        }
      }
    }
    return changed
  }

  /// Waits until something changes, and returns whether it did in that time.
  package func wait(within seconds: Double) -> Bool {
    if hasChanged() { return true }
    var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    _ = poll(&entry, 1, Int32(min(max(seconds, 0), 3600) * 1000))
    return hasChanged()
  }
}
