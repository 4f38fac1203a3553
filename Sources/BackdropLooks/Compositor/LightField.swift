import BackdropImaging
import Libc

/// Light that falls off round a subject, as a product of values for columns and rows, for the kernels.
final class LightField {
  let columns: UnsafeMutablePointer<Float>, rows: UnsafeMutablePointer<Float>
  let floor: Float

  /// Without a subject the light is in the middle of the picture.
  init(_ light: Look.Light, _ settings: LookValues, subject: SubjectBox?, width: Int, height: Int) {
    let top = subject?.top ?? 0
    let tall = (subject?.height ?? 1) * Double(height)
    let centre = (
      x: (subject?.middle ?? 0.5) * Double(width), y: top * Double(height) + settings[light.height] * tall
    )
    let sigma = (x: max(1, settings[light.width] * tall), y: max(1, settings[light.reach] * tall))
    let padded = (width + 31) / 32 * 32
    columns = .allocate(capacity: padded)
    for x in 0..<padded {
      let distance = (Double(x) + 0.5 - centre.x) / sigma.x
      columns[x] = Float(exp(-distance * distance / 2))
    }
    rows = .allocate(capacity: height)
    for y in 0..<height {
      let distance = (Double(y) + 0.5 - centre.y) / sigma.y
      rows[y] = Float(exp(-distance * distance / 2))
    }
    floor = Float(settings[light.floor])
  }

  deinit {
    columns.deallocate()
    rows.deallocate()
  }
}
