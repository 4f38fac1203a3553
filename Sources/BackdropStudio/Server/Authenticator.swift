import BackdropHTTP
import BackdropLive
import NIOHTTP1
import Synchronization

/// Authenticates browsers by a short-lived code that works once, or by the password. A session has a cookie with a secret, which the
/// studio keeps only in memory until it ends.
final class Authenticator: Sendable {
  static let codeLife = Duration.seconds(StudioOptions.linkLife)
  /// The maximum numbers of codes, sessions and addresses; the oldest is forgotten first.
  private static let maximumCodes = 16, maximumSessions = 64, maximumAddresses = 256
  /// The longest wait after wrong passwords.
  private static let maximumWait = Duration.seconds(300)

  private struct State {
    var codes: [(text: String, end: ContinuousClock.Instant)] = []
    var sessions: [String] = []
    /// The number of consecutive wrong passwords of each address, and the time of its next permitted attempt; the newest is last.
    var failures: [(peer: String, count: Int, next: ContinuousClock.Instant)] = []
  }

  private let password: String?
  private let state = Mutex(State())
  private let cookieName = Mutex("backdrop")
  private let now: @Sendable () -> ContinuousClock.Instant

  init(password: String?, now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }) {
    (self.password, self.now) = (password, now)
  }

  /// Puts the port into the cookie's name: cookies ignore ports, and two studios on one machine need separate cookies.
  func open(port: Int) { cookieName.withLock { $0 = "backdrop-\(port)" } }

  var cookie: String { cookieName.withLock { $0 } }

  var acceptsPassword: Bool { password != nil }

  // MARK: - Codes

  func makeCode() -> String {
    let code = Secret.make()
    let now = now()
    state.withLock { state in
      state.codes.removeAll { $0.end < now }
      state.codes = state.codes.suffix(Self.maximumCodes - 1) + [(code, now + Self.codeLife)]
    }
    return code
  }

  /// Begins a session for a code, which works once, and returns its secret; `nil` for a wrong or expired code.
  func logIn(code: String) -> String? {
    let now = now()
    return state.withLock { state in
      guard let index = state.codes.firstIndex(where: { Secret.areEqual($0.text, code) }) else { return nil }
      let known = state.codes.remove(at: index)
      return known.end >= now ? Self.begin(&state) : nil
    }
  }

  // MARK: - Passwords

  enum LoginResult: Equatable {
    case session(String)
    case wrong
    /// The attempt came too early and was not checked.
    case early(Duration)
  }

  /// Tries a password from an address.
  ///
  /// After each wrong password, its address must wait longer: 1, 2, 4, … seconds. This delays an attacker, but no other address.
  func logIn(password given: String, from peer: String) -> LoginResult {
    guard let password else { return .wrong }
    let now = now()
    return state.withLock { state in
      let index = state.failures.firstIndex { $0.peer == peer }
      let known = index.map { state.failures.remove(at: $0) }
      if let known, now < known.next {
        state.failures.append(known)
        return .early(known.next - now)
      }
      guard Secret.areEqual(given, password) else {
        let count = (known?.count ?? 0) + 1
        let wait = min(Self.maximumWait, .seconds(1 << min(count - 1, 16)))
        state.failures = state.failures.suffix(Self.maximumAddresses - 1) + [(peer, count, now + wait)]
        return .wrong
      }
      return .session(Self.begin(&state))
    }
  }

  // MARK: - Sessions

  private static func begin(_ state: inout State) -> String {
    let secret = Secret.make()
    state.sessions = state.sessions.suffix(maximumSessions - 1) + [secret]
    return secret
  }

  /// Whether a request has a session's cookie.
  func hasSession(_ head: HTTPRequestHead) -> Bool {
    let name = cookie + "="
    let cookies = head.headers[canonicalForm: "Cookie"].flatMap { $0.split(separator: ";") }
    let given: [String] = cookies.compactMap { cookie in
      let pair = cookie.drop { $0 == " " }
      return pair.hasPrefix(name) ? String(pair.dropFirst(name.count)) : nil
    }
    // Compares with all sessions, so that the time does not reveal which one matched.
    return state.withLock { state in
      given.prefix(8).reduce(false) { found, one in
        state.sessions.reduce(found) { Secret.areEqual($1, one) || $0 }
      }
    }
  }
}
