import BackdropImaging
import Dispatch
import Foundation
import Synchronization

/// The frames of an input, read on a thread of its own while those before are worked on.
///
/// Until ``stop()`` has returned nobody else may use the input.
final class ReadAhead {
  private typealias Step = Result<JobInput.TimedFrame?, BackdropError>

  private let input: JobInput
  private let frames: Int
  private let shared = Shared()
  private var isOver = false

  private final class Shared: Sendable {
    let state = Mutex(State())
    // Semaphores must not go away with a smaller value than they were made with, so this one begins at none.
    let room = DispatchSemaphore(value: 0)
    let ready = DispatchSemaphore(value: 0)
    let ended = DispatchSemaphore(value: 0)
  }

  private struct State {
    var steps: [Step] = []
    var isStopped = false
  }

  /// - Parameter frames: how many are read ahead; 0 reads each when it is asked for, on the caller's thread.
  init(_ input: JobInput, frames: Int) {
    self.input = input
    self.frames = frames
    guard frames > 0 else { return }
    for _ in 0..<frames { shared.room.signal() }
    let handed = HandedOver(input)
    Thread.detachNewThread { [shared] in
      while true {
        shared.room.wait()
        if shared.state.withLock({ $0.isStopped }) { break }
        let step: Step
        do throws(BackdropError) {
          step = .success(try handed.value.next())
        } catch {
          step = .failure(error)
        }
        let isLast = if case .success(.some) = step { false } else { true }
        shared.state.withLock { $0.steps.append(step) }
        shared.ready.signal()
        if isLast { break }
      }
      shared.ended.signal()
    }
  }

  /// The next frame; `nil` at the end.
  func next() throws(BackdropError) -> JobInput.TimedFrame? {
    guard frames > 0 else { return try input.next() }
    guard !isOver else { return nil }
    shared.ready.wait()
    let step = shared.state.withLock { $0.steps.removeFirst() }
    shared.room.signal()
    if case .success(.some) = step {} else { isOver = true }
    return try step.get()
  }

  /// Ends reading and waits until it has ended; the input is the caller's again.
  func stop() {
    guard frames > 0,
      !shared.state.withLock({ state in
        defer { state.isStopped = true }
        return state.isStopped
      })
    else { return }
    shared.room.signal()
    shared.ended.wait()
  }
}
