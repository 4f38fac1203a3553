import NIOHTTP1
import Synchronization

/// Authenticates browsers: by a code that is valid once and for a short time, or by the password. A session has a
/// cookie with a secret that lives as long as the studio, in its memory and nowhere else.
final class Authenticator: Sendable {
  /// How long a code is good.
  static let codeLife = Duration.seconds(30)
  /// Codes, sessions and addresses that are remembered at most; the oldest goes first.
  private static let maximumCodes = 16, maximumSessions = 64, maximumAddresses = 256
  /// The longest wait after wrong passwords.
  private static let maximumWait = Duration.seconds(300)

  private struct State {
    var codes: [(text: String, end: ContinuousClock.Instant)] = []
    var sessions: [String] = []
    /// Wrong passwords in a row by address, and when the next may be tried; the newest last.
    var failures: [(peer: String, count: Int, next: ContinuousClock.Instant)] = []
  }

  private let password: String?
  private let state = Mutex(State())
  private let cookieName = Mutex("backdrop")
  private let now: @Sendable () -> ContinuousClock.Instant

  init(password: String?, now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }) {
    (self.password, self.now) = (password, now)
  }

  /// Cookies know no ports: the name has it, so that two studios of one machine do not take each other's.
  func open(port: Int) { cookieName.withLock { $0 = "backdrop-\(port)" } }

  /// The name of the cookie.
  var cookie: String { cookieName.withLock { $0 } }

  var takesPassword: Bool { password != nil }

  /// 128 random bits.
  private static func secret() -> String {
    var source = SystemRandomNumberGenerator()
    let digits = Array("abcdefghijkmnpqrstuvwxyz23456789")
    return String((0..<26).map { _ in digits[Int(source.next() % UInt64(digits.count))] })
  }

  // MARK: - Codes

  /// A new code.
  func makeCode() -> String {
    let code = Self.secret()
    let now = now()
    state.withLock { state in
      state.codes.removeAll { $0.end < now }
      state.codes = state.codes.suffix(Self.maximumCodes - 1) + [(code, now + Self.codeLife)]
    }
    return code
  }

  /// The secret of a new session for a code, which works once; `nil` for a wrong or expired code.
  func logIn(code: String) -> String? {
    let now = now()
    return state.withLock { state in
      guard let index = state.codes.firstIndex(where: { Self.areEqual($0.text, code) }) else { return nil }
      let known = state.codes.remove(at: index)
      return known.end >= now ? Self.begin(&state) : nil
    }
  }

  // MARK: - Passwords

  enum LoginResult: Equatable {
    case session(String)
    case wrong
    /// It was not even looked at.
    case early(Duration)
  }

  /// Tries a password for an address.
  ///
  /// Each wrong one makes the address that it came from wait longer, 1, 2, 4, … seconds: who guesses is held up, and nobody else.
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
      guard Self.areEqual(given, password) else {
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
    let secret = secret()
    state.sessions = state.sessions.suffix(maximumSessions - 1) + [secret]
    return secret
  }

  /// Whether a request has the cookie of a session.
  func hasSession(_ head: HTTPRequestHead) -> Bool {
    let name = cookie + "="
    let given = head.headers[canonicalForm: "Cookie"].flatMap { $0.split(separator: ";") }
      .map { $0.drop { $0 == " " } }.filter { $0.hasPrefix(name) }.map { String($0.dropFirst(name.count)) }
    // Of all, so that the time does not tell which.
    return state.withLock { state in
      given.prefix(8).reduce(false) { found, one in
        state.sessions.reduce(found) { Self.areEqual($1, one) || $0 }
      }
    }
  }

  /// Compares in a time that does not depend on where they differ.
  static func areEqual(_ one: String, _ other: String) -> Bool {
    let (one, other) = (Array(one.utf8), Array(other.utf8))
    guard one.count == other.count else { return false }
    return zip(one, other).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
  }
}
