import BackdropImaging

extension BackdropError {
  /// The error for a damaged file: a complete copy of it usually helps.
  package init(damaged message: String) { self.init(.badData, message, hint: "download or copy the file again") }
}
