import CBackdropKernels

/// How far each sample of a frame is from the plate, in standard deviations of its noise.
struct PlateDifference {
  let width: Int, height: Int
  private let rows: PlatePlanes
  private let kernels: bd_plate_kernels

  /// What a camera's noise and compression leave in any case, in levels².
  private static let minimumVariance: Float = 9
  /// How dark a shadow may make the wall.
  private static let deepestShadow: Float = 0.7
  /// Levels that a shadow of all the light would count as: a shadow is likelier the fainter it is.
  private static let shadowCost: Float = 20

  init(width: Int, height: Int, kernels: bd_plate_kernels) {
    self.width = width
    self.height = height
    self.kernels = kernels
    // Lower and upper bounds and the middle of three channels, for a row with an edge sample on each side.
    rows = PlatePlanes(width: width + 2, height: 1, planes: 9)
  }

  /// Writes squared distances to the colours of the plate round each sample.
  ///
  /// The plate's range over 3×3 samples is no distance, so that a camera which shakes by a sample, or a person's shade that
  /// moves an edge, changes nothing. The distance to the plate in a shadow, darker in all channels alike, counts if it is
  /// less.
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
