import BackdropCameras
import BackdropImaging
import Synchronization

/// A buffer of sound for recordings: a microphone puts chunks in, and a recorder takes them out. It keeps nothing while
/// no recording runs.
package final class Microphone: Sendable {
  struct Chunk: Sendable {
    var samples: [Float]
    var rate: Double
    /// The time of the first sample, in seconds of the pictures' clock.
    var seconds: Double
  }

  /// The maximum waiting sound, in seconds and in chunks.
  private static let maximumWait = 2.0, maximumWaiting = 400
  /// The seconds after its last chunk when a microphone counts as off.
  private static let timeout = 1.0

  private struct State {
    var waiting: [Chunk] = []
    var seconds = 0.0
    var isRecorded = false
    var lastHeard = -Double.infinity
  }
  private let state = Mutex(State())

  /// Whether the microphone is on, which means that it delivered sound within the last second.
  package var isOn: Bool { state.withLock { MonotonicClock.seconds < $0.lastHeard + Self.timeout } }

  /// Adds a chunk of one channel: samples −1…1, of which there are 8,000…96,000 per second, and the seconds since the first of them.
  package func put(_ samples: [Float], rate: Double, age: Double) {
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

  /// Starts or stops keeping new chunks.
  func record(_ isRecorded: Bool) { state.withLock { ($0.isRecorded, $0.waiting, $0.seconds) = (isRecorded, [], 0) } }

  /// Returns the chunks since the last call.
  func drain() -> [Chunk] {
    state.withLock { state in
      defer { (state.waiting, state.seconds) = ([], 0) }
      return state.waiting
    }
  }
}
