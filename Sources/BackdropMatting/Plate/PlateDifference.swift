import CBackdropKernels

/// The distance of each sample of a frame from the plate, in standard deviations of its noise.
struct PlateDifference {
  let width: Int, height: Int
  private let rows: PlatePlanes
  private let kernels: bd_plate_kernels

  /// The minimum variance, from a camera's noise and compression, in levels².
  private static let minimumVariance: Float = 9
  /// The darkest shadow that a wall may have.
  private static let deepestShadow: Float = 0.7
  /// The difference that a complete shadow counts as, in levels, because fainter shadows are more likely.
  private static let shadowCost: Float = 20

  init(width: Int, height: Int, kernels: bd_plate_kernels) {
    self.width = width
    self.height = height
    self.kernels = kernels
    // Lower and upper bounds and the middle of three channels, for a row with an edge sample on each side.
    rows = PlatePlanes(width: width + 2, height: 1, planes: 9)
  }

  /// Computes squared distances to the plate's colours round each sample.
  ///
  /// Distances within the plate's range over 3×3 samples are 0, so that a camera that shakes by a sample, or a person's shade that moves an
  /// edge, changes nothing. The distance to a shadowed plate, darker in all channels alike, counts if it is smaller.
  func squares(
    frame: [UnsafeMutablePointer<Float>], plate: [UnsafeMutablePointer<Float>], light: PlateLight,
    into target: UnsafeMutablePointer<Float>
  ) {
    let bounds = (0..<9).map { UnsafePointer(rows[$0]) as UnsafePointer<Float>? }
    let planes = frame.map { UnsafePointer($0) as UnsafePointer<Float>? }
    for y in 0..<height {
      for channel in 0..<3 {
        let above = plate[channel] + max(0, y - 1) * width
        let below = plate[channel] + min(height - 1, y + 1) * width
        kernels.bounds(
          above, plate[channel] + y * width, below, width, light.gain[channel], light.offset[channel],
          rows[3 * channel], rows[3 * channel + 1], rows[3 * channel + 2])
      }
      kernels.squares(planes, y * width, bounds, width, Self.deepestShadow, Self.shadowCost, target + y * width)
    }
  }

  /// Turns mean squares into standard deviations of the noise.
  func normalise(_ squares: UnsafeMutablePointer<Float>, variance: UnsafePointer<Float>) {
    kernels.deviations(squares, variance, width * height, Self.minimumVariance)
  }
}
