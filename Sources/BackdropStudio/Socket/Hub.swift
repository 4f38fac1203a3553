import BackdropHTTP
import Synchronization

/// All open pages.
final class Hub: Sendable {
  static let maximumTabs = 16

  private let state = Mutex((tabs: [Tab](), last: 0))
  /// Called when a tab opens or closes, and with each of its messages.
  let listener = Mutex<(@Sendable (Event, Tab) -> Void)?>(nil)

  enum Event: Sendable {
    case came, went
    case text(String)
    case data([UInt8])
  }

  /// The open pages. A page that stopped reading counts as closed even before its connection closes.
  var tabs: [Tab] { state.withLock { $0.tabs }.filter { !$0.isClosed } }

  /// Registers a new page; `nil` if there are too many.
  func open() -> Tab? {
    let tab: Tab? = state.withLock { state in
      state.tabs.removeAll { $0.isClosed }
      guard state.tabs.count < Self.maximumTabs else { return nil }
      state.last += 1
      let tab = Tab(number: state.last)
      state.tabs.append(tab)
      return tab
    }
    if let tab { notify(.came, tab) }
    return tab
  }

  func close(_ tab: Tab) {
    tab.close()
    let wasThere = state.withLock { state in
      let count = state.tabs.count
      state.tabs.removeAll { $0 === tab }
      return state.tabs.count < count
    }
    if wasThere { notify(.went, tab) }
  }

  func closeAll() {
    for tab in tabs { tab.close(code: 1001, "the studio is closing") }
  }

  func notify(_ event: Event, _ tab: Tab) {
    let listener = listener.withLock { $0 }
    listener?(event, tab)
  }

  /// Sends a message to all pages.
  func say(_ value: some Encodable) {
    guard let text = ServerJSON.text(value) else { return }
    for tab in tabs { tab.say(text) }
  }
}
