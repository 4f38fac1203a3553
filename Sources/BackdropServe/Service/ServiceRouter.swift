import Backdrop
import BackdropHTTP
import NIOHTTP1

/// Admits or refuses the service's requests by their heads, and answers them.
struct ServiceRouter: RequestRouter {
  let options: ServeOptions
  let access: AccessControl
  let limiter = RateLimiter()
  let queue: WorkQueue
  let jobs: JobList
  let folder: DropFolder
  let metrics: Metrics
  let log: LogQueue
  /// Raised when the service is ending: it answers present requests and refuses new ones.
  let isDraining: EndRequest
  let rates: WorkRates
  let documents: ServiceDocuments

  // MARK: - Heads

  func admit(_ head: HTTPRequestHead, peer: String) -> Admission {
    var request = Request(head, peer: peer)
    let found = Route.find(request.parts)
    let origin = access.allowedOrigin(head)
    let early = RequestContext(head, peer: peer, route: found, origin: origin)
    func refuse(_ answer: Answer, keepsConnection: Bool = false) -> Admission {
      // If the body is within the limit (`keepsConnection`), the connection stays open and the body is skipped, so that
      // the client reads the answer.
      .answer(finish(head.hasBody && !keepsConnection ? answer.last : answer, early))
    }
    guard let (route, _) = found, route != .rembg || options.answersRembg else {
      return refuse(.refusal(.notFound, "the service has no such address", hint: "see /docs"))
    }
    if head.method == .OPTIONS, head.headers.contains(name: "Origin") { return refuse(preflight(origin, route)) }
    guard route.methods.contains(head.method.asGET) else {
      let known = route.allowed
      return refuse(Answer.refusal(.methodNotAllowed, "this address takes only \(known)").adding("Allow", known))
    }
    if isDraining.isRaised && head.method == .POST {
      return refuse(
        Answer.refusal(.serviceUnavailable, "the service is ending", hint: "try again").adding("Retry-After", "1").last)
    }
    var caller: AccessControl.Caller?
    if !route.isOpen {
      switch access.decide(head, peer: peer) {
      case .refused(let answer): return refuse(answer)
      case .admitted(let found): caller = found
      }
    }
    request.isKnown = caller != nil
    if let caller, let rate = caller.requestsPerMinute,
      let seconds = limiter.secondsToWait(afterRequestOf: caller.account, perMinute: rate)
    {
      return refuse(
        busy("there were more than \(rate) requests a minute", seconds: seconds),
        keepsConnection: (head.bodyLength ?? .max) <= options.maximumBody)
    }
    guard head.method == .POST else {
      guard !head.hasBody else { return refuse(.refusal(.badRequest, "this request must not have a body")) }
      request.context = RequestContext(head, peer: peer, route: found, caller: caller, origin: origin)
      return .read(request, limit: 0)
    }
    if let refusal = refusal(ofBody: head) { return refuse(refusal) }
    let account = caller?.account ?? ""
    guard route == .jobs || queue.hasSlot(for: account) else { return refuse(tooMany, keepsConnection: true) }
    do throws(BackdropError) {
      guard folder.quota.hasRoom(for: head.bodyLength ?? 0, of: account) else { throw folder.quota.noRoom }
      request.file = try BodyFile(in: folder, of: account)
    } catch {
      return refuse(busy(error.message, seconds: queue.retrySeconds))
    }
    request.bodyTime = .milliseconds(Int64(options.deadline * 1000))
    request.context = RequestContext(
      head, peer: peer, route: found, caller: caller, origin: origin, ticket: queue.arrive(account))
    return .read(request, limit: head.bodyLength ?? 0)
  }

  private func busy(_ text: String, seconds: Int) -> Answer {
    Answer.refusal(.tooManyRequests, text, hint: "try again in \(seconds) s").adding("Retry-After", "\(seconds)")
  }

  private var tooMany: Answer { busy("as many requests wait as may", seconds: queue.retrySeconds) }

