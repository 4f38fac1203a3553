import BackdropImaging

extension StringProtocol {
  /// The first letters, fit for a message of one line.
  var excerpt: String { prefix(40).oneLine }
}
