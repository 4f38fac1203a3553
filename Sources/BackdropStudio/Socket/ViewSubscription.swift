/// A page's subscription to the live workspace.
struct ViewSubscription: Decodable, Equatable, Sendable {
  /// One of the pictures of a moment.
  enum View: String, Decodable, CaseIterable {
    /// The picture with the look, as others see it.
    case result
    /// The camera's picture.
    case input
    case matte
    /// Distances as colours.
    case depth

    /// Its code in a bundle.
    var code: UInt8 {
      switch self {
      case .result: 1
      case .input: 2
      case .matte: 3
      case .depth: 4
      }
    }
  }

  /// The views to show large, with every frame.
  var views: [View] = []
  /// Whether to send thumbnails of all views too, a few times a second.
  var thumbnails = false
  /// Whether to send the distances themselves, for the depth workspace.
  var cloud = false
  /// Whether to filter them first.
  var filtered = true
  /// The maximum width of the large pictures, in pixels.
  var width = 1280

  var wantsPictures: Bool { !views.isEmpty || thumbnails || cloud }

  /// The subscription, limited to valid values.
  var limited: ViewSubscription {
    var result = self
    result.views = View.allCases.filter(views.contains)
    result.width = min(max(width, 160), 1920)
    return result
  }
}