  /// The refusal of a request because of its body, as far as its head describes it; `nil` if it is accepted.
  private func refusal(ofBody head: HTTPRequestHead) -> Answer? {
    let coding = head.headers.first(name: "Content-Encoding")?.lowercased() ?? "identity"
    guard coding == "identity" else {
      return .refusal(.unsupportedMediaType, "the service reads no compressed bodies", hint: "send the file as it is")
    }
    guard head.hasBody else {
      return .refusal(.badRequest, "the request has no body", hint: "send a picture, or a form")
    }
    return head.refusal(
      ofBodyBeyond: options.maximumBody, hint: "send a smaller file; the operator of the service can raise the limit")
  }

  /// The answer to a browser's preflight request, which asks whether a page of another origin may send a request.
  private func preflight(_ origin: String?, _ route: Route) -> Answer {
    guard origin != nil else { return .refusal(.forbidden, "pages of this origin may not use the service") }
    return Answer.nothing(.noContent)
      .adding("Access-Control-Allow-Methods", route.allowed)
      .adding("Access-Control-Allow-Headers", "Authorization, Content-Type, X-Request-Id")
      .adding("Access-Control-Max-Age", "600")
  }

  // MARK: - Answers

  func complete(_ request: Request) -> Answer? {
    guard let context = request.context as? RequestContext, let ticket = context.ticket, context.route != .jobs else {
      return nil
    }
    do {
      try queue.admit(ticket)
      return nil
    } catch {
      return finish(tooMany, context)
    }
  }

  func answer(_ request: Request) async -> Answer {
    guard let context = request.context as? RequestContext, let route = context.route else {
      return .refusal(.internalServerError, "the request was not admitted")
    }
    let answer: Answer
    do {
      answer = try await self.answer(request, context, route)
    } catch let error as BackdropError {
      answer = .error(error)
    } catch is Deadline.Passed {
      answer = .refusal(
        .gatewayTimeout, "the work took longer than \(brief(options.deadline)) s",
        hint: "send a smaller picture, choose a faster quality, or send it to /v1/jobs", code: "deadline")
    } catch is WorkQueue.Full {
      answer = tooMany
    } catch is CancellationError {
      answer = .refusal(.custom(code: 499, reasonPhrase: "Client Closed Request"), "the client has gone")
    } catch {
      answer = .refusal(.internalServerError, "the service could not write its answer")
    }
    return finish(answer, context)
  }

  private func answer(_ request: Request, _ context: RequestContext, _ route: Route) async throws -> Answer {
    switch route {
    case .replace: return try await picture(try MediaRequest(.replace, request, type: context.type), context)
    case .matte: return try await picture(try MediaRequest(.matte, request, type: context.type), context)
    case .apply: return try await picture(try MediaRequest(.apply, request, type: context.type), context)
    case .rembg:
      return try await picture(try RembgRequest.read(request, type: context.type), context)
    case .jobs where context.method == .POST:
      return try jobs.begin(request, context)
    case .jobs: return try Answer.json(jobs.list(of: context.caller?.name ?? ""))
    case .job, .jobEvents, .jobResult: return try jobs.answer(route, context)
    case .looks: return try Answer.json(Look.builtIn.map { LookInfo($0) })
    case .settings: return try Answer.json(ServiceSettings.all)
    case .description: return .bytes(documents.description, type: "application/json")
    case .page: return .bytes(documents.page, type: "text/html; charset=utf-8")
    case .style: return .bytes(Array(DescriptionPage.style.utf8), type: "text/css; charset=utf-8")
    case .health: return try Answer.json(["status": "ok"])
    case .readiness:
      return isDraining.isRaised
        ? .refusal(.serviceUnavailable, "the service is ending") : try Answer.json(["status": "ready"])
    case .metrics: return .bytes(Array(metrics.text.utf8), type: "text/plain; version=0.0.4; charset=utf-8")
    }
  }

