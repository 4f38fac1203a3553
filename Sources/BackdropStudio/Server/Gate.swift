import FlyingFox
import Foundation
import Synchronization

/// Who may ask for what.
///
/// A page of any other origin can send requests to this machine's ports, and a name that its owner points at 127.0.0.1 makes it
/// look like this page: so the name that was asked for (`Host`), where the request comes from (`Origin`, `Sec-Fetch-Site`) and
/// the token are all checked. None of them is enough alone.
final class Gate: Sendable {
  private let token: [UInt8]
  private let password: [UInt8]?
  private let isPublic: Bool
  private let port = Mutex(0)
  private let lastTry = Mutex<ContinuousClock.Instant?>(nil)

  init(_ options: StudioOptions) {
    token = Array(options.token.utf8)
    password = options.password.map { Array($0.utf8) }
    isPublic = options.isPublic
  }

  /// The port that names must carry.
  func open(port number: Int) { port.withLock { $0 = number } }

  /// Why a request is refused, whatever it asks for; `nil` if it is not.
  func refusal(_ request: HTTPRequest) -> String? {
    guard let host = request.headers[.host]?.lowercased() else { return "there is no Host" }
    let port = port.withLock { $0 }
    if isPublic {
      guard host.hasSuffix(":\(port)") else { return "the Host is not this studio's" }
    } else {
      guard ["127.0.0.1:\(port)", "localhost:\(port)"].contains(host) else { return "the Host is not this studio's" }
    }
    if let origin = request.headers[HTTPHeader("Origin")] {
      guard origin.lowercased() == "http://" + host else { return "the Origin is not this studio's" }
    }
    if let site = request.headers[HTTPHeader("Sec-Fetch-Site")] {
      // A person who types the address, or follows the terminal's link, comes from nowhere.
      guard site == "same-origin" || (site == "none" && request.method == .GET) else {
        return "the request comes from another site"
      }
    }
    return nil
  }

  /// Whether a request has the token, in the header `X-Studio-Token` or as `t` in its address.
  func hasToken(_ request: HTTPRequest) -> Bool {
    let given =
      request.headers[HTTPHeader("X-Studio-Token")] ?? request.query.first { $0.name == "t" }?.value ?? ""
    return Self.areEqual(Array(given.utf8), token)
  }

  /// The token, for the right password; tries are at least a second apart.
  func token(for given: String) -> String? {
    guard let password else { return nil }
    let now = ContinuousClock.now
    let mayTry = lastTry.withLock { last in
      defer { last = now }
      return last.map { now - $0 >= .seconds(1) } ?? true
    }
    guard mayTry, Self.areEqual(Array(given.utf8), password) else { return nil }
    return String(decoding: token, as: UTF8.self)
  }

  var takesPassword: Bool { password != nil }

  /// Compares in a time that does not depend on where they differ.
  static func areEqual(_ one: [UInt8], _ other: [UInt8]) -> Bool {
    guard one.count == other.count else { return false }
    return zip(one, other).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
  }
}
