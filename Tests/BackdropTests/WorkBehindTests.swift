import BackdropImaging
import Synchronization
import TestSupport
import Testing

@testable import Backdrop

@Suite struct WorkBehindTests {
  /// Each task runs once, in the order of addition, whether at once or on a thread.
  @Test(arguments: [0, 1, 4]) func keepsTheOrder(_ pieces: Int) throws {
    let done = Mutex<[Int]>([])
    let behind = WorkBehind(pieces: pieces)
    for piece in 0..<50 { try behind.add { done.withLock { $0.append(piece) } } }
    try behind.finish()
    #expect(done.withLock { $0 } == Array(0..<50))
  }

  /// After a failure no task runs, and adding the next task or waiting for the last throws the error.
  @Test(arguments: [0, 1, 4]) func failsOnce(_ pieces: Int) {
    let done = Mutex<[Int]>([])
    let behind = WorkBehind(pieces: pieces)
    let error = refusal {
      for piece in 0..<50 {
        try behind.add { () throws(BackdropError) in
          guard piece < 7 else { throw BackdropError(.system, "piece \(piece)") }
          done.withLock { $0.append(piece) }
        }
      }
      try behind.finish()
    }
    behind.end()
    #expect(error?.message == "piece 7")
    #expect(done.withLock { $0 } == Array(0..<7))
  }
}
