import Foundation

/// Times of a job and of a plain memory copy, measured alternately.
struct Result {
  var times: [Double]
  var copies: [Double]

  private static func milliseconds(_ value: Double) -> String { String(format: "%.4f", value) }

  private func fields() -> [(String, String)] {
    let sorted = times.sorted()
    return [
      ("min_ms", Self.milliseconds(sorted[0])),
      ("median_ms", Self.milliseconds(sorted[sorted.count / 2])),
      ("max_ms", Self.milliseconds(sorted[sorted.count - 1])),
      ("memcpy_ms", Self.milliseconds(copies.sorted()[copies.count / 2])),
    ]
  }

  func json(_ workload: String, _ variant: String, _ size: Size, _ threads: Int) -> String {
    let numbers = fields().map { "\"\($0.0)\": \($0.1)" }.joined(separator: ", ")
    return
      "{\"workload\": \"\(workload)\", \"variant\": \"\(variant)\", \"size\": \"\(size)\", \"threads\": \(threads), \(numbers)}"
  }

  func text(_ workload: String, _ variant: String, _ size: Size, _ threads: Int) -> String {
    let numbers = fields().map { "\($0.0.dropLast(3)) \($0.1) ms" }.joined(separator: "  ")
    return "\(workload) \(variant) \(size) \(threads) thread\(threads == 1 ? "" : "s"): \(numbers)"
  }
}

/// Runs the job `rounds` times after a few warm-up rounds, each followed by a memory copy of as many bytes as its output.
///
/// - Parameter clock: elapsed time, or the processor time of the process, which varies less on a busy machine.
func measure(_ job: Job, rounds: Int, clock: clockid_t) -> Result {
  let source = [UInt8](repeating: 1, count: job.byteCount)
  var target = [UInt8](repeating: 0, count: job.byteCount)
  var result = Result(times: [], copies: [])
  for round in -3..<max(1, rounds) {
    let time = milliseconds(clock, job.run)
    let copy = milliseconds(clock) {
      source.withUnsafeBytes { from in
        target.withUnsafeMutableBytes { to in _ = memcpy(to.baseAddress!, from.baseAddress!, from.count) }
      }
    }
    if round >= 0 {
      result.times.append(time)
      result.copies.append(copy)
    }
  }
  return result
}

/// The milliseconds that `body` takes.
func milliseconds(_ clock: clockid_t = CLOCK_MONOTONIC, _ body: () throws -> Void) rethrows -> Double {
  var start = timespec()
  var end = timespec()
  clock_gettime(clock, &start)
  try body()
  clock_gettime(clock, &end)
  return Double(end.tv_sec - start.tv_sec) * 1e3 + Double(end.tv_nsec - start.tv_nsec) / 1e6
}
