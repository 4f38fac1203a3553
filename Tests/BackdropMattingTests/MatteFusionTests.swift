import BackdropDepth
import BackdropImaging
import TestSupport
import Testing

@testable import BackdropImaging
@testable import BackdropMatting

extension MatteLikelihood {
  /// Planes of one size, or empty ones.
  fileprivate convenience init(
    logLikelihoodRatios: Plane<Float>? = nil, probabilities: Plane<Float>? = nil, confidences: Plane<Float>? = nil
  ) {
    self.init()
    if let logLikelihoodRatios { self.logLikelihoodRatios = logLikelihoodRatios }
    if let probabilities { self.probabilities = probabilities }
    if let confidences { self.confidences = confidences }
  }
}

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The fusion of likelihoods compared with its formula in double precision.
@Suite struct MatteFusionTests {
  private static let sizes = [(1, 1), (5, 2), (16, 3), (33, 9), (64, 36)]

  private func plane(_ size: (Int, Int), _ range: ClosedRange<Float>, _ random: inout SeededRandom) -> Plane<Float> {
    Plane(width: size.0, height: size.1) { _, _ in .random(in: range, using: &random) }
  }

  private func matte(_ size: (Int, Int), _ random: inout SeededRandom) -> Matte {
    Matte(q15: Plane(width: size.0, height: size.1) { _, _ in .random(in: 0...32768, using: &random) })
  }

  private func oracle(_ given: Double, _ likelihoods: [MatteLikelihood], _ x: Int, _ y: Int) -> Double {
    let ratios = likelihoods.filter { $0.logLikelihoodRatios.width > 0 }.map { Double($0.logLikelihoodRatios[x, y]) }
      .reduce(0, +)
    var result = given
    if ratios != 0 {
      let likely = min(max(given, 0.02), 0.98)
      let logit = log(likely / (1 - likely)) + min(max(ratios, -8), 8)
      result = min(max((1 / (1 + exp(-logit)) - 0.02) / 0.96, 0), 1)
    }
    let estimates = likelihoods.filter { $0.confidences.width > 0 }.map {
      (Double($0.confidences[x, y]), Double($0.probabilities[x, y]))
    }
    let weight = estimates.reduce(0) { $0 + $1.0 }
    guard weight > 0 else { return result }
    let confidence = 1 - estimates.reduce(1) { $0 * (1 - $1.0) }
    return (1 - confidence) * result + confidence * estimates.reduce(0) { $0 + $1.0 * $1.1 } / weight
  }

  /// Ratios have a precision of 1/64, odds of 1/128, and probabilities of a quarter of that; 0.96 stretches them.
  @Test(arguments: CPULevel.supported, sizes)
  func equalsTheFormula(_ cpu: CPULevel, _ size: (Int, Int)) throws {
    var random = SeededRandom(seed: UInt64(size.0))
    for kind in 0..<6 {
      var likelihoods: [MatteLikelihood] = []
      func ratios() -> Plane<Float> {
        var ratios = plane(size, -6...6, &random)
        for y in 0..<size.1 { for x in 0..<size.0 where abs(ratios[x, y]) < 1 { ratios[x, y] = 0 } }
        return ratios
      }
      if kind != 1 { likelihoods.append(MatteLikelihood(logLikelihoodRatios: ratios())) }
      if kind == 1 || kind == 2 || kind > 3 {
        likelihoods.append(
          MatteLikelihood(probabilities: plane(size, 0...1, &random), confidences: plane(size, 0...1, &random)))
      }
      if kind > 2 { likelihoods.append(MatteLikelihood(logLikelihoodRatios: ratios())) }
      if kind == 5 {
        likelihoods.append(
          MatteLikelihood(
            logLikelihoodRatios: ratios(), probabilities: plane(size, 0...1, &random),
            confidences: plane(size, 0...1, &random)))
      }
      let given = matte(size, &random)
      let fusion = MatteFusion(cpu: cpu)
      var (made, turned) = (given, given)
      try fusion.join(&made, likelihoods)
      try fusion.join(&turned, likelihoods.reversed())
      for (y, x) in product(0..<size.1, 0..<size.0) {
        let wanted = oracle(Double(given.q15[x, y]) / 32768, likelihoods, x, y)
        #expect(abs(Double(made.q15[x, y]) / 32768 - wanted) < 1.0 / 512 / 0.96 + 1e-4, "\(kind) at \(x) \(y)")
        // Sums in a different order differ in their last bit, which may round to the next 1/64.
        #expect(abs(Int(made.q15[x, y]) - Int(turned.q15[x, y])) <= 140, "\(kind) at \(x) \(y)")
      }
    }
  }

  /// A likelihood without samples changes nothing, a probability with full confidence overrides everything, and one without confidence does
  /// not count.
  @Test func limits() throws {
    var random = SeededRandom(seed: 9)
    let size = (40, 20)
    let given = matte(size, &random)
    var made = given
    try MatteFusion().join(&made, [])
    try MatteFusion().join(
      &made, [MatteLikelihood(), MatteLikelihood(logLikelihoodRatios: Plane(repeating: 0, width: 40, height: 20))])
    #expect(made.q15 == given.q15)
    let probabilities = plane(size, 0...1, &random)
    for (confidence, isTaken) in [(Float(0), false), (1, true)] {
      made = given
      let likelihood = MatteLikelihood(
        logLikelihoodRatios: Plane(repeating: isTaken ? 3 : 0, width: 40, height: 20), probabilities: probabilities,
        confidences: Plane(repeating: confidence, width: 40, height: 20))
      try MatteFusion().join(&made, [likelihood])
      for (y, x) in product(0..<20, 0..<40) {
        #expect(isTaken ? abs(made[x, y] - Double(probabilities[x, y])) < 1e-4 : made.q15[x, y] == given.q15[x, y])
      }
    }
    #expect(throws: BackdropError.self) {
      try MatteFusion().join(&made, [MatteLikelihood(logLikelihoodRatios: Plane(repeating: 1, width: 41, height: 20))])
    }
  }

  @Test func certainty() {
    #expect(Matte(constant: 0, width: 4, height: 3).certainty == 1)
    #expect(Matte(constant: 1, width: 4, height: 3).certainty == 1)
    #expect(Matte(constant: 0.5, width: 4, height: 3).certainty == 0)
    var half = Matte(constant: 1, width: 4, height: 3)
    for y in 0..<3 { for x in 0..<2 { half.q15[x, y] = 8192 } }
    // 6 · 1 + 6 · ¼ of opacity, of which 6 · ¼ is uncertain.
    #expect(abs(half.certainty - (1 - 1.5 / 7.5)) < 1e-9)
  }
}
