import ArgumentParser
import BackdropDepth
import BackdropImaging

/// The flag for depth filters.
struct DepthFilterOption: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Clean the depth of each frame: filtered, or a chain such as decimate:2,disparity,spatial:alpha=0.5,temporal,depth,fill "
        + "(\(DepthFilterKind.allCases.map(\.rawValue).joined(separator: ", "))). Default: raw, nothing.",
      valueName: "chain"))
  var filter: String?

  /// The filters; none by default.
  func chain() throws(BackdropError) -> DepthFilterChain {
    if let filter { try DepthFilterChain(parsing: filter) } else { .raw }
  }
}
