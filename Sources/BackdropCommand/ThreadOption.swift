import ArgumentParser
import BackdropImaging

struct ThreadOption: ParsableArguments {
  @Option(parsing: .unconditional, help: "Number of threads. Default: one for each processor.") var threads: Int?

  /// The number; `nil` for one for each processor.
  func checked() throws(BackdropError) -> Int? {
    if let threads, !(1...64).contains(threads) {
      throw BackdropError(
        .wrongArgument, "the number of threads, \(threads), is out of range: 1…64",
        hint: "without --threads, Backdrop uses every processor")
    }
    return threads
  }
}
