@testable import BackdropImaging

/// The expected result of `relit`, in integers, a pixel at a time, for uniform light.
enum RelitOracle {
  private static func part(_ value: Double) -> Int { Int((value * 256).rounded()) }
  private static func byte(_ value: Int) -> UInt8 { UInt8(min(max(value, 0), 255)) }
  private static func difference(_ value: Int) -> Int { min(max(value, -128), 127) }

  static func planes(_ image: Image, _ light: PictureLight) -> Image {
    let levels = light.levels(image.color)
    let (black, white) = (Int(levels.black), Int(levels.white))
    let gain = Int(PictureLight.gain(light.curve[0, 0], black: levels.black, white: levels.white))
    var result = image
    for y in 0..<(image.height + 1) / 2 {
      for x in 0..<(image.width + 1) / 2 {
        let (cb, cr) = (Int(image.row(y, plane: 1)[x]) - 128, Int(image.row(y, plane: 2)[x]) - 128)
        let tint = (cb * part(levels.tint.x) + cr * part(levels.tint.y) + 128) >> 8
        var (before, after) = (0, 0)
        for (dx, dy) in [(0, 0), (1, 0), (0, 1), (1, 1)] {
          // The edge is repeated beyond the picture.
          let (u, v) = (min(2 * x + dx, image.width - 1), min(2 * y + dy, image.height - 1))
          let luma = Int(image.row(v)[u])
          let tinted = Int(byte(luma + tint))
          (before, after) = (before + luma, after + tinted)
          let product = 2 * max(0, tinted - black) * max(0, white - tinted)
          var row = result.mutableRow(v)
          row[u] = byte(tinted + (((product * gain) >> 16) + 64) >> 7)
        }
        let above = Int(byte(((before + 2) >> 2) - black))
        let headroom = Int(byte(white - ((after + 2) >> 2)))
        func lit(_ own: Int, _ matrix: SIMD3<Double>) -> UInt8 {
          let change = (above * part(matrix.x) + cb * part(matrix.y) + cr * part(matrix.z) + 128) >> 8
          let balanced = difference(own + change)
          return UInt8(difference(balanced + (((balanced * headroom * gain) >> 16) + 32) >> 6) + 128)
        }
        var blue = result.mutableRow(y, plane: 1)
        blue[x] = lit(cb, levels.blue)
        var red = result.mutableRow(y, plane: 2)
        red[x] = lit(cr, levels.red)
      }
    }
    return result
  }

  static func pixels(_ image: Image, _ light: PictureLight) -> Image {
    let (step, red) = (image.format == .rgb8 ? 3 : 4, image.format == .bgra8 ? 2 : 0)
    let gain = Int(PictureLight.gain(light.curve[0, 0], black: 0, white: 255))
    let scales = [light.balance.x, light.balance.y, light.balance.z].map { part(PictureLight.limited($0)) }
    let (kr, kb) = (part(image.color.matrix.kr), part(image.color.matrix.kb))
    var result = image
    for y in 0..<image.height {
      let from = image.row(y)
      var to = result.mutableRow(y)
      for x in 0..<image.width {
        let offsets = [red, 1, 2 - red].map { x * step + $0 }
        let channels = offsets.indices.map { min((Int(from[offsets[$0]]) * scales[$0] + 128) >> 8, 255) }
        let luma = (channels[0] * kr + channels[1] * (256 - kr - kb) + channels[2] * kb + 128) >> 8
        let headroom = max(0, 255 - luma) * gain
        for (offset, channel) in zip(offsets, channels) {
          to[offset] = byte(channel + (channel * headroom + (1 << 21)) >> 22)
        }
      }
    }
    return result
  }
}
