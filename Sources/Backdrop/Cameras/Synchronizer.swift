/// Joins a camera's separate pictures and distances into frames of one moment each.
///
/// Pictures set the times: a frame is complete when the distances within the tolerance of its picture have arrived, if it needs any. The
/// synchronizer counts late, early and out-of-order samples, and never joins them to another moment's picture. It has no clock: times
/// come with the samples and the calls.
package struct Synchronizer: Sendable {
  package struct Rules: Sendable {
    /// The largest time difference within a frame, in seconds; half the time between two pictures is usual.
    package var tolerance: Double
    /// How long a picture waits for its distances, in seconds.
    package var timeout: Double
    package var wantsDepth: Bool

    package init(tolerance: Double = 1.0 / 60, timeout: Double = 0.1, wantsDepth: Bool = true) {
      (self.tolerance, self.timeout, self.wantsDepth) = (tolerance, timeout, wantsDepth)
    }
  }

  package struct Counts: Sendable, Equatable {
    package var complete = 0
    /// Distances that came after their picture was delivered or dropped.
    package var late = 0
    /// Distances that came in time but never found their picture.
    package var early = 0
    /// Pictures dropped because their distances were missing or newer pictures replaced them.
    package var dropped = 0
    /// Samples older than the previous one of the same kind, or without a time.
    package var outOfOrder = 0

    package init() {}
  }

  private struct Queue<Value: Sendable>: Sendable {
    var waiting: [(value: Value, seconds: Double)] = []
    /// Waiting samples up to this time have been joined with a picture.
    var joined = -Double.infinity
    var last = -Double.infinity

    /// Records a time and returns true, if it is a number and later than the last.
    mutating func accept(_ seconds: Double) -> Bool {
      guard seconds.isFinite && seconds > last else { return false }
      last = seconds
      return true
    }

    /// Removes older samples; returns how many were never joined.
    mutating func forget(before limit: Double) -> Int {
      let lost = waiting.count { $0.seconds < limit && $0.seconds > joined }
      waiting.removeAll { $0.seconds < limit }
      return lost
    }

    func nearest(to seconds: Double) -> (value: Value, seconds: Double)? {
      waiting.min { abs($0.seconds - seconds) < abs($1.seconds - seconds) }
    }
  }

  package private(set) var counts = Counts()
  private let rules: Rules
  private var pictures = Queue<Image>()
  private var depths = Queue<DepthMap>()
  private var whole: (frame: Scene, seconds: Double)?
  private var lastShown = -Double.infinity
  /// The most samples kept of one kind, which bounds the memory while one stream stalls.
  private static let most = 8

  package init(_ rules: Rules = Rules()) { self.rules = rules }

  package mutating func add(_ sample: LiveSample) {
    let seconds = sample.seconds
    switch sample.content {
    case .picture(let image):
      guard pictures.accept(seconds) else { return counts.outOfOrder += 1 }
      pictures.waiting.append((image, seconds))
      if pictures.waiting.count > Self.most {
        pictures.waiting.removeFirst()
        counts.dropped += 1
      }
    case .depth(let map):
      guard depths.accept(seconds) else { return counts.outOfOrder += 1 }
      guard seconds >= lastShown - rules.tolerance else { return counts.late += 1 }
      depths.waiting.append((map, seconds))
      if depths.waiting.count > Self.most {
        depths.waiting.removeFirst()
        counts.early += 1
      }
    case .frame(let frame):
      guard pictures.accept(seconds) else { return counts.outOfOrder += 1 }
      if whole != nil { counts.dropped += 1 }
      whole = (frame, seconds)
    }
  }

  /// The next complete frame, oldest first; `nil` if none is complete now, by the samples' clock in seconds.
  package mutating func next(at now: Double) -> (frame: Scene, seconds: Double)? {
    if let whole {
      self.whole = nil
      counts.complete += 1
      lastShown = whole.seconds
      return whole
    }
    while let (image, seconds) = pictures.waiting.first {
      let depth = rules.wantsDepth ? depths.nearest(to: seconds) : nil
      if !rules.wantsDepth || depth.map({ abs($0.seconds - seconds) <= rules.tolerance }) ?? false {
        pictures.waiting.removeFirst()
        forget(before: seconds)
        depths.joined = depth?.seconds ?? depths.joined
        lastShown = seconds
        counts.complete += 1
        return (Scene(image: image, depth: depth?.value, time: seconds), seconds)
      }
      let cannotCome = depths.last > seconds + rules.tolerance
      guard cannotCome || now > seconds + rules.timeout else { return nil }
      pictures.waiting.removeFirst()
      counts.dropped += 1
      lastShown = seconds
      forget(before: seconds)
    }
    return nil
  }

  /// Removes samples that no later picture can need. The nearest stays, because a faster camera may need it for a second picture.
  private mutating func forget(before seconds: Double) {
    counts.early += depths.forget(before: seconds - rules.tolerance)
  }
}
