import ArgumentParser
import Backdrop

/// The flags that limit the cost of pictures, for all commands that open pictures.
struct LimitOptions: ParsableArguments {
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Refuse pictures that may need more memory than this, such as 800MB or 2GB: 16 bytes per pixel of the largest, plus 300 MB. "
        + "Default: 4GB.", valueName: "size"))
  var limitMemory: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Refuse pictures with more pixels. Maximum: 200000000. Default: the maximum, and 50000000 for serve.",
      valueName: "count"))
  var limitPixels: Int?

  @Flag(
    inversion: .prefixedNo,
    help: ArgumentHelp(
      "Decode in processes that have no network and open no files, for files that you do not trust. "
        + "Default: with --output-dir, and for serve."
    ))
  var sandbox: Bool?

  /// Prepares the limits before anything is opened; starts the decoder sandbox if requested, or by default for a batch.
  func prepare(isBatch: Bool = false) throws(BackdropError) -> ImageLimits {
    let limits = try limits()
    InputPipes.limit(to: limits.memory)
    if sandbox ?? isBatch { try DecoderSandbox.useEverywhere(.init(program: "/proc/self/exe", limits: limits)) }
    return limits
  }

  func limits() throws(BackdropError) -> ImageLimits {
    var limits = ImageLimits.standard
    if let limitMemory {
      limits.memory = try Self.bytes(limitMemory, hint: "write --limit-memory 800MB, or 2GB")
    }
    if let limitPixels {
      guard (1...limits.pixels).contains(limitPixels) else {
        throw BackdropError(
          .wrongArgument, "the limit of \(limitPixels) pixels is out of range: 1…\(limits.pixels)",
          hint: "without --limit-pixels, the limit is \(limits.pixels)")
      }
      limits.pixels = limitPixels
    }
    return limits
  }

  /// Parses `800MB`, `2GB`, `1.5G` or a number of bytes; it refuses zero, and more than any machine has.
  static func bytes(_ text: String, hint: Hint) throws(BackdropError) -> Int {
    let units: [(String, Double)] = [
      ("gb", 1e9), ("mb", 1e6), ("kb", 1e3), ("g", 1e9), ("m", 1e6), ("k", 1e3), ("", 1),
    ]
    let lower = text.lowercased()
    guard let (unit, factor) = units.first(where: { lower.hasSuffix($0.0) }),
      let number = Double(lower.dropLast(unit.count)), number > 0, number * factor < 1e15
    else { throw BackdropError(.wrongArgument, "'\(text)' is not a size", hint: hint) }
    return Int(number * factor)
  }
}
