import Libc

/// The clock that cameras stamp their pictures with.
package enum MonotonicClock {
  /// Seconds since some moment in the past, never set back.
  package static var seconds: Double {
    var now = timespec()
    clock_gettime(CLOCK_MONOTONIC, &now)
    return Double(now.tv_sec) + Double(now.tv_nsec) / 1e9
  }
}
