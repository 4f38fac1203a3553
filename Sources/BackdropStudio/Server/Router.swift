import BackdropHTTP
import BackdropImaging
import NIOHTTP1

/// Checks each request and passes it to its workspace.
struct Router: RequestRouter {
  let gate: Gate
  let authenticator: Authenticator
  let quota: UploadQuota
  /// The workspaces by their addresses.
  let workspaces: [String: any Workspace]

  init(_ gate: Gate, _ authenticator: Authenticator, quota: UploadQuota, _ workspaces: [any Workspace]) {
    (self.gate, self.authenticator, self.quota) = (gate, authenticator, quota)
    self.workspaces = Dictionary(
      uniqueKeysWithValues: workspaces.flatMap { workspace in workspace.addresses.map { ($0, workspace) } })
  }

  /// Checks a header. All refusals happen here, before any of the body is read.
  func admit(_ head: HTTPRequestHead, peer: String) -> Admission {
    let hasBody = head.hasBody
    func answer(_ answer: Answer) -> Admission { .answer(hasBody ? answer.last : answer) }
    var request = Request(head, peer: peer)
    if request.parts == ["enter"], request.method == .GET, !hasBody { return answer(enter(head, request)) }
    if let reason = gate.refusal(head) { return answer(.refusal(.forbidden, reason)) }
    guard request.parts.first == "api" else {
      guard !hasBody, request.method == .GET,
        let file = PageFiles.all["/" + request.parts.joined(separator: "/")]
      else { return answer(.refusal(.notFound, "the studio has no such file")) }
      return answer(.bytes(file.bytes, type: file.type))
    }
    request.parts.removeFirst()
    request.isKnown = request.parts != ["enter"]
    guard !request.isKnown || authenticator.hasSession(head) else {
      return answer(.refusal(.unauthorized, authenticator.acceptsPassword ? "password" : "link"))
    }
    switch request.method {
    case .GET:
      return hasBody ? answer(.refusal(.badRequest, "this request must not have a body")) : .read(request, limit: 0)
    case .POST: break
    default: return answer(.refusal(.methodNotAllowed, "the studio accepts only GET, HEAD and POST"))
    }
    let (length, body) = (head.bodyLength ?? 0, workspace(of: request)?.body(of: request.parts) ?? .small)
    if let refusal = head.refusal(
      ofBodyBeyond: body.limit, hint: "send a smaller file, or use the command line")
    {
      return answer(refusal)
    }
    do throws(BackdropError) {
      if body.isFile { request.reservation = try quota.reservation(for: length) }
    } catch {
      return answer(.error(error))
    }
    return .read(request, limit: length)
  }

  /// Whether a request may become a page's socket. Browsers always name the origin of a socket.
  func admitsSocket(_ head: HTTPRequestHead) -> Bool {
    head.method == .GET && Request(head, peer: "").parts == ["api", "socket"] && head.headers["Origin"].count == 1
      && gate.refusal(head) == nil && authenticator.hasSession(head)
  }

  /// Sends the page, with the cookie of a new session if the code is valid; without it, the page asks for a code.
  private func enter(_ head: HTTPRequestHead, _ request: Request) -> Answer {
    guard let page = PageFiles.all["/"] else { return .nothingHere }
    let answer = Answer.bytes(page.bytes, type: page.type)
    // A link works once; HEAD only asks.
    if head.method == .GET, gate.refusal(head, mayComeFromElsewhere: true) == nil,
      let session = authenticator.logIn(code: request.value("code") ?? "")
    {
      return answer.setting(cookie: authenticator.cookie, to: session)
    }
    return gate.refusal(head) == nil ? answer : .refusal(.forbidden, "this link has expired")
  }

  /// Answers a request whose body is complete.
  func answer(_ request: Request) async -> Answer {
    do {
      switch (request.method, request.parts.first) {
      case (.POST, "enter") where request.parts.count == 1: return try logIn(request)
      case (.GET, "socket") where request.parts.count == 1:
        return .refusal(.forbidden, "only the page's socket may ask for this")
      case (.GET, _): return try await workspace(of: request)?.answer(request) ?? .nothingHere
      default: return try await workspace(of: request)?.perform(request) ?? .nothingHere
      }
    } catch let error as BackdropError {
      return .error(error)
    } catch {
      return .refusal(.internalServerError, "\(error)")
    }
  }

  private func workspace(of request: Request) -> (any Workspace)? { request.parts.first.flatMap { workspaces[$0] } }

  /// `POST /api/enter` with a password, or with a typed code.
  private func logIn(_ request: Request) throws -> Answer {
    struct Key: Decodable { var password: String?, code: String? }
    let key: Key = try request.json()
    func entered(_ session: String) throws -> Answer {
      try Answer.json(["entered": true]).setting(cookie: authenticator.cookie, to: session)
    }
    if let code = key.code {
      return try authenticator.logIn(code: code).map(entered)
        ?? .refusal(.unauthorized, "this link has expired", hint: "press Return in the terminal for another one")
    }
    guard let password = key.password else {
      throw BackdropError(.wrongArgument, "the request has neither a password nor a code")
    }
    switch authenticator.logIn(password: password, from: request.peer) {
    case .session(let session): return try entered(session)
    case .wrong: return .refusal(.unauthorized, "the password is wrong")
    case .early(let wait):
      let seconds = Int((wait / .seconds(1)).rounded(.up))
      return .refusal(.tooManyRequests, "too many wrong passwords; wait \(seconds) s, then try again")
    }
  }
}
