import Dispatch
import Synchronization
import Testing

@testable import BackdropImaging

@Suite struct BoundedQueueTests {
  @Test(arguments: [1, 2, 7]) func handsOverInOrderAndNeverMoreThanItsCapacity(_ capacity: Int) throws {
    let queue = BoundedQueue<Int>(capacity: capacity)
    let sent = Mutex(0), most = Mutex(0)
    let ended = DispatchSemaphore(value: 0)
    try DetachedThread.start {
      for value in 0..<200 {
        queue.send(value)
        sent.withLock { $0 = value + 1 }
      }
      queue.close()
      ended.signal()
    }
    var received: [Int] = []
    while let value = queue.receive() {
      // The receiver has this value; the sender may already send the next one.
      let ahead = sent.withLock { $0 } - received.count
      most.withLock { $0 = max($0, ahead) }
      received.append(value)
    }
    ended.wait()
    #expect(received == Array(0..<200))
    #expect(most.withLock { $0 } <= capacity)
    #expect(queue.receive() == nil)
    #expect(!queue.send(0))
  }

  @Test func aClosedQueueDropsWhatWaitsOnlyIfAsked() {
    for drops in [false, true] {
      let queue = BoundedQueue<Int>(capacity: 4)
      for value in 0..<3 { queue.send(value) }
      queue.close(dropping: drops)
      var rest: [Int] = []
      while let value = queue.receive() { rest.append(value) }
      #expect(rest == (drops ? [] : [0, 1, 2]))
    }
  }

  /// Closing the queue wakes a sender that waits for a free slot, without sending.
  @Test func closingFreesTheSender() throws {
    let queue = BoundedQueue<Int>(capacity: 1)
    queue.send(0)
    let ended = DispatchSemaphore(value: 0)
    try DetachedThread.start {
      #expect(!queue.send(1))
      ended.signal()
    }
    queue.close(dropping: true)
    ended.wait()
    #expect(queue.receive() == nil)
  }
}
