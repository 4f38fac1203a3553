import BackdropImaging
import NIOCore
import NIOHTTP1

/// One of the studio's answers.
struct Answer: Sendable {
  var status: HTTPResponseStatus
  /// The fields of this answer alone; ``headers`` has all.
  private var fields: [(String, String)]
  var body: ByteBuffer
  /// A file in place of ``body``.
  private(set) var file: FileBody?
  /// Whether the connection ends after it, as where a body was announced that is not read.
  var endsConnection = false

  /// What the browser may do with an answer: no other host is asked for anything, no other page may hold this one.
  private static let policy: [(String, String)] = [
    (
      "Content-Security-Policy",
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; media-src 'self' blob:; "
        + "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    ("X-Content-Type-Options", "nosniff"), ("Referrer-Policy", "no-referrer"),
    ("Cross-Origin-Resource-Policy", "same-origin"), ("Cross-Origin-Opener-Policy", "same-origin"),
    ("Cache-Control", "no-store"),
  ]

  private init(_ status: HTTPResponseStatus, _ fields: [(String, String)], _ body: ByteBuffer) {
    (self.status, self.fields, self.body) = (status, fields, body)
  }

  /// All that its head says.
  var headers: HTTPHeaders {
    HTTPHeaders(
      Self.policy + fields + [("Content-Length", "\(file?.count ?? body.readableBytes)")]
        + (endsConnection ? [("Connection", "close")] : []))
  }

  /// The same with a cookie that no script reads, that no other site's requests carry, and that goes when the browser is shut.
  func setting(cookie name: String, to value: String) -> Answer {
    var answer = self
    answer.fields.append(("Set-Cookie", "\(name)=\(value); Path=/; HttpOnly; SameSite=Strict"))
    return answer
  }

  /// The same, and the connection ends after it.
  var last: Answer {
    var answer = self
    answer.endsConnection = true
    return answer
  }

  static func bytes(_ bytes: ByteBuffer, type: String, downloadAs name: String? = nil) -> Answer {
    Answer(.ok, [("Content-Type", type)] + (name.map { [Self.download($0)] } ?? []), bytes)
  }

  /// A file to keep, under a name.
  ///
  /// - Throws: errors of opening it.
  static func file(_ path: String, downloadAs name: String) throws(BackdropError) -> Answer {
    var answer = Answer(.ok, [("Content-Type", "application/octet-stream"), Self.download(name)], ByteBuffer())
    answer.file = try FileBody(path)
    return answer
  }

  /// The name in plain letters, and as it is (RFC 6266).
  private static func download(_ name: String) -> (String, String) {
    let safe = String(
      name.unicodeScalars.map { $0.isASCII && $0.value > 31 && $0 != "\"" && $0 != "\\" ? Character($0) : "_" })
    guard safe != name else { return ("Content-Disposition", "attachment; filename=\"\(safe)\"") }
    let digits = Array("0123456789ABCDEF")
    let coded = name.utf8.map { byte in
      let isPlain = byte < 128 && (Character(UnicodeScalar(byte)).isLetter || Character(UnicodeScalar(byte)).isNumber)
      return isPlain || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "-")
        ? String(UnicodeScalar(byte)) : "%\(digits[Int(byte >> 4)])\(digits[Int(byte & 15)])"
    }.joined()
    return ("Content-Disposition", "attachment; filename=\"\(safe)\"; filename*=UTF-8''\(coded)")
  }

  static func bytes(_ bytes: [UInt8], type: String, downloadAs name: String? = nil) -> Answer {
    self.bytes(ByteBuffer(bytes: bytes), type: type, downloadAs: name)
  }

  static func json(_ value: some Encodable, _ status: HTTPResponseStatus = .ok) throws -> Answer {
    Answer(status, [("Content-Type", "application/json")], ByteBuffer(bytes: try StudioJSON.encode(value)))
  }

  /// An error for the page: a line and a remedy.
  struct Trouble: Codable {
    var error: String
    var hint: String?
  }

  static func error(_ error: BackdropError) -> Answer {
    let status: HTTPResponseStatus =
      switch error.kind {
      case .wrongArgument: .badRequest
      case .badData: .custom(code: 422, reasonPhrase: "Unprocessable Content")
      case .unsupported: .unsupportedMediaType
      case .overLimit: .payloadTooLarge
      case .system, .interrupted: .internalServerError
      }
    return refusal(status, error.message, hint: error.hint)
  }

  static func refusal(_ status: HTTPResponseStatus, _ text: String, hint: String? = nil) -> Answer {
    do {
      return try json(Trouble(error: text, hint: hint), status)
    } catch {
      return Answer(status, [], ByteBuffer())
    }
  }

  static var nothingHere: Answer { refusal(.notFound, "the studio has no page at this address") }
}

/// How the studio reads and writes JSON.
enum StudioJSON {
  static func encode(_ value: some Encodable) throws -> [UInt8] {
    var writer = JSONWriter(notFinite: .texts(infinity: "inf", nan: "nan"))
    // The page has buttons in place of flags.
    let wording: Remedy.Wording = \.text
    writer.userInfo[Remedy.wordingKey] = wording
    return try writer.encode(value)
  }

  static func text(_ value: some Encodable) -> String? {
    do {
      return String(decoding: try encode(value), as: UTF8.self)
    } catch {
      // What the studio says itself can be written.
      return nil
    }
  }
}
