import Backdrop
import BackdropTerminal

/// Warns of flags without effect, with the reasons.
enum UnusedFlags {
  /// - Parameter texts: the values of the engine's flags.
  static func warn(_ summary: JobSummary, _ texts: [String: String], _ plan: Job.Plan) {
    /// The flag for a parameter, as it was given.
    func flag(_ name: String) -> String {
      texts[name] == ParameterValue.toggle(false).description ? "--no-\(name)" : "--\(name)"
    }
    var reasons: [String: [String]] = [:]
    for (name, missing) in summary.inactive where missing != .noFace {
      // With `--cutoff` alone, no face sets the cutoff.
      if name == "face" && texts[name] == nil { continue }
      let isOfDepth = [.depth, .depthMatte, .face].contains(missing)
      let reason =
        !isOfDepth || summary.cutoffMetres != nil
        ? missing.absence
        : !plan.analysis.mattes.usesDepth
          ? "--matte \(plan.analysis.mattes.rawValue) does not use depth" : "the input has no depth"
      reasons[reason, default: []].append(flag(name))
    }
    for (reason, names) in reasons.sorted(by: { $0.key < $1.key }) {
      Terminal.warn("\(names.sorted().listed("and")) \(names.count == 1 ? "does" : "do") nothing here: \(reason)")
    }
  }
}
