import BackdropImaging

extension StringProtocol {
  /// The first letters, safe for a one-line message.
  var excerpt: String { prefix(40).oneLine }
}
