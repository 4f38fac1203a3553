import FlyingFox
import Foundation
import Synchronization

/// One open page, seen from the server: what it wants to see, and what is on its way to it.
///
/// What waits is bounded: of pictures only the newest bundle, and at most ``maximumTexts`` messages. A bundle is handed out while
/// less than ``maximumInFlight`` before it have not been acknowledged. So a page that is slow gets fewer pictures, and a page that
/// has stopped reading gets closed.
final class Tab: Sendable {
  /// Bundles that may be on their way.
  static let maximumInFlight = 2
  /// Messages that may wait.
  static let maximumTexts = 64

  let number: Int
  private let state = Mutex(State())

  private struct State {
    var subscription = ViewSubscription()
    var texts: [String] = []
    var controls: [WSFrame] = []
    var bundle: Data?
    var inFlight = 0
    var isClosed = false
    var goodbye: WSFrame?
    var waiter: CheckedContinuation<WSFrame?, Never>?

    /// What goes out next.
    mutating func take() -> WSFrame? {
      if !controls.isEmpty { return controls.removeFirst() }
      if !texts.isEmpty {
        return WSFrame(fin: true, opcode: .text, mask: nil, payload: Data(texts.removeFirst().utf8))
      }
      if let data = bundle, inFlight < Tab.maximumInFlight {
        bundle = nil
        inFlight += 1
        return WSFrame(fin: true, opcode: .binary, mask: nil, payload: data)
      }
      return nil
    }
  }

  init(number: Int) { self.number = number }

  // MARK: - What the page wants

  var subscription: ViewSubscription {
    get { state.withLock { $0.subscription } }
    set { state.withLock { $0.subscription = newValue } }
  }

  /// Whether a bundle that is made now would go out at once.
  var isHungry: Bool {
    state.withLock {
      !$0.isClosed && $0.bundle == nil && $0.inFlight < Self.maximumInFlight && $0.subscription.wantsPictures
    }
  }

  /// A bundle has arrived and was shown.
  func acknowledge() { change { $0.inFlight = max(0, $0.inFlight - 1) } }

  // MARK: - What goes out

  /// Takes a bundle of pictures; one that still waits gives way.
  func offer(_ bundle: Data) { change { $0.bundle = bundle } }

  /// Takes a message.
  func say(_ text: String) {
    let isFull = change { state in
      guard state.texts.count < Self.maximumTexts else { return true }
      state.texts.append(text)
      return false
    }
    if isFull { close(code: 1013, "too slow") }
  }

  /// Takes an answer of the protocol itself.
  func answer(_ frame: WSFrame) {
    change { if $0.controls.count < 8 { $0.controls.append(frame) } }
  }

  /// Says goodbye with a code of RFC 6455, section 7.4, then ends the connection.
  func close(code: UInt16, _ reason: String) {
    change { state in
      guard !state.isClosed else { return }
      let payload = Data([UInt8(code >> 8), UInt8(code & 255)]) + Data(reason.utf8.prefix(120))
      state.goodbye = WSFrame(fin: true, opcode: .close, mask: nil, payload: payload)
      state.isClosed = true
      (state.texts, state.bundle, state.controls) = ([], nil, [])
    }
  }

  /// Ends the connection.
  func close() {
    change { state in
      state.isClosed = true
      (state.texts, state.bundle, state.controls) = ([], nil, [])
    }
  }

  var isClosed: Bool { state.withLock { $0.isClosed } }

  /// The next frame to send; `nil` at the end.
  func next() async -> WSFrame? {
    await withCheckedContinuation { continuation in
      let found: WSFrame?? = state.withLock { state in
        if let frame = state.take() { return .some(frame) }
        if state.isClosed {
          defer { state.goodbye = nil }
          return .some(state.goodbye)
        }
        state.waiter = continuation
        return nil
      }
      if let found { continuation.resume(returning: found) }
    }
  }

  @discardableResult
  private func change<Result: Sendable>(_ body: (inout State) -> Result) -> Result {
    let (result, waiter, frame) = state.withLock { state in
      let result = body(&state)
      guard let waiter = state.waiter else {
        return (result, nil, nil) as (Result, CheckedContinuation<WSFrame?, Never>?, WSFrame?)
      }
      if let frame = state.take() {
        state.waiter = nil
        return (result, waiter, frame)
      }
      if state.isClosed {
        state.waiter = nil
        defer { state.goodbye = nil }
        return (result, waiter, state.goodbye)
      }
      return (result, nil, nil)
    }
    waiter?.resume(returning: frame)
    return result
  }
}
