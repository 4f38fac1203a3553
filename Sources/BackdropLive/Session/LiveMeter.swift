import BackdropCameras
import Libc

/// Measures a live session's work over the last seconds.
struct LiveMeter: Sendable {
  /// The number of frames that newer ones replaced.
  var dropped = 0
  /// Damaged pictures, which are left out.
  var damaged = 0
  private var arrivals = Window(), pictures = Window(), mattes = Window()
  private var latencies: [(at: Double, seconds: Double)] = []
  private var lastCPU: (at: Double, used: Double)?
  private var cpu = 0.0
  /// The period of measurement, in seconds.
  private static let span = 2.0

  /// The times of events in the last seconds.
  private struct Window: Sendable {
    private var times: [Double] = []

    mutating func add(_ now: Double) {
      times.append(now)
      trim(now)
    }

    mutating func rate(_ now: Double) -> Double {
      trim(now)
      guard let first = times.first, let last = times.last, times.count > 1, last > first else { return 0 }
      // The rate falls after a stop instead of freezing.
      return Double(times.count - 1) / max(last - first, now - first - (last - first) / Double(times.count - 1))
    }

    private mutating func trim(_ now: Double) {
      let gone = times.prefix { $0 < now - LiveMeter.span }.count
      if gone > 0 { times.removeFirst(gone) }
    }
  }

  mutating func frameCame(_ now: Double) { arrivals.add(now) }
  mutating func matteMade(_ now: Double) { mattes.add(now) }

  /// - Parameter taken: the time of the camera's picture; `nil` for the standby frame, which has no latency.
  mutating func pictureWent(_ now: Double, taken: Double?) {
    pictures.add(now)
    guard let taken else { return }
    latencies.append((now, now - taken))
    let gone = latencies.prefix { $0.at < now - Self.span }.count
    if gone > 0 { latencies.removeFirst(gone) }
  }

  mutating func fill(_ status: inout LiveStatus, now: Double) {
    status.framesIn = Self.rounded(arrivals.rate(now))
    status.framesOut = Self.rounded(pictures.rate(now))
    status.mattes = Self.rounded(mattes.rate(now))
    let sorted = latencies.filter { $0.at >= now - Self.span }.map(\.seconds).sorted()
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
  static var slept: Double {
    var whole = timespec()
    clock_gettime(CLOCK_BOOTTIME, &whole)
    return Double(whole.tv_sec) + Double(whole.tv_nsec) / 1e9 - seconds
  }
}

enum ProcessorTime {
  /// The processor time of all threads, in seconds.
  static var seconds: Double {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
}
