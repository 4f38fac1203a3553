import BackdropHTTP
import BackdropImaging
import Synchronization

/// The keys of a service: a file of lines `NAME SHA256 [REQUESTS/min]`, which holds hashes of the keys, not the keys. Empty lines and
/// lines that begin with `#` are ignored.
package final class ServiceKeys: Sendable {
  /// The owner of a key.
  struct Holder: Sendable {
    var name: String
    /// The maximum number of requests per minute; `nil` for the default of the service.
    var requestsPerMinute: Int?
  }

  private static let maximumBytes = 1 << 20
  private static let maximumName = 64

  private let path: String
  private let holders: Mutex<[String: Holder]>

  init(_ path: String) throws(BackdropError) {
    self.path = path
    holders = Mutex(try Self.read(path))
  }

  /// Reads the file again; if that fails, the present keys stay.
  func reload() throws(BackdropError) {
    let new = try Self.read(path)
    holders.withLock { $0 = new }
  }

  var ownerCount: Int { holders.withLock { Set($0.values.map(\.name)).count } }

  /// The owner of a key; `nil` for a wrong key.
  ///
  /// The lookup uses the key's hash, so its duration reveals nothing about other keys.
  func holder(of key: String) -> Holder? {
    guard key.utf8.count <= 512 else { return nil }
    let hash = SHA256.hexadecimal(of: key)
    return holders.withLock { $0[hash] }
  }

  private static func read(_ path: String) throws(BackdropError) -> [String: Holder] {
    let text = String(decoding: try InputFile.read(path, limit: maximumBytes), as: UTF8.self)
    func fault(_ index: Int, _ what: String) -> BackdropError {
      BackdropError(.badData, "line \(index + 1) of the keys \(what)", path: path, hint: .addKey)
    }
    var result: [String: Holder] = [:]
    for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
      let words = line.split { $0 == " " || $0 == "\t" || $0 == "\r" }.map(String.init)
      guard let first = words.first, !first.hasPrefix("#") else { continue }
      guard (2...3).contains(words.count), first.count <= maximumName, words[1].utf8.count == 64,
        words[1].allSatisfy({ $0.isHexDigit && $0.isASCII })
      else { throw fault(index, "is not NAME SHA256 [REQUESTS/min]") }
      var holder = Holder(name: first)
      if words.count == 3 {
        guard words[2].hasSuffix("/min"), let rate = Int(words[2].dropLast(4)), (1...1_000_000).contains(rate) else {
          throw fault(index, "has no rate such as 120/min")
        }
        holder.requestsPerMinute = rate
      }
      guard result.updateValue(holder, forKey: words[1].lowercased()) == nil else {
        throw fault(index, "has the key of a line before it")
      }
    }
    guard !result.isEmpty else {
      throw BackdropError(.wrongArgument, "the file has no keys", path: path, hint: .addKey)
    }
    return result
  }

  /// Makes a new key and its line for the file.
  package static func make(for name: String) throws(BackdropError) -> (key: String, line: String) {
    guard !name.isEmpty, name.count <= maximumName, !name.hasPrefix("#"),
      name.utf8.allSatisfy({ $0 > 32 && $0 < 127 })
    else {
      throw BackdropError(
        .wrongArgument, "'\(name)' cannot be the name of a key", hint: "use letters, digits, - and _, without blanks")
    }
    let key = "bd_" + Secret.make()
    return (key, "\(name) \(SHA256.hexadecimal(of: key))")
  }
}
