import BackdropImaging
import FlyingFox
import Foundation

/// Makes the studio's answers.
enum Answer {
  /// What the browser may do with them: no other host is asked for anything, no other page may hold this one.
  private static let headers: HTTPHeaders = {
    var headers = HTTPHeaders()
    headers[HTTPHeader("Content-Security-Policy")] =
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; media-src 'self' blob:; "
      + "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    headers[HTTPHeader("X-Content-Type-Options")] = "nosniff"
    headers[HTTPHeader("Referrer-Policy")] = "no-referrer"
    headers[HTTPHeader("Cross-Origin-Resource-Policy")] = "same-origin"
    headers[HTTPHeader("Cross-Origin-Opener-Policy")] = "same-origin"
    headers[HTTPHeader("Cache-Control")] = "no-store"
    return headers
  }()

  static func bytes(_ data: Data, type: String, downloadAs name: String? = nil) -> HTTPResponse {
    var headers = headers
    headers[.contentType] = type
    if let name {
      let safe = String(
        name.unicodeScalars.map { $0.isASCII && $0.value > 31 && $0 != "\"" && $0 != "\\" ? Character($0) : "_" })
      headers[HTTPHeader("Content-Disposition")] = "attachment; filename=\"\(safe)\""
    }
    return HTTPResponse(
      statusCode: .ok, headers: headers, body: HTTPBodySequence(data: data, suggestedBufferSize: 1 << 18))
  }

  static func json(_ value: some Encodable, _ status: HTTPStatusCode = .ok) throws -> HTTPResponse {
    var headers = headers
    headers[.contentType] = "application/json"
    return HTTPResponse(statusCode: status, headers: headers, body: try StudioJSON.encode(value))
  }

  /// What went wrong, for the page: a line and what to do.
  struct Trouble: Codable {
    var error: String
    var hint: String?
  }

  static func error(_ error: BackdropError) -> HTTPResponse {
    let status: HTTPStatusCode =
      switch error.kind {
      case .wrongArgument: .badRequest
      case .badData: HTTPStatusCode(422, phrase: "Unprocessable Content")
      case .unsupported: HTTPStatusCode(415, phrase: "Unsupported Media Type")
      case .overLimit: contentTooLarge
      case .system, .interrupted: .internalServerError
      }
    return refusal(status, error.message, hint: error.hint)
  }

  static func refusal(_ status: HTTPStatusCode, _ text: String, hint: String? = nil) -> HTTPResponse {
    do {
      return try json(Trouble(error: text, hint: hint), status)
    } catch {
      return HTTPResponse(statusCode: status, headers: headers)
    }
  }

  /// A refusal after which the connection ends, for a request whose body is not read: what is left of it would be taken for
  /// the next request. FlyingFox ends a connection where a WebSocket takes it over and has nothing to say.
  static func closing(_ status: HTTPStatusCode) -> HTTPResponse {
    var headers = headers
    headers[.connection] = "close"
    headers[.contentLength] = "0"
    var response = HTTPResponse(headers: headers, webSocket: Silence())
    response.statusCode = status
    return response
  }

  private struct Silence: WSHandler {
    func makeFrames(for client: AsyncThrowingStream<WSFrame, any Error>) async throws -> AsyncStream<WSFrame> {
      AsyncStream { $0.finish() }
    }
  }

  static let contentTooLarge = HTTPStatusCode(413, phrase: "Content Too Large")
}

/// How the studio reads and writes JSON.
enum StudioJSON {
  static func encode(_ value: some Encodable) throws -> Data {
    let encoder = JSONEncoder()
    // The page has buttons in place of flags.
    let wording: Remedy.Wording = \.text
    encoder.userInfo[Remedy.wordingKey] = wording
    // In one order always, so that pages see what has changed.
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    return try encoder.encode(value)
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
