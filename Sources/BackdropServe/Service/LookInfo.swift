import Backdrop

/// The description of a look for clients.
struct LookInfo: Encodable {
  var id: String, summary: String
  var parameters: [Parameter]
  var hasBackground: Bool, needsDisparity: Bool

  init(_ look: Look) {
    (id, summary, parameters) = (look.id, look.summary, look.parameters)
    (hasBackground, needsDisparity) = (look.hasBackground, look.matteSource == .disparity)
  }
}
