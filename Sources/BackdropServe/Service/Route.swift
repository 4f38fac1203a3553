import NIOHTTP1

/// The addresses of the service.
enum Route: String, CaseIterable, Sendable {
  case replace = "/v1/replace"
  case matte = "/v1/matte"
  case apply = "/v1/apply"
  case jobs = "/v1/jobs"
  case job = "/v1/jobs/{id}"
  case jobEvents = "/v1/jobs/{id}/events"
  case jobResult = "/v1/jobs/{id}/result"
  case looks = "/v1/looks"
  case settings = "/v1/settings"
  case description = "/openapi.json"
  case page = "/docs"
  case style = "/docs.css"
  case health = "/healthz"
  case readiness = "/readyz"
  case metrics = "/metrics"
  case rembg = "/api/remove"

  var methods: [HTTPMethod] {
    switch self {
    case .replace, .matte, .apply: [.POST]
    case .jobs, .rembg: [.GET, .POST]
    case .job: [.GET, .DELETE]
    default: [.GET]
    }
  }

  /// The allowed methods as a list for a header, with HEAD, which every address of GET answers.
  var allowed: String {
    methods.flatMap { $0 == .GET ? ["GET", "HEAD"] : [$0.rawValue] }.joined(separator: ", ")
  }

  /// Whether requests need no key, because the answer is also in the documentation, or tells only whether the service
  /// works.
  var isOpen: Bool {
    switch self {
    case .description, .page, .style, .health, .readiness: true
    default: false
    }
  }

  /// The route for an address, with the job's identifier in it; `nil` for an unknown address.
  static func find(_ parts: [String]) -> (route: Route, id: String?)? {
    for route in allCases {
      let pattern = route.rawValue.split(separator: "/")
      guard pattern.count == parts.count, zip(pattern, parts).allSatisfy({ $0 == "{id}" || $0 == $1 }) else { continue }
      return (route, zip(pattern, parts).first { $0.0 == "{id}" }?.1)
    }
    return nil
  }
}
