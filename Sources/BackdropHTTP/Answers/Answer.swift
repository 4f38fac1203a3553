import BackdropImaging
import NIOCore
import NIOHTTP1

package struct Answer: Sendable {
  package var status: HTTPResponseStatus
  /// The fields of this answer only; ``headers`` has all.
  private var fields: [(String, String)]
  package var body: ByteBuffer
  /// A file in place of ``body``.
  private(set) var file: FileBody?
  /// A stream of pieces in place of ``body``; each is written after the previous one was sent.
  private(set) var pieces: AsyncStream<ByteBuffer>?
  /// Whether the connection closes after the answer, for example because an announced body is not read.
  package var endsConnection = false

  /// Restrictions for the browser: no requests to other hosts, and no embedding in other pages.
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

  /// The length of the body in bytes; `nil` for a stream.
  package var length: Int? { pieces == nil ? file?.count ?? body.readableBytes : nil }

  package var headers: HTTPHeaders {
    // An answer 204 must not have a Content-Length (RFC 9110, section 8.6).
    let length = status == .noContent ? nil : length
    return HTTPHeaders(
      Self.policy + fields + (length.map { [("Content-Length", "\($0)")] } ?? [])
        + (endsConnection ? [("Connection", "close")] : []))
  }

  package func adding(_ name: String, _ value: String) -> Answer {
    var answer = self
    answer.fields.append((name, value))
    return answer
  }

  /// Adds a session cookie that scripts cannot read and that browsers do not send with requests of other sites.
  package func setting(cookie name: String, to value: String) -> Answer {
    adding("Set-Cookie", "\(name)=\(value); Path=/; HttpOnly; SameSite=Strict")
  }

  /// The same answer, after which the connection closes.
  package var last: Answer {
    var answer = self
    answer.endsConnection = true
    return answer
  }

  package static func bytes(_ bytes: ByteBuffer, type: String, downloadAs name: String? = nil) -> Answer {
    Answer(.ok, [("Content-Type", type)] + (name.map { [Self.download($0)] } ?? []), bytes)
  }

  package static func nothing(_ status: HTTPResponseStatus) -> Answer { Answer(status, [], ByteBuffer()) }

  /// An answer whose body is a stream of pieces, such as events.
  package static func stream(_ pieces: AsyncStream<ByteBuffer>, type: String) -> Answer {
    var answer = Answer.bytes(ByteBuffer(), type: type)
    answer.pieces = pieces
    return answer
  }

  /// A file, which is open from now on; `name` is its name for a download.
  package static func file(
    _ path: String, type: String = "application/octet-stream", downloadAs name: String? = nil
  ) throws(BackdropError) -> Answer {
    var answer = Answer.bytes(ByteBuffer(), type: type, downloadAs: name)
    answer.file = try FileBody(path)
    return answer
  }

  /// The Content-Disposition with the name in ASCII and in full (RFC 6266).
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

  package static func bytes(_ bytes: [UInt8], type: String, downloadAs name: String? = nil) -> Answer {
    self.bytes(ByteBuffer(bytes: bytes), type: type, downloadAs: name)
  }

  package static func json(_ value: some Encodable, _ status: HTTPResponseStatus = .ok) throws -> Answer {
    Answer(status, [("Content-Type", "application/json")], ByteBuffer(bytes: try ServerJSON.encode(value)))
  }

  /// The body of an error: a sentence, a hint, and an identifier for programs.
  package struct Trouble: Codable, Sendable {
    package var error: String
    package var hint: String?
    package var code: String?
  }

  package static func error(_ error: BackdropError) -> Answer {
    let status: HTTPResponseStatus =
      switch error.kind {
      case .wrongArgument: .badRequest
      case .badData: .custom(code: 422, reasonPhrase: "Unprocessable Content")
      case .unsupported: .unsupportedMediaType
      case .overLimit: .payloadTooLarge
      case .system, .interrupted: .internalServerError
      }
    return refusal(status, error.message, hint: error.hint?.text, code: code(of: error.kind))
  }

  package static func code(of kind: BackdropError.Kind) -> String {
    switch kind {
    case .wrongArgument: "wrong-argument"
    case .badData: "bad-data"
    case .unsupported: "unsupported"
    case .overLimit: "over-limit"
    case .system: "system"
    case .interrupted: "interrupted"
    }
  }

  /// - Parameter code: the identifier for programs; `nil` for that of the status.
  package static func refusal(
    _ status: HTTPResponseStatus, _ text: String, hint: String? = nil, code: String? = nil
  ) -> Answer {
    do {
      return try json(Trouble(error: text, hint: hint, code: code ?? self.code(of: status)), status)
    } catch {
      return Answer(status, [], ByteBuffer())
    }
  }

  /// The identifier of a status, such as `too-many-requests`.
  private static func code(of status: HTTPResponseStatus) -> String {
    status.reasonPhrase.lowercased().replacing(" ", with: "-")
  }
}
