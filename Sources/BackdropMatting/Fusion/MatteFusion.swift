import BackdropDepth
import BackdropImaging
import CBackdropKernels
import Libc

/// Joins likelihood sources, sample by sample. No other code joins them.
///
/// A network's matte is the prior. The logarithm of its odds and all log-likelihood ratios are added (naive Bayes); the
/// prior's odds are limited to 49 : 1. Each source's own probability then counts with its confidence:
///
///     p = (1 − c) · σ(ln(n ∕ (1 − n)) + Σ vᵢ) + c · Σ cᵢ wᵢ ∕ Σ cᵢ      with c = 1 − Π (1 − cᵢ)
///
/// The order of sources has no effect. Use it from one thread at a time.
package final class MatteFusion {
  /// The minimum of the prior, and of 1 minus the prior.
  static let minimumProbability: Float = 0.02
  /// The limit of the sum of all ratios, in both directions.
  static let largest: Float = 8
  /// e to the ratios, in steps of 1/64.
  private static let powers: [Float] = (0...Int(128 * largest)).map { exp((Float($0) + 0.5) / 64 - largest) }

  private let kernels: bd_fuse_kernels
  private let sum = MatteLikelihood()

  package init(cpu: CPULevel = .current) { kernels = cpu.kernels.fuse }

  /// Joins a network's matte, in place, with likelihoods of its size from other sources; one without samples has no effect.
  ///
  /// - Throws: `wrongArgument` for planes of another size.
  package func join(_ matte: inout Matte, _ likelihoods: [MatteLikelihood]) throws(BackdropError) {
    let planes = likelihoods.flatMap { [$0.logLikelihoodRatios, $0.probabilities, $0.confidences] }.filter {
      $0.width > 0
    }
    for plane in planes where plane.width != matte.width || plane.height != matte.height {
      throw BackdropError(
        .wrongArgument,
        "the matte is \(matte.width)×\(matte.height), but a likelihood is \(plane.width)×\(plane.height)")
    }
    guard !planes.isEmpty else { return }
    let isAlone = likelihoods.count == 1 && likelihoods[0].logLikelihoodRatios.width > 0
    let all = isAlone ? likelihoods[0] : add(likelihoods, matte.width, matte.height)
    let hasProbabilities = all.confidences.width > 0 && all.probabilities.width > 0
    let (width, height, stride) = (matte.width, matte.height, matte.q15.stride)
    let (ratios, confidences, probabilities) = (all.logLikelihoodRatios, all.confidences, all.probabilities)
    matte.q15.withUnsafeMutablePointer { samples in
      for y in 0..<height {
        kernels.row(
          ratios.base + y * ratios.stride, hasProbabilities ? confidences.base + y * confidences.stride : nil,
          hasProbabilities ? probabilities.base + y * probabilities.stride : nil, width, Self.minimumProbability,
          Self.largest, Self.powers, samples + y * stride)
      }
    }
    withExtendedLifetime((ratios, confidences, probabilities)) {}
  }

  private func add(_ likelihoods: [MatteLikelihood], _ width: Int, _ height: Int) -> MatteLikelihood {
    let nothing = Plane<Float>(repeating: 0, width: 0, height: 0)
    let zero = Plane<Float>(repeating: 0, width: width, height: height)
    sum.logLikelihoodRatios = zero
    for source in likelihoods where source.logLikelihoodRatios.width > 0 {
      sum.logLikelihoodRatios.update(with: source.logLikelihoodRatios) { $0 + $1 }
    }
    let probabilitySources = likelihoods.filter { $0.confidences.width > 0 && $0.probabilities.width > 0 }
    (sum.probabilities, sum.confidences) =
      probabilitySources.isEmpty
      ? (nothing, nothing) : (probabilitySources[0].probabilities, probabilitySources[0].confidences)
    guard probabilitySources.count > 1 else { return sum }
    (sum.probabilities, sum.confidences) = (zero, zero)
    for y in 0..<height {
      for x in 0..<width {
        var (weight, weighted, remainder): (Float, Float, Float) = (0, 0, 1)
        for source in probabilitySources {
          let confidence = source.confidences[x, y]
          weight += confidence
          weighted += confidence * source.probabilities[x, y]
          remainder *= 1 - confidence
        }
        sum.probabilities[x, y] = weight > 0 ? weighted / weight : 0
        sum.confidences[x, y] = 1 - remainder
      }
    }
    return sum
  }
}
