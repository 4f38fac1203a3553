import BackdropHTTP
import BackdropImaging
import NIOHTTP1

/// Checks each request and passes it to its workspace.
struct Router: RequestRouter {
  let gate: Gate
  let authenticator: Authenticator
  let quota: UploadQuota
  let live: LiveWorkspace
  let photos: PhotoWorkspace
  let video: VideoWorkspace
  let depth: DepthWorkspace

  /// The maximum body of a request without a file, of an edit, and of a request with a file, in bytes.
  private static let smallBody = 1 << 16, editBody = 2 << 20,
    fileBody = 256 << 20

  /// Checks a header. All refusals happen here, before any of the body is read.
  func admit(_ head: HTTPRequestHead, peer: String) -> Admission {
    let hasBody = head.hasBody
    func answer(_ answer: Answer) -> Admission { .answer(hasBody ? answer.last : answer) }
    var request = Request(head, peer: peer)
    if request.parts == ["enter"], request.method == .GET, !hasBody { return answer(enter(head, request)) }
    if let reason = gate.refusal(head) { return answer(.refusal(.forbidden, reason)) }
    guard request.parts.first == "api" else {
      return answer(hasBody ? .refusal(.notFound, "the studio has no such file") : file(head, request))
    }
    request.parts.removeFirst()
    if request.parts != ["enter"] {
      guard authenticator.hasSession(head) else {
        return answer(.refusal(.unauthorized, authenticator.takesPassword ? "password" : "link"))
      }
    }
    request.isKnown = request.parts != ["enter"]
    switch request.method {
    case .GET:
      return hasBody ? answer(.refusal(.badRequest, "this request must not have a body")) : .read(request, limit: 0)
    case .POST: break
    default: return answer(.refusal(.methodNotAllowed, "the studio accepts only GET, HEAD and POST"))
    }
    guard let length = head.bodyLength, !head.headers.contains(name: "Transfer-Encoding") else {
      return .answer(Answer.refusal(.lengthRequired, "the request does not give its length").last)
    }
    let carriesPiece = request.parts.count == 3 && request.parts.starts(with: ["videos", "upload"])
    let carriesFile = [["photos"], ["backgrounds"], ["photos", "backgrounds"], ["depth"]].contains(request.parts)
    // An edit may contain brush strokes with many points.
    let isEdit = request.parts.count == 3 && request.parts[0] == "photos" && request.parts[2] == "edit"
    let limit =
      carriesFile
      ? Self.fileBody : carriesPiece ? VideoLibrary.maximumPiece : isEdit ? Self.editBody : Self.smallBody
    guard length <= limit else {
      let size = limit >= 1 << 20 ? "\(limit >> 20) MiB" : "\(limit >> 10) KiB"
      return .answer(
        Answer.refusal(
          .payloadTooLarge, "the request would be larger than \(size)",
          hint: "send a smaller file, or use the command line"
        ).last)
    }
    do throws(BackdropError) {
      if carriesFile || carriesPiece { request.reservation = try quota.reservation(for: length) }
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

  private func file(_ head: HTTPRequestHead, _ request: Request) -> Answer {
    guard request.method == .GET,
      let file = PageFiles.all["/" + request.parts.joined(separator: "/")]
    else { return .refusal(.notFound, "the studio has no such file") }
    return .bytes(file.bytes, type: file.type)
  }

  /// Answers a request whose body is complete.
  func answer(_ request: Request) async -> Answer {
    do {
      switch (request.method, request.parts.first) {
      case (.POST, "enter") where request.parts.count == 1: return try logIn(request)
      case (.POST, "photos"): return try await photos.take(Array(request.parts.dropFirst()), request)
      case (.POST, "backgrounds") where request.parts.count == 1: return try await live.takeBackground(request)
      case (.GET, "socket") where request.parts.count == 1:
        return .refusal(.forbidden, "only the page's socket may ask for this")
      case (.GET, "photos"): return try await photos.answer(Array(request.parts.dropFirst()), request)
      case (.POST, "videos"): return try await video.take(Array(request.parts.dropFirst()), request)
      case (.GET, "videos"): return try await video.answer(Array(request.parts.dropFirst()), request)
      case (.POST, "depth") where request.parts.count == 1: return try await depth.take(request)
      case (.GET, "depth"): return try await depth.answer(Array(request.parts.dropFirst()), request)
      case (.POST, "exports"): return try await video.takeExports(Array(request.parts.dropFirst()))
      case (.GET, "exports"): return try await video.answerExports(Array(request.parts.dropFirst()))
      case (.GET, .some): return try await live.answer(request.parts, request)
      default: return .nothingHere
      }
    } catch let error as BackdropError {
      return .error(error)
    } catch {
      return .refusal(.internalServerError, "\(error)")
    }
  }

  /// `POST /api/enter` with a password, or with a typed code.
  private func logIn(_ request: Request) throws -> Answer {
    struct Key: Codable { var password: String?, code: String? }
    let key: Key = try request.json()
    if let code = key.code {
      guard let session = authenticator.logIn(code: code) else {
        return .refusal(
          .unauthorized, "this link has expired", hint: "press Return in the terminal for another one")
      }
      return try Answer.json(["entered": true]).setting(cookie: authenticator.cookie, to: session)
    }
    guard let password = key.password else {
      throw BackdropError(.wrongArgument, "the request has neither a password nor a code")
    }
    switch authenticator.logIn(password: password, from: request.peer) {
    case .session(let session):
      return try Answer.json(["entered": true]).setting(cookie: authenticator.cookie, to: session)
    case .wrong: return .refusal(.unauthorized, "the password is wrong")
    case .early(let wait):
      let seconds = Int((wait / .seconds(1)).rounded(.up))
      return .refusal(.tooManyRequests, "too many wrong passwords; wait \(seconds) s, then try again")
    }
  }
}
