import BackdropImaging
import FlyingFox
import Foundation

/// What is asked for, and who answers.
struct Router: HTTPHandler {
  let gate: Gate
  let tabs: TabHandler
  let live: LiveRoom
  let photos: PhotoRoom

  /// The longest body of a request that carries no file.
  private static let smallBody = 1 << 16

  func handleRequest(_ request: HTTPRequest) async throws -> HTTPResponse {
    let refused = { (status: HTTPStatusCode, text: String) in
      request.hasBody ? Answer.closing(status) : Answer.refusal(status, text)
    }
    if let reason = gate.refusal(request) { return refused(.forbidden, reason) }
    guard request.path.hasPrefix("/api/") else {
      guard request.method == .GET || request.method == .HEAD, let file = PageFiles.all[request.path] else {
        return refused(.notFound, "there is no such file")
      }
      guard !request.hasBody else { return Answer.closing(.badRequest) }
      return Answer.bytes(request.method == .HEAD ? Data() : file.data, type: file.type)
    }
    do {
      if request.path == "/api/login" { return try await login(request) }
      guard gate.hasToken(request) else {
        return refused(.unauthorized, gate.takesPassword ? "password" : "token")
      }
      return try await answer(request)
    } catch let error as BackdropError {
      return error.kind == .overLimit && request.hasBody ? Answer.closing(Answer.contentTooLarge) : Answer.error(error)
    }
  }

  private func login(_ request: HTTPRequest) async throws -> HTTPResponse {
    guard request.method == .POST else { return Answer.closing(.methodNotAllowed) }
    struct Login: Codable { var password: String }
    struct Key: Codable { var token: String }
    let wanted: Login = try await Self.read(request)
    guard let token = gate.token(for: wanted.password) else {
      return Answer.refusal(.unauthorized, "this is not the password, or the last try was less than a second ago")
    }
    return try Answer.json(Key(token: token))
  }

  private func answer(_ request: HTTPRequest) async throws -> HTTPResponse {
    let parts = request.path.split(separator: "/").dropFirst().map(String.init)
    if request.method == .GET {
      guard !request.hasBody else { return Answer.closing(.badRequest) }
      switch parts.first {
      case "socket" where parts.count == 1: return try await tabs.upgrade(request)
      case "photos": return try await photos.answer(Array(parts.dropFirst()), request)
      case .some: return try await live.answer(parts, request)
      case nil: break
      }
      return Answer.refusal(.notFound, "there is nothing here")
    }
    guard request.method == .POST else { return Answer.closing(.methodNotAllowed) }
    switch parts.first {
    case "photos": return try await photos.take(Array(parts.dropFirst()), request)
    case "backgrounds" where parts.count == 1: return try await live.takeBackground(request)
    default: return Answer.closing(.notFound)
    }
  }

  /// The JSON of a request.
  static func read<Value: Decodable>(_ request: HTTPRequest) async throws -> Value {
    let data = try await request.body(limit: smallBody)
    do {
      return try JSONDecoder().decode(Value.self, from: data)
    } catch {
      throw BackdropError(.wrongArgument, "the request is not the JSON that belongs here")
    }
  }
}
