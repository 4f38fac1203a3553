import BackdropImaging

/// A parser of something that comes from outside, as a fuzzer sees it: bytes go in, and it ends, soon, with a value or an error.
///
/// `make fuzz` runs them under libFuzzer and the address sanitizer, `FuzzTargetTests` on their seeds and on the files that once broke
/// one of them.
struct FuzzTarget: Sendable {
  /// Its name on the command line, and of its folders of seeds and of regressions.
  let name: String
  /// The most bytes that are of use.
  let maximumLength: Int
  /// Words of the format that chance would hardly find.
  let words: [String]
  /// Small inputs that the parser accepts, made by code.
  let seeds: @Sendable () throws -> [[UInt8]]
  /// Reads the bytes, and does with the result what a user would.
  let read: @Sendable ([UInt8]) throws -> Void

  init(
    _ name: String, maximumLength: Int = 4096, words: [String] = [], seeds: @escaping @Sendable () throws -> [[UInt8]],
    read: @escaping @Sendable ([UInt8]) throws -> Void
  ) {
    (self.name, self.maximumLength, self.words, self.seeds, self.read) = (name, maximumLength, words, seeds, read)
  }

  /// One for each parser.
  static let all = photos + pictures + recordings + texts + networks + server

  /// Reads the bytes.
  ///
  /// - Returns: whether they were accepted.
  /// - Precondition: what is refused is refused by an error of ours, with a message of one line.
  func accepts(_ bytes: [UInt8]) -> Bool {
    do {
      try read(bytes)
      return true
    } catch {
      guard let error = error as? BackdropError else { preconditionFailure("\(name) throws \(error)") }
      precondition(!error.message.isEmpty, "\(name): an error without a message")
      precondition(!error.message.contains { $0.isNewline }, "\(name): an error of two lines: \(error.message)")
      return false
    }
  }

  /// Pictures that are decoded are small, so that the time goes into parsing.
  static let limits = ImageLimits(side: 2048, pixels: 1 << 18)

  /// Does something of which an error is a fine result.
  static func attempt(_ work: () throws -> Void) { do { try work() } catch { return } }
}
