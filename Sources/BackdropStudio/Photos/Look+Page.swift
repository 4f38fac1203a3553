import Backdrop

extension Look {
  /// A built-in look; a page may not name a file.
  static func ofPage(_ id: String) throws(BackdropError) -> Look {
    guard let look = Look.named(id) else { throw BackdropError(.wrongArgument, "there is no look '\(id.prefix(40))'") }
    return look
  }
}
