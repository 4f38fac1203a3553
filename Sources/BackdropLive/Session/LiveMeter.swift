import BackdropCameras
import BackdropImaging
import Libc

/// Measures a live session's work over the last seconds.
struct LiveMeter: Sendable {
  /// The number of frames that newer ones replaced.
  var dropped = 0
  /// Damaged pictures, which are left out.
  var damaged = 0
  private var arrivals = Window(), pictures = Window(), mattes = Window()
  private var lastCPU: (at: Double, used: Double)?
  private var cpu = 0.0
  /// The period of measurement, in seconds.
  private static let span = 2.0

  /// The times of events in the last seconds, and the latency of each that has one.
  private struct Window: Sendable {
    private(set) var events: [(at: Double, latency: Double?)] = []

    mutating func add(_ now: Double, latency: Double? = nil) {
      events.append((now, latency))
      trim(now)
    }

    mutating func rate(_ now: Double) -> Double {
      trim(now)
      guard let first = events.first?.at, let last = events.last?.at, last > first else { return 0 }
      let count = Double(events.count - 1)
      // The rate falls after a stop instead of freezing.
      return count / max(last - first, now - first - (last - first) / count)
    }

    private mutating func trim(_ now: Double) {
      let gone = events.prefix { $0.at < now - LiveMeter.span }.count
      if gone > 0 { events.removeFirst(gone) }
    }
  }

  mutating func frameCame(_ now: Double) { arrivals.add(now) }
  mutating func matteMade(_ now: Double) { mattes.add(now) }

  /// - Parameter taken: the time of the camera's picture; `nil` for the standby frame, which has no latency.
  mutating func pictureWent(_ now: Double, taken: Double?) {
    pictures.add(now, latency: taken.map { now - $0 })
  }

  mutating func fill(_ status: inout LiveStatus, now: Double) {
    status.framesIn = Self.rounded(arrivals.rate(now))
    status.framesOut = Self.rounded(pictures.rate(now))
    status.mattes = Self.rounded(mattes.rate(now))
    let sorted = pictures.events.compactMap(\.latency).sorted()
    if !sorted.isEmpty {
      status.latency50 = Self.rounded(sorted[sorted.count / 2] * 1000)
      status.latency95 = Self.rounded(sorted[min(sorted.count - 1, sorted.count * 95 / 100)] * 1000)
    }
    (status.dropped, status.damaged) = (dropped, damaged)
    status.cpu = Self.rounded(processorUse(now))
  }

  /// The processor use of this program, in percent of one processor, over half a second or more.
  mutating func processorUse(_ now: Double) -> Double {
    let used = ProcessorTime.seconds
    let last = lastCPU ?? (now, used)
    if now - last.at >= 0.5 { cpu = (used - last.used) / (now - last.at) * 100 }
    if lastCPU == nil || now - last.at >= 0.5 { lastCPU = (now, used) }
    return cpu
  }

  private static func rounded(_ value: Double) -> Double { (value * 10).rounded() / 10 }
}

extension MonotonicClock {
  /// The seconds that the machine has slept since it started; the monotonic clock does not count them.
  static var slept: Double { StageClock.seconds(of: CLOCK_BOOTTIME) - seconds }
}

enum ProcessorTime {
  /// The processor time of all threads, in seconds.
  static var seconds: Double { StageClock.seconds(of: CLOCK_PROCESS_CPUTIME_ID) }
}
