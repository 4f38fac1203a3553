import BackdropDepth
import BackdropImaging
import CBackdropKernels

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Joins all that is known of who is where, sample by sample. This is the one place where witnesses meet.
///
/// A network's matte is what is likely before anybody else is asked. The logarithm of its odds and all votes add up (naive Bayes), the
/// network's word being taken for at most 49 : 1. Words then stand as far as their witnesses are sure of them:
///
///     p = (1 − c) · σ(ln(n ∕ (1 − n)) + Σ vᵢ) + c · Σ cᵢ wᵢ ∕ Σ cᵢ      with c = 1 − Π (1 − cᵢ)
///
/// so the order in which witnesses are heard does not matter. One thread at a time.
public final class MatteFusion {
  /// The network's word is never taken for surer than this.
  static let doubt: Float = 0.02
  /// So much all votes together count at most.
  static let largest: Float = 8
  /// e to the votes, in steps of 1/64.
  private static let powers: [Float] = (0...Int(128 * largest)).map { exp((Float($0) + 0.5) / 64 - largest) }

  private let kernels: bd_fuse_kernels
  /// What several say together.
  private let sum = MatteTestimony()

  /// Makes one.
  public convenience init() { self.init(cpu: .current) }

  package init(cpu: CPULevel) { kernels = cpu.kernels.fuse }

  /// Joins a network's matte with what others say of it.
  ///
  /// - Parameters:
  ///   - matte: how likely each sample is a person to the network; changed in place.
  ///   - testimonies: of its size; what has no samples is no testimony.
  /// - Throws: `wrongArgument` for planes of another size.
  public func join(_ matte: inout Matte, _ testimonies: [MatteTestimony]) throws(BackdropError) {
    let planes = testimonies.flatMap { [$0.votes, $0.word, $0.sureness] }.filter { $0.width > 0 }
    for plane in planes where plane.width != matte.width || plane.height != matte.height {
      throw BackdropError(
        .wrongArgument, "the matte is \(matte.width)×\(matte.height), but a testimony \(plane.width)×\(plane.height)")
    }
    guard !planes.isEmpty else { return }
    let isAlone = testimonies.count == 1 && testimonies[0].votes.width > 0
    let all = isAlone ? testimonies[0] : add(testimonies, matte.width, matte.height)
    let hasWord = all.sureness.width > 0 && all.word.width > 0
    let (width, height, stride) = (matte.width, matte.height, matte.q15.stride)
    let (a, b, c) = (all.votes.stride, all.sureness.stride, all.word.stride)
    matte.q15.withUnsafeMutablePointer { samples in
      all.votes.withUnsafePointer { votes in
        all.sureness.withUnsafePointer { sureness in
          all.word.withUnsafePointer { word in
            for y in 0..<height {
              kernels.row(
                votes + y * a, hasWord ? sureness + y * b : nil, hasWord ? word + y * c : nil, width, Self.doubt,
                Self.largest, Self.powers, samples + y * stride)
            }
          }
        }
      }
    }
  }

  /// What several say together.
  private func add(_ testimonies: [MatteTestimony], _ width: Int, _ height: Int) -> MatteTestimony {
    let nothing = Plane<Float>(repeating: 0, width: 0, height: 0)
    let zero = Plane<Float>(repeating: 0, width: width, height: height)
    let voters = testimonies.filter { $0.votes.width > 0 }
    sum.votes = zero
    let stride = sum.votes.stride
    sum.votes.withUnsafeMutablePointer { target in
      for voter in voters {
        let from = voter.votes.stride
        voter.votes.withUnsafePointer { votes in
          for y in 0..<height {
            let (row, added) = (target + y * stride, votes + y * from)
            for x in 0..<width { row[x] += added[x] }
          }
        }
      }
    }
    let words = testimonies.filter { $0.sureness.width > 0 && $0.word.width > 0 }
    (sum.word, sum.sureness) = words.isEmpty ? (nothing, nothing) : (words[0].word, words[0].sureness)
    guard words.count > 1 else { return sum }
    (sum.word, sum.sureness) = (zero, zero)
    for y in 0..<height {
      for x in 0..<width {
        var (weight, weighted, doubt): (Float, Float, Float) = (0, 0, 1)
        for witness in words {
          let sure = witness.sureness[x, y]
          weight += sure
          weighted += sure * witness.word[x, y]
          doubt *= 1 - sure
        }
        sum.word[x, y] = weight > 0 ? weighted / weight : 0
        sum.sureness[x, y] = 1 - doubt
      }
    }
    return sum
  }
}