  /// Draws the picture of a request; headers of the answer describe the work.
  private func picture(_ media: MediaRequest, _ context: RequestContext) async throws -> Answer {
    guard let ticket = context.ticket else { throw WorkQueue.Full() }
    let work = MediaWork(
      request: media, folder: folder, limits: options.limits, threads: queue.threads, isVideo: false,
      sandbox: options.decoders?.sandbox())
    let end = context.start + .seconds(options.deadline)
    let (queue, rates) = (queue, rates)
    let result = try await Deadline.run(until: end) {
      try await queue.run(
        ticket, stop: { work.stop() },
        open: { () throws(BackdropError) in
          let (opened, pixels) = try work.open()
          try rates.check(opened.kind(of: media), pixels: pixels, left: (end - .now) / .seconds(1))
          return (opened, pixels)
        },
        draw: { (opened, networks, isCancelled) throws(BackdropError) in
          let result = try MediaWork.draw(opened, networks, isInterrupted: isCancelled)
          let pixels = opened.source.width * opened.source.height
          rates.add(opened.kind(of: media), pixels: pixels, seconds: result.summary.seconds)
          return result
        })
    }
    let summary = result.summary
    let total = (ContinuousClock.now - context.start) / .milliseconds(1)
    // The answer holds the file open, which is removed with the request.
    var answer = try Answer.file(result.path, type: MediaType.named(result.path))
      .adding("Server-Timing", "total;dur=\(total.text("%.1f")), work;dur=\((summary.seconds * 1000).text("%.1f"))")
      .adding("Backdrop-Look", summary.look)
    if let origin = summary.subjectFrom { answer = answer.adding("Backdrop-Subject-From", origin.rawValue) }
    let notes = Warning.folded(summary.warnings).map { $0.line() }
    for (name, texts) in [("Backdrop-Networks", summary.networks), ("Backdrop-Notes", notes)] where !texts.isEmpty {
      answer = answer.adding(name, HeaderText.list(texts))
    }
    return answer
  }

  func refusing(_ request: Request?, with answer: Answer) -> Answer {
    guard let context = request?.context as? RequestContext else {
      log.add(LogEntry(status: Int(answer.status.code)))
      return answer
    }
    return finish(answer, context)
  }

  /// Counts and logs an answer, and adds the request's identifier and the headers for pages of other origins.
  private func finish(_ answer: Answer, _ context: RequestContext) -> Answer {
    let seconds = (ContinuousClock.now - context.start) / .seconds(1)
    metrics.count(route: context.route?.rawValue ?? "other", status: Int(answer.status.code), seconds: seconds)
    log.add(
      LogEntry(
        id: context.id, method: context.method.rawValue, route: context.route?.rawValue, key: context.caller?.name,
        peer: context.peer, status: Int(answer.status.code), milliseconds: (seconds * 10_000).rounded() / 10,
        bytes: answer.length))
    var answer = answer.adding("X-Request-Id", context.id)
    if let origin = context.origin {
      answer = answer.adding("Access-Control-Allow-Origin", origin).adding("Vary", "Origin")
        .adding(
          "Access-Control-Expose-Headers",
          "Backdrop-Look, Backdrop-Networks, Backdrop-Notes, Backdrop-Subject-From, Retry-After, Server-Timing, X-Request-Id"
        )
    }
    return answer
  }
}

/// Texts in headers, which hold only ASCII: JSON lists with escapes.
enum HeaderText {
  static func list(_ texts: [String]) -> String {
    var result = ""
    for scalar in (ServerJSON.text(texts) ?? "[]").unicodeScalars {
      if scalar.isASCII && scalar.value >= 32 && scalar.value != 127 {
        result.unicodeScalars.append(scalar)
      } else {
        for unit in String(scalar).utf16 { result += "\\u" + String(unit, radix: 16).zeroPadded(to: 4) }
      }
    }
    // Clients limit the size of heads.
    return result.utf8.count <= 4096 ? result : "[]"
  }
}
