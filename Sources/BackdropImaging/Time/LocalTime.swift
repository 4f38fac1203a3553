import Libc

package enum LocalTime {
  /// The current time, for file names: `2026-11-22-214530`.
  package static var stamp: String {
    var now = time(nil)
    var parts = tm()
    localtime_r(&now, &parts)
    return withUnsafeTemporaryAllocation(of: CChar.self, capacity: 64) { buffer in
      // The buffer has a capacity above zero, so it has an address; the format yields numbers of known lengths.
      strftime(buffer.baseAddress!, buffer.count, "%Y-%m-%d-%H%M%S", &parts)
      return String(cString: buffer.baseAddress!)
    }
  }
}
