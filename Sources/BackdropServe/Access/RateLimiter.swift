import Synchronization

/// Limits the requests per minute of each caller with a token bucket, which holds the tokens of ten seconds, but at
/// least one.
final class RateLimiter: Sendable {
  private struct Bucket {
    var tokens: Double
    var time: ContinuousClock.Instant
  }

  /// The maximum number of callers that are kept; the tenth with the oldest requests is removed first.
  private static let maximumCallers = 10_000
  private let buckets = Mutex<[String: Bucket]>([:])
  private let now: @Sendable () -> ContinuousClock.Instant

  init(now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }) { self.now = now }

  /// Counts a request of a caller; returns the seconds to wait if there were too many, else `nil`.
  func secondsToWait(afterRequestOf caller: String, perMinute rate: Int) -> Int? {
    let now = now()
    let (perSecond, size) = (Double(rate) / 60, max(1, Double(rate) / 6))
    return buckets.withLock { buckets in
      if buckets.count >= Self.maximumCallers && buckets[caller] == nil {
        let oldest = buckets.sorted { $0.value.time < $1.value.time }.prefix(Self.maximumCallers / 10)
        for (caller, _) in oldest { buckets[caller] = nil }
      }
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
}
