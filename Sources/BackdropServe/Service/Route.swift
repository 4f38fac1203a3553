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
  /// As rembg's server has it.
  case rembg = "/api/remove"

  /// The methods of its requests.
  var methods: [HTTPMethod] {
    switch self {
    case .replace, .matte, .apply: [.POST]
    case .jobs: [.GET, .POST]
    case .job: [.GET, .DELETE]
    case .rembg: [.GET, .POST]
    default: [.GET]
    }
  }

  /// Whether anybody may ask: what is there is in the documentation, too, or says only whether the service works.
  var isOpen: Bool {
    switch self {
    case .description, .page, .style, .health, .readiness: true
    default: false
    }
  }

  /// What is done with the picture that a request carries; `nil` for other requests.
  var operation: MediaRequest.Operation? {
    switch self {
    case .replace: .replace
    case .matte: .matte
    case .apply: .apply
    default: nil
    }
  }

  /// The route of an address, and the job's number in it; `nil` for an address that is none.
  static func find(_ parts: [String]) -> (route: Route, id: String?)? {
    for route in allCases {
      let pattern = route.rawValue.split(separator: "/")
      guard pattern.count == parts.count, zip(pattern, parts).allSatisfy({ $0 == "{id}" || $0 == $1 }) else { continue }
      return (route, zip(pattern, parts).first { $0.0 == "{id}" }?.1)
    }
    return nil
  }
}
