import Libc

/// The clock of cameras' timestamps.
package enum MonotonicClock {
  /// The seconds since an arbitrary point in the past; they never go back.
  package static var seconds: Double {
    var now = timespec()
    clock_gettime(CLOCK_MONOTONIC, &now)
    return Double(now.tv_sec) + Double(now.tv_nsec) / 1e9
  }
}
