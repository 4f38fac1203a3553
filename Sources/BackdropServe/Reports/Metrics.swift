import Synchronization

/// Counters and gauges in the format of Prometheus (text format 0.0.4).
final class Metrics: Sendable {
  /// A value that is read for each report.
  typealias Gauge = (name: String, help: String, value: @Sendable () -> Int)

  private struct Outcome: Hashable, Comparable {
    let route: String, status: Int

    static func < (one: Self, other: Self) -> Bool { (one.route, one.status) < (other.route, other.status) }
  }

  private struct Durations {
    var counts = [Int](repeating: 0, count: Metrics.bounds.count + 1)
    var sum = 0.0
  }

  /// The upper bounds of the histogram's buckets, in seconds.
  static let bounds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60]

  private let state = Mutex((outcomes: [Outcome: Int](), durations: [String: Durations]()))
  private let gauges: [Gauge]

  init(_ gauges: [Gauge]) { self.gauges = gauges }

  func count(route: String, status: Int, seconds: Double) {
    state.withLock { state in
      state.outcomes[Outcome(route: route, status: status), default: 0] += 1
      let bucket = Self.bounds.firstIndex { seconds <= $0 } ?? Self.bounds.count
      state.durations[route, default: Durations()].counts[bucket] += 1
      state.durations[route, default: Durations()].sum += seconds
    }
  }

  var text: String {
    let (outcomes, durations) = state.withLock { $0 }
    var lines = [
      "# HELP backdrop_requests_total Requests that were answered.", "# TYPE backdrop_requests_total counter",
    ]
    lines += outcomes.sorted { $0.key < $1.key }.map {
      "backdrop_requests_total{route=\"\($0.key.route)\",status=\"\($0.key.status)\"} \($0.value)"
    }
    let name = "backdrop_request_duration_seconds"
    lines += ["# HELP \(name) From a request's head to its answer.", "# TYPE \(name) histogram"]
    for (route, times) in durations.sorted(by: { $0.key < $1.key }) {
      var sum = 0
      for (bound, count) in zip(Self.bounds.map { "\($0)" } + ["+Inf"], times.counts) {
        sum += count
        lines.append("\(name)_bucket{route=\"\(route)\",le=\"\(bound)\"} \(sum)")
      }
      lines += ["\(name)_sum{route=\"\(route)\"} \(times.sum)", "\(name)_count{route=\"\(route)\"} \(sum)"]
    }
    for gauge in gauges {
      lines += [
        "# HELP \(gauge.name) \(gauge.help)", "# TYPE \(gauge.name) gauge", "\(gauge.name) \(Double(gauge.value()))",
      ]
    }
    return lines.joined(separator: "\n") + "\n"
  }
}
