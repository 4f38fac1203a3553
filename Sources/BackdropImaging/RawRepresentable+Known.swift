extension RawRepresentable<String> where Self: CaseIterable {
  /// The case with a name.
  ///
  /// - Throws: `wrongArgument` with the message, and a hint that lists the known names, if there is no such case.
  package init(known name: String, or message: @autoclosure () -> String) throws(BackdropError) {
    guard let found = Self(rawValue: name) else {
      throw BackdropError(.wrongArgument, message(), hint: .known(Self.allCases.map(\.rawValue), insteadOf: name))
    }
    self = found
  }
}
