/// Converts sound from a microphone with its own clock to the pictures' clock.
///
/// Chunks carry the time of their first sample, with an error of some milliseconds. A phase-locked loop of second order slowly learns
/// each sample's time from them, so that sound from a clock that is fast or slow by some hundred millionths never drifts. Interpolation
/// adds or removes samples inaudibly. Gaps become silence.
struct SoundClock: Sendable {
  /// Samples per second of the result.
  static let rate = 48_000.0
  /// The largest error in seconds; a chunk with a larger one starts a new run, because the microphone changed or the page was suspended.
  static let largestError = 0.12
  /// The fractions of an error that a chunk of 20 ms corrects, in the time and in the drift.
  private static let proportional = 0.01, integral = 2.5e-5
  /// The largest relative deviation of a clock.
  private static let largestDrift = 2e-3
  /// The maximum seconds of sound kept while none is taken.
  private static let longest = 4.0

  /// A run of chunks without a gap.
  private struct Run {
    var rate: Double
    /// The time of sample 0, and the relative deviation of the microphone's clock.
    var start: Double
    var drift = 0.0
    /// The number of the sample at which both were last correct.
    var anchor = 0.0
    var samples: [Float] = []
    /// The number of the first kept sample.
    var first = 0
    /// The position of reading; `nil` before it began.
    var reading: Double?
    /// The number after the last sample.
    var end: Int { first + samples.count }

    func time(_ number: Double) -> Double { start + (number - anchor) / rate * (1 + drift) }
    /// The number of the sample at a time.
    func number(_ time: Double) -> Double { anchor + (time - start) * rate / (1 + drift) }
  }

  private var runs: [Run] = []
  /// The number of the next result sample, and the time of the first.
  private var taken = 0
  private let begin: Double

  /// - Parameter begin: the time of the first result sample.
  init(begin: Double) { self.begin = begin }

  /// The estimated relative deviation of the microphone's clock; positive if it is slow.
  var drift: Double { runs.last?.drift ?? 0 }

  /// Adds a chunk of one channel, with samples −1…1 at a rate by the microphone's clock, the first at a time by the pictures' clock.
  mutating func add(_ samples: [Float], rate: Double, at seconds: Double) {
    guard rate > 0, seconds.isFinite, !samples.isEmpty else { return }
    if var run = runs.last, run.rate == rate {
      let error = seconds - run.time(Double(run.end))
      if abs(error) <= Self.largestError {
        // The constants are for chunks of 20 ms.
        let weight = min(Double(samples.count) / rate / 0.02, 5)
        run.start = run.time(Double(run.end)) + error * Self.proportional * weight
        run.anchor = Double(run.end)
        run.drift = min(max(run.drift + error * Self.integral * weight / 0.02, -Self.largestDrift), Self.largestDrift)
        run.samples += samples
        let surplus = run.samples.count - Int(Self.longest * rate)
        if surplus > 0 {
          run.samples.removeFirst(surplus)
          run.first += surplus
        }
        runs[runs.count - 1] = run
        return
      }
    }
    // The next run cuts off one that lasted too long.
    if runs.count > 3 { runs.removeFirst() }
    runs.append(Run(rate: rate, start: seconds, samples: samples))
  }

  /// Takes all samples up to a time that have not been taken yet.
  mutating func readSamples(until seconds: Double) -> [Float] {
    let count = Int(((seconds - begin) * Self.rate).rounded(.down)) - taken
    guard count > 0 else { return [] }
    var result = [Float](repeating: 0, count: count)
    let from = begin + Double(taken) / Self.rate
    for index in runs.indices {
      let run = runs[index]
      let next = index + 1 < runs.count ? runs[index + 1].time(Double(runs[index + 1].first)) : .infinity
      let to = run.number(from + Double(count) / Self.rate)
      // Reading continues from its position, a little faster or slower, so that the sound does not jump when a chunk corrects the clock.
      var position = run.reading ?? run.number(from)
      if abs(position - run.number(from)) > 0.01 * Double(count) + 48 { position = run.number(from) }
      let pace = (to - position) / Double(count)
      position -= Double(run.first)
      for sample in 0..<count {
        if from + Double(sample) / Self.rate >= next { break }
        let whole = Int(position.rounded(.down))
        if whole >= 0, whole < run.samples.count {
          result[sample] = Self.between(run.samples, whole, Float(position - Double(whole)))
        }
        position += pace
      }
      runs[index].reading = to
    }
    taken += count
    let end = begin + Double(taken) / Self.rate
    for index in runs.indices {
      // The interpolation also reads the sample before.
      let done = min(Int(runs[index].number(end)) - 2 - runs[index].first, runs[index].samples.count)
      guard done > 0 else { continue }
      runs[index].samples.removeFirst(done)
      runs[index].first += done
    }
    while runs.count > 1, runs[0].samples.isEmpty || runs[1].time(Double(runs[1].first)) <= end { runs.removeFirst() }
    return result
  }

  /// A cubic curve through four samples (Catmull and Rom, 1974).
  private static func between(_ samples: [Float], _ index: Int, _ part: Float) -> Float {
    let b = samples[index]
    guard part != 0 else { return b }
    let (a, c) = (samples[max(0, index - 1)], samples[min(index + 1, samples.count - 1)])
    let d = samples[min(index + 2, samples.count - 1)]
    return b + 0.5 * part * (c - a + part * (2 * a - 5 * b + 4 * c - d + part * (3 * (b - c) + d - a)))
  }
}
