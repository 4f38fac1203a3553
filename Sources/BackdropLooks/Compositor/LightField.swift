import BackdropImaging
import Libc

/// Light that falls off round a subject, as a product of values for columns and rows, for the kernels.
struct LightField {
  let columns: ZeroedMemory<Float>, rows: ZeroedMemory<Float>
  let floor: Float

  /// Without a subject the light is in the middle of the picture.
  init(_ light: Look.Light, _ settings: LookValues, subject: SubjectBox?, width: Int, height: Int) {
    let top = subject?.top ?? 0
    let tall = (subject?.height ?? 1) * Double(height)
    let centre = (x: (subject?.middle ?? 0.5) * Double(width), y: top * Double(height) + settings[light.height] * tall)
    func falloff(_ count: Int, from centre: Double, _ sigma: Double) -> ZeroedMemory<Float> {
      let values = ZeroedMemory<Float>(count: count)
      for i in 0..<count {
        let distance = (Double(i) + 0.5 - centre) / sigma
        values[i] = Float(exp(-distance * distance / 2))
      }
      return values
    }
    columns = falloff((width + 31) / 32 * 32, from: centre.x, max(1, settings[light.width] * tall))
    rows = falloff(height, from: centre.y, max(1, settings[light.reach] * tall))
    floor = Float(settings[light.floor])
  }
}
