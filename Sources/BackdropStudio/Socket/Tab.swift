import BackdropHTTP
import NIOCore
import Synchronization

/// The server's state of one open page: its subscription, and the data waiting to be sent to it.
///
/// The waiting data is bounded: only the newest bundle of pictures, and at most ``maximumTexts`` messages. A bundle is sent while fewer
/// than ``maximumInFlight`` earlier ones are unacknowledged. A slow page therefore gets fewer pictures, and a page that stops reading is
/// closed.
final class Tab: Sendable {
  /// The maximum number of unacknowledged bundles.
  static let maximumInFlight = 2
  /// The maximum number of waiting messages.
  static let maximumTexts = 64

  enum Outgoing: Equatable {
    case text(String)
    case pictures(ByteBuffer)
    /// The end of the connection, with a code of RFC 6455, section 7.4.
    case end(UInt16, String)
  }

  let number: Int
  private let state = Mutex(State())

  private struct State {
    var subscription = ViewSubscription()
    var texts: [String] = []
    var bundle: ByteBuffer?
    var inFlight = 0
    var isClosed = false
    var goodbye: Outgoing?
    var notify: (@Sendable () -> Void)?
  }

  init(number: Int) { self.number = number }

  // MARK: - What the page wants

  var subscription: ViewSubscription {
    get { state.withLock { $0.subscription } }
    set { state.withLock { $0.subscription = newValue } }
  }

  /// Whether a new bundle would be sent at once.
  var isReady: Bool {
    state.withLock {
      !$0.isClosed && $0.bundle == nil && $0.inFlight < Self.maximumInFlight && $0.subscription.wantsPictures
    }
  }

  /// Records that the page has shown a bundle.
  func acknowledge() { change { $0.inFlight = max(0, $0.inFlight - 1) } }

  // MARK: - What goes out

  /// Queues a bundle of pictures, which replaces a waiting one.
  func offer(_ bundle: ByteBuffer) { change { $0.bundle = bundle } }

  /// Queues the text of a message.
  func say(_ text: String) {
    let isFull = change { state in
      guard state.texts.count < Self.maximumTexts else { return true }
      state.texts.append(text)
      return false
    }
    if isFull { close(code: 1013, "too slow") }
  }

  /// Queues a message.
  func send(_ value: some Encodable) { if let text = ServerJSON.text(value) { say(text) } }

  /// Sends a code of RFC 6455, section 7.4, then ends the connection.
  func close(code: UInt16, _ reason: String) {
    change { state in
      guard !state.isClosed else { return }
      (state.isClosed, state.goodbye) = (true, .end(code, reason))
      (state.texts, state.bundle) = ([], nil)
    }
  }

  /// Records that the connection has ended.
  func close() {
    state.withLock { state in
      (state.isClosed, state.goodbye, state.notify) = (true, nil, nil)
      (state.texts, state.bundle) = ([], nil)
    }
  }

  var isClosed: Bool { state.withLock { $0.isClosed } }

  /// Sets a function that is called when there may be something to ``next()``, from any thread.
  func onChange(_ notify: @escaping @Sendable () -> Void) {
    state.withLock { $0.notify = notify }
    notify()
  }

  /// The next item to send, once the previous one is out; `nil` if there is none.
  func next() -> Outgoing? {
    state.withLock { state in
      if let goodbye = state.goodbye.take() { return goodbye }
      if !state.texts.isEmpty { return .text(state.texts.removeFirst()) }
      guard state.inFlight < Self.maximumInFlight, let bundle = state.bundle.take() else { return nil }
      state.inFlight += 1
      return .pictures(bundle)
    }
  }

  @discardableResult
  private func change<Result: Sendable>(_ body: (inout State) -> Result) -> Result {
    let (result, notify) = state.withLock { (body(&$0), $0.notify) }
    notify?()
    return result
  }
}
