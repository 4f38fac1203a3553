import Synchronization

/// Holds each caller to so many requests a minute: a bucket of as many tokens as ten seconds bring, and one at least.
final class RateLimiter: Sendable {
  private struct Bucket {
    var tokens: Double
    var time: ContinuousClock.Instant
  }

  /// Callers that are remembered; those who have asked least recently are forgotten first.
  private static let maximumCallers = 10_000
  private let buckets = Mutex<[String: Bucket]>([:])
  private let now: @Sendable () -> ContinuousClock.Instant

  init(now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }) { self.now = now }

  /// Takes a request of a caller; the seconds to wait where there were too many, else `nil`.
  func take(_ caller: String, perMinute rate: Int) -> Int? {
    let now = now()
    let (perSecond, size) = (Double(rate) / 60, max(1, Double(rate) / 6))
    return buckets.withLock { buckets in
      if buckets.count >= Self.maximumCallers && buckets[caller] == nil { Self.forget(&buckets) }
      var bucket = buckets[caller] ?? Bucket(tokens: size, time: now)
      bucket.tokens = min(size, bucket.tokens + (now - bucket.time) / .seconds(1) * perSecond)
      bucket.time = now
      defer { buckets[caller] = bucket }
      guard bucket.tokens < 1 else {
        bucket.tokens -= 1
        return nil
      }
      return max(1, Int(((1 - bucket.tokens) / perSecond).rounded(.up)))
    }
  }

  private static func forget(_ buckets: inout [String: Bucket]) {
    for (caller, _) in buckets.sorted(by: { $0.value.time < $1.value.time }).prefix(maximumCallers / 10) {
      buckets[caller] = nil
    }
  }
}
