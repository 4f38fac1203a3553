import BackdropCameras
import BackdropImaging
import Synchronization

/// Sound for recordings: a microphone puts chunks in, and a recorder takes them out. Nothing is kept while
/// nobody records.
public final class Microphone: Sendable {
  /// A chunk of sound.
  struct Chunk: Sendable {
    var samples: [Float]
    var rate: Double
    /// When the first was heard, in seconds of the clock of the pictures.
    var seconds: Double
  }

  /// Seconds of sound that wait at most, and chunks.
  private static let maximumWait = 2.0, maximumWaiting = 400
  /// So long after its last chunk a microphone is off.
  private static let timeout = 1.0

  private struct State {
    var waiting: [Chunk] = []
    var seconds = 0.0
    var isRecorded = false
    var lastHeard = -Double.infinity
  }
  private let state = Mutex(State())

  init() {}

  /// Whether it is on: something came from it within the last second.
  public var isOn: Bool { state.withLock { MonotonicClock.seconds < $0.lastHeard + Self.timeout } }

  /// Takes a chunk of one channel.
  ///
  /// - Parameters:
  ///   - samples: −1…1.
  ///   - rate: samples in a second, 8,000…96,000.
  ///   - age: seconds since the first was heard.
  public func put(_ samples: [Float], rate: Double, age: Double) {
    guard (8000...96000).contains(rate), (0...5).contains(age) else { return }
    let now = MonotonicClock.seconds
    state.withLock { state in
      state.lastHeard = now
      guard state.isRecorded, state.seconds < Self.maximumWait, state.waiting.count < Self.maximumWaiting else {
        return
      }
      state.seconds += Double(samples.count) / rate
      state.waiting.append(Chunk(samples: samples, rate: rate, seconds: now - age))
    }
  }

  /// Keeps what comes from now on, or no more.
  func record(_ isRecorded: Bool) { state.withLock { ($0.isRecorded, $0.waiting, $0.seconds) = (isRecorded, [], 0) } }

  /// The notes since the last call.
  func take() -> [Chunk] {
    state.withLock { state in
      defer { (state.waiting, state.seconds) = ([], 0) }
      return state.waiting
    }
  }
}
