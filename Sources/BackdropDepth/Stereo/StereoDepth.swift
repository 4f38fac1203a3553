import BackdropImaging
import Libc

package struct StereoDepth {
  /// The main picture, upright.
  package var main: Image
  /// The other eye's picture, upright and of the same shape.
  package var other: Image
  /// Whether the main picture is the left eye's.
  package var isLeft: Bool
  package var scale: Scale

  /// How to convert disparities to inverse distances.
  package enum Scale: Sendable {
    case cameras(StereoCameras)
    /// By a file's description of lenses side by side: the distance between them in metres, the angle between their axes in degrees, and
    /// the focal length as a part of the picture's width.
    case lenses(baseline: Double, convergence: Double, focalLength: Double)
    case none
  }

  package init(main: Image, other: Image, isLeft: Bool, scale: Scale) {
    self.main = main
    self.other = other
    self.isLeft = isLeft
    self.scale = scale
  }

  /// The longer side of a map, similar to phones' own maps.
  package static let side = 1024
  /// The inverse distance of the farthest distinguishable point, in 1/metre.
  private static let least: Float = 0.01

  package static func size(forWidth width: Int, height: Int) -> (width: Int, height: Int) {
    reducedSize(width, height, toSide: side)
  }

  /// Inverse distances of the main picture in 1/metre, without holes, of ``size(forWidth:height:)``.
  ///
  /// They are true with ``Scale/cameras(_:)``, and otherwise only in the right order.
  /// - Throws: `badData` if the pictures do not show the same scene, or show it at the same positions.
  package func map(cpu: CPULevel = .current) throws(BackdropError) -> Plane<Float> {
    let full = Self.size(forWidth: main.width, height: main.height)
    func gray(_ picture: Image) throws(BackdropError) -> Plane<UInt8> {
      try picture.converted(to: .gray8).scaled(toWidth: full.width, height: full.height).plane(as: UInt8.self)
    }
    var (first, second) = (try gray(main), try gray(other))
    var rectification: StereoRectification?
    if case .cameras(let cameras) = scale {
      let made = StereoRectification(cameras, isLeft: isLeft, width: full.width, height: full.height)
      (first, second) = (made.main(first), made.other(second))
      rectification = made
    }
    if !isLeft { (first, second) = (first.oriented(.upMirrored), second.oriented(.upMirrored)) }
    var disparities = try Self.disparities(first, second, cpu)
    guard let extent = StereoMatcher.quantiles(of: disparities), extent.high - extent.low >= 0.5 else {
      throw BackdropError(
        .badData, "the two pictures of the stereo pair show everything at the same places, so they tell no depth",
        hint: "give a pair that was taken from two places")
    }
    disparities.fillRows()
    if !isLeft { disparities = disparities.oriented(.upMirrored) }
    let line = line(extent, width: full.width, rectification)
    var result = disparities.map { $0.isNaN ? .nan : max($0 * line.factor + line.offset, Self.least) }
    if let rectification { result = rectification.restored(result) }
    result.fillRows()
    return result
  }

  /// Disparities at the pictures' own size, matched at a smaller one if there are too many candidates.
  private static func disparities(
    _ first: Plane<UInt8>, _ second: Plane<UInt8>, _ cpu: CPULevel
  ) throws(BackdropError) -> Plane<Float> {
    guard var candidates = try StereoMatcher.candidates(first, second, cpu: cpu) else {
      throw BackdropError(
        .badData, "the two pictures of the stereo pair do not show the same things, so they tell no depth",
        hint: "give a pair whose pictures are level with each other")
    }
    var (width, height, scale) = (first.width, first.height, 1.0)
    while width * height * candidates.count > StereoMatcher.maximumCells {
      scale *= 0.9
      (width, height) = (max(1, Int(Double(first.width) * scale)), max(1, Int(Double(first.height) * scale)))
      candidates = StereoMatcher.Candidates(
        first: Int((Double(candidates.first) * 0.9).rounded(.down)),
        count: Int((Double(candidates.count) * 0.9).rounded(.up)))
    }
    if scale == 1 { return StereoMatcher.disparities(first, second, candidates, cpu: cpu) }
    let found = try StereoMatcher.disparities(
      first.scaled(toWidth: width, height: height), second.scaled(toWidth: width, height: height), candidates, cpu: cpu)
    let factor = Float(first.width) / Float(width)
    let map = DisparityMap(perMetre: found.map { $0 * factor }, accuracy: .relative)
    return try map.resized(toWidth: first.width, height: first.height).perMetre
  }

  /// The line from disparities in pixels to inverse distances.
  private func line(
    _ extent: (low: Float, high: Float), width: Int, _ rectification: StereoRectification?
  ) -> (factor: Float, offset: Float) {
    switch scale {
    case .cameras(let cameras):
      let intrinsics = rectification?.intrinsics ?? cameras.main
      // Rectification made differing principal points equal.
      return (Float(1 / (intrinsics.fx * cameras.baseline)), 0)
    case .lenses(let baseline, let convergence, let focalLength):
      // Converging axes shift both pictures, so that their crossing point has no disparity.
      let meeting = 2 * tan(convergence * .pi / 360) / baseline
      return (Float(1 / (focalLength * Double(width) * baseline)), Float(meeting))
    case .none:
      // Assumes a person's eye distance and a typical lens, with the farthest point at ten metres.
      let factor = Float(1 / (0.8 * Double(width) * 0.065))
      return (factor, 0.1 - extent.low * factor)
    }
  }
}
