import BackdropImaging

/// The background behind the people: a still picture with its depth.
struct Setting: Sendable {
  /// The picture, with four bytes per pixel as in the frames.
  let picture: Plane<UInt8>
  /// The distance in metres, NaN if there is none, at the size of the depth map.
  let metres: Plane<Float>
  let reflectance: Plane<UInt8>

  /// Develops a painting whose unit is a pixel of a 1280×720 picture, with 0, 0 in the middle, and whose relief is in
  /// metres: it blurs the painting by `blur` units, scales it to fill and adds grain.
  init(
    _ painting: Painting, blur: Float, seed: UInt64, size: (width: Int, height: Int),
    depthSize: (width: Int, height: Int)
  ) {
    let (width, height) = size
    let (depthWidth, depthHeight) = depthSize
    let fill = max(Float(width) / 1280, Float(height) / 720)
    var painting = painting
    Setting.defocus(&painting, radius: blur * painting.scale)
    var picture = Plane<UInt8>(uninitializedWidth: width * 4, height: height)
    let stride = picture.stride
    let codes = Light.codes
    let shown = painting.pixels.map { p in
      let light = Light.tone(SIMD3(p.x, p.y, p.z))
      return SIMD4(Light.code(light.z, codes), Light.code(light.y, codes), Light.code(light.x, codes), 0) * 255
    }
    var grain = UInt32(truncatingIfNeeded: seed &* 0x9E37_79B9) | 1
    picture.withUnsafeMutablePointer { out in
      for y in 0..<height {
        let v = Setting.texel(
          ((Float(y) + 0.5) - Float(height) / 2) / fill, painting.top, painting.scale, painting.height)
        for x in 0..<width {
          let u = Setting.texel(
            ((Float(x) + 0.5) - Float(width) / 2) / fill, painting.left, painting.scale, painting.width)
          let i = v.index * painting.width + u.index
          let a = shown[i] + (shown[i + 1] - shown[i]) * u.part
          let b = shown[i + painting.width] + (shown[i + painting.width + 1] - shown[i + painting.width]) * u.part
          // All channels get the same value, for film grain instead of coloured noise.
          grain ^= grain << 13
          grain ^= grain >> 17
          grain ^= grain << 5
          let speck = Float(grain & 255) + Float(grain >> 8 & 255) + Float(grain >> 16 & 255) - 382.5
          let c = a + (b - a) * v.part + SIMD4(repeating: speck * 0.007 + 0.5)
          let at = y * stride + 4 * x
          for k in 0..<3 { out[at + k] = UInt8(min(max(c[k], 0), 255)) }
          out[at + 3] = 255
        }
      }
    }
    self.picture = picture
    var metres = Plane<Float>(uninitializedWidth: depthWidth, height: depthHeight)
    var reflectance = Plane<UInt8>(uninitializedWidth: depthWidth, height: depthHeight)
    for y in 0..<depthHeight {
      let py = ((Float(y) + 0.5) / Float(depthHeight) - 0.5) * Float(height) / fill
      for x in 0..<depthWidth {
        let px = ((Float(x) + 0.5) / Float(depthWidth) - 0.5) * Float(width) / fill
        let column = min(max(Int((px - painting.left) * painting.scale), 2), painting.width - 3)
        let row = min(max(Int((py - painting.top) * painting.scale), 2), painting.height - 3)
        metres[x, y] = painting.relief[row * painting.width + column]
        reflectance[x, y] = painting.reflectance[row * painting.width + column]
      }
    }
    (self.metres, self.reflectance) = (metres, reflectance)
  }

  /// A canvas for the part of the 1280×720 picture in a frame of this size, with margins for the blur.
  static func canvas(width: Int, height: Int) -> Painting {
    let fill = max(Float(width) / 1280, Float(height) / 720)
    let x = Float(width) / fill / 2 + 24
    let y = Float(height) / fill / 2 + 24
    return Painting(left: -x, top: -y, right: x, bottom: y, scale: min(max(0.5 * fill, 0.15), 0.75))
  }

  @inline(__always) private static func texel(
    _ at: Float, _ origin: Float, _ scale: Float, _ count: Int
  ) -> (index: Int, part: Float) {
    let t = min(max((at - origin) * scale - 0.5, 2), Float(count) - 4)
    let i = Int(t)
    return (i, t - Float(i))
  }

  /// Spreads each point over a disc, like a lens, and softens the disc's rim a little.
  private static func defocus(_ painting: inout Painting, radius: Float) {
    let reach = Int(radius)
    guard reach > 0 else { return }
    let (width, height) = (painting.width, painting.height)
    let halves = (-reach...reach).map { Int((radius * radius - Float($0 * $0)).squareRoot()) }
    let share = 1 / Float(halves.reduce(0) { $0 + 2 * $1 + 1 })
    var sums = [SIMD4<Float>](repeating: .zero, count: (width + 1) * height)
    for y in 0..<height {
      var sum = SIMD4<Float>.zero
      for x in 0..<width {
        sum += painting.pixels[y * width + x]
        sums[y * (width + 1) + x + 1] = sum
      }
    }
    var result = painting.pixels
    for y in reach..<height - reach {
      for x in reach..<width - reach - 1 {
        var sum = SIMD4<Float>.zero
        for k in halves.indices {
          let row = (y + k - reach) * (width + 1)
          sum += sums[row + x + halves[k] + 1] - sums[row + x - halves[k]]
        }
        result[y * width + x] = sum * share
      }
    }
    for y in 1..<height - 1 {
      for x in 1..<width - 1 {
        let i = y * width + x
        painting.pixels[i] =
          result[i] * 0.4 + (result[i - 1] + result[i + 1] + result[i - width] + result[i + width]) * 0.15
      }
    }
  }
}
