import CBackdropKernels
import Libc

/// Instruction sets of the compiled kernels.
///
/// The best one for the machine is chosen once; the environment variable `BACKDROP_CPU_LEVEL` (`baseline`, `v3`, `v4`)
/// forces a lower one, for tests and comparisons.
package enum CPULevel: Int32, Sendable, CaseIterable, CustomStringConvertible {
  case baseline = 0
  /// x86-64-v3: AVX2 and FMA.
  case v3 = 1
  /// x86-64-v4: AVX-512 F, BW, CD, DQ, VL.
  case v4 = 2

  /// The levels that this machine can run, lowest first.
  package static let supported: [CPULevel] = {
    let highest = bd_cpu_level()
    return allCases.filter { $0.rawValue <= highest }
  }()

  package static let current: CPULevel = {
    let best = supported.last ?? .baseline
    guard let wanted = getenv("BACKDROP_CPU_LEVEL").map({ String(cString: $0) }) else { return best }
    return supported.first { $0.description == wanted } ?? best
  }()

  /// The name for `BACKDROP_CPU_LEVEL`.
  package var description: String {
    switch self {
    case .baseline: "baseline"
    case .v3: "v3"
    case .v4: "v4"
    }
  }

  package var kernels: bd_kernels {
    precondition(CPULevel.supported.contains(self), "this machine does not have CPU level \(self)")
    return bd_kernels_at(rawValue).pointee
  }
}
