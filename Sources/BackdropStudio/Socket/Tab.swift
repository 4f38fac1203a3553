import NIOCore
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

  /// The outgoing messages.
  enum Outgoing: Equatable {
    case text(String)
    case pictures(ByteBuffer)
    /// The connection ends, with a code of RFC 6455, section 7.4.
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
    var tell: (@Sendable () -> Void)?
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
  func offer(_ bundle: ByteBuffer) { change { $0.bundle = bundle } }

  /// Takes a message.
  func say(_ text: String) {
    let isFull = change { state in
      guard state.texts.count < Self.maximumTexts else { return true }
      state.texts.append(text)
      return false
    }
    if isFull { close(code: 1013, "too slow") }
  }

  /// Says goodbye with a code of RFC 6455, section 7.4, then ends the connection.
  func close(code: UInt16, _ reason: String) {
    change { state in
      guard !state.isClosed else { return }
      (state.isClosed, state.goodbye) = (true, .end(code, reason))
      (state.texts, state.bundle) = ([], nil)
    }
  }

  /// The connection has ended.
  func close() {
    state.withLock { state in
      (state.isClosed, state.goodbye, state.tell) = (true, nil, nil)
      (state.texts, state.bundle) = ([], nil)
    }
  }

  var isClosed: Bool { state.withLock { $0.isClosed } }

  /// Calls whoever writes when there may be something to ``take()``, from any thread.
  func onChange(_ tell: @escaping @Sendable () -> Void) {
    state.withLock { $0.tell = tell }
    tell()
  }

  /// The next thing to send, once the one before is out; `nil` while there is none.
  func take() -> Outgoing? {
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
    let (result, tell) = state.withLock { (body(&$0), $0.tell) }
    tell?()
    return result
  }
}
