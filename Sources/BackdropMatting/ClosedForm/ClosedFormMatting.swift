import BackdropDepth
import BackdropImaging

/// Finds the opacity of the band round a matte's edges from the picture's colours.
///
/// Closed-form matting (Levin, Lischinski and Weiss, PAMI 2008) assumes in each window of 3×3 samples that opacity is a linear function of
/// colour. The opacities of the band minimize the error of that assumption. Where the colours do not decide, they stay near the matte's
/// own. The solver uses conjugate gradients.
///
/// It works at a reduced size, and scales back only the change, so that the matte keeps its finer detail. Calls must not overlap; the
/// solver itself uses the pool's threads.
package struct ClosedFormMatting {
  /// The longer side of the working size in samples.
  private static let workingSide = 1000
  /// The width of the band round the matte's edge, in samples of the working size.
  private static let bandRadius = 6.0
  /// The variance (with samples in 0…1) below which colours do not decide; above 0.
  private static let epsilon: Float = 1e-5
  /// The weight of the matte's own opacity, against that of the windows round it, nine for most samples.
  private static let fidelity: Float = 0.1
  /// Its weight without any trust in colours. It grows with the cube of the distrust, so that a little distrust has hardly any effect.
  private static let untrustedFidelity: Float = 10
  private let workers: WorkerPool

  /// Opacities outside this range are certain, if their surroundings are too.
  private static let certain: ClosedRange<Double> = 0.05...0.95
  private static let largestIterationCount = 150
  private static let tolerance = 1e-3

  package init(workers: WorkerPool) { self.workers = workers }

  /// Improves a matte in place by a picture of its size, in any format. `trust`, from ``MatteRefiner/trust``, is how far colours decide
  /// opacity, 0…1, and covers the picture; `nil` stands for 1.
  ///
  /// - Throws: `wrongArgument` if their sizes differ.
  package func solve(_ matte: inout Matte, of image: Image, trust: Plane<Float>? = nil) throws(BackdropError) {
    guard matte.width == image.width && matte.height == image.height else {
      throw BackdropError(
        .wrongArgument, "the matte is \(matte.width)×\(matte.height), but its picture is \(image.width)×\(image.height)"
      )
    }
    let (width, height) = reducedSize(image.width, image.height, toSide: Self.workingSide)
    guard width >= 3 && height >= 3 else { return }
    let small = try matte.opacities.scaled(toWidth: width, height: height, filter: .area)
    let picture = try image.scaled(toWidth: width, height: height, filter: .area).converted(to: .rgba8)
    let system = try MattingLaplacian(
      picture, unknown: try band(of: small), epsilon: Self.epsilon,
      fidelity: try fidelities(trust, width, height), workers: workers)
    var solved = small
    system.solve(&solved, tolerance: Self.tolerance, largestIterationCount: Self.largestIterationCount)
    try add(solved, minus: small, to: &matte)
  }

  private func fidelities(_ trust: Plane<Float>?, _ width: Int, _ height: Int) throws(BackdropError) -> Plane<Float> {
    guard let trust else { return Plane(repeating: Self.fidelity, width: width, height: height) }
    var result = try trust.scaled(toWidth: width, height: height, filter: .bilinear)
    result.update {
      let distrust = 1 - min(max($0, 0), 1)
      return Self.fidelity + Self.untrustedFidelity * distrust * distrust * distrust
    }
    return result
  }

  /// 1 for the samples to solve.
  private func band(of matte: Plane<Float>) throws(BackdropError) -> Plane<UInt8> {
    let window = StructuringElement.disc(radius: Self.bandRadius)
    let (lowest, highest) = (try matte.eroded(window), try matte.dilated(window))
    var result = highest.map { Double($0) < Self.certain.lowerBound ? 0 : 1 as UInt8 }
    result.update(with: lowest) { Double($1) > Self.certain.upperBound ? 0 : $0 }
    return result
  }

  private func add(_ solved: Plane<Float>, minus small: Plane<Float>, to matte: inout Matte) throws(BackdropError) {
    var difference = solved
    difference.update(with: small, -)
    let full = try difference.scaled(toWidth: matte.width, height: matte.height, filter: .bicubic)
    matte.q15.update(with: full) { old, change in
      guard change != 0 else { return old }
      return UInt16(min(max(Float(min(old, Matte.one)) + change * 32768, 0), 32768) + 0.5)
    }
  }
}
