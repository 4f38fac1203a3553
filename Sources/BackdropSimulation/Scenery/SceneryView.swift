/// The positions of a picture's pixels in a scene.
///
/// Scene units: the scene is 1 high, `v` runs down from 0 to 1; `u` runs to the right with 0 in the middle.
struct SceneryView {
  /// The widest view for which scenes are designed, in scene units.
  static let widest: Float = 4

  let width, height: Int
  /// Side of a pixel in scene units.
  let pixel: Float
  /// Half the width of the picture in scene units; at most half of ``widest``.
  let halfWidth: Float

  init(width: Int, height: Int) {
    self.width = width
    self.height = height
    pixel = 1 / max(Float(height), Float(width) / Self.widest)
    halfWidth = Float(width) / 2 * pixel
  }

  /// The scene position of the centre of column `x`.
  func u(_ x: Int) -> Float { (Float(x) + 0.5 - Float(width) / 2) * pixel }

  /// The scene position of the centre of row `y`.
  func v(_ y: Int) -> Float { 0.5 + (Float(y) + 0.5 - Float(height) / 2) * pixel }

  func columns<T>(_ value: (Float) -> T) -> [T] { (0..<width).map { value(u($0)) } }

  /// A function of `u` for the columns of this view, computed at steps of `step` or a pixel, whichever is wider.
  func curve(step: Float, _ value: (Float) -> Float) -> SampledFunction {
    SampledFunction(from: -halfWidth, to: halfWidth, step: max(step, pixel), value)
  }

  /// The coverage of a pixel at signed distance `inside` from a straight edge, 0…1.
  func coverage(_ inside: Float) -> Float { unit(inside / pixel + 0.5) }
}
