/// A page's subscription to the live workspace.
struct ViewSubscription: Codable, Equatable, Sendable {
  /// One of the pictures of a moment.
  enum View: String, Codable, Sendable, CaseIterable {
    /// The scene.
    case result
    /// The camera's picture.
    case input
    /// The matte.
    case matte
    /// Distances as colours.
    case depth

    /// How a bundle names it.
    var code: UInt8 {
      switch self {
      case .result: 1
      case .input: 2
      case .matte: 3
      case .depth: 4
      }
    }
  }

  /// Those that are shown large, with every frame.
  var views: [View] = []
  /// Whether small ones of all are shown too, a few times a second.
  var thumbnails = false
  /// Whether distances themselves are wanted, for the depth workspace.
  var cloud = false
  /// Whether these are cleaned before.
  var filtered = true
  /// Pixels in a row at most of the large pictures.
  var width = 1280

  init() {}

  /// Whether anything is wanted.
  var wantsPictures: Bool { !views.isEmpty || thumbnails || cloud }

  /// The subscription within what is possible.
  var limited: ViewSubscription {
    var result = self
    result.views = View.allCases.filter(views.contains)
    result.width = min(max(width, 160), 1920)
    return result
  }
}
