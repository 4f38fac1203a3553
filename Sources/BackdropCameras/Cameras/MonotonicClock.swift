import BackdropImaging
import Libc

/// The clock of cameras' timestamps.
package enum MonotonicClock {
  /// The seconds since an arbitrary point in the past; they never go back.
  package static var seconds: Double { StageClock.seconds(of: CLOCK_MONOTONIC) }
}
