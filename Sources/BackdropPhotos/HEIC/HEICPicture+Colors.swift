import BackdropImaging

extension HEICPicture {
  /// A picture of high dynamic range as sRGB, `rgb8`; `nil` for others.
  func standardRange() -> Image? {
    guard !isMonochrome, !chroma.isRGB, let tones = ToneMapping(from: color.space, peak: peak) else { return nil }
    let planes: [Plane<UInt16>]
    switch samples {
    case .words(let deep): planes = deep
    case .bytes(let image): planes = (0..<3).map { image.plane($0).map { UInt16($0) } }
    case .colors: return nil
    }
    let frame = DeepFrame(luma: planes[0], cb: planes[1], cr: planes[2], bits: bitDepth, color: color)
    return tones.image(frame, as: .rgb8, color: .jpeg)
  }

  /// R′G′B′ of 8 bits from three planes of any depth: chroma is interpolated, and the result is rounded once.
  func colors(_ planes: [Plane<UInt16>]) -> Image {
    var image = Image(.rgba8, width: width, height: height, color: .jpeg.with(color.space))
    let pitch = image.layout(0).bytesPerRow
    let converter = RowConverter(self, planes)
    let bands = (height + 63) / 64
    image.withUnsafeMutableBytes { base in
      let target = Target(base: base)
      do throws(BackdropError) {
        try ParallelParts.run(bands, threads: nil) { next throws(BackdropError) in
          var rows = converter.buffers()
          while let band = next() {
            for y in band * 64..<min(converter.height, band * 64 + 64) {
              converter.convert(y, &rows, to: (target.base + y * pitch).assumingMemoryBound(to: UInt8.self))
            }
          }
        }
      } catch { preconditionFailure("rows have no errors") }
    }
    return image
  }

  // Threads write disjoint bands.
  private struct Target: @unchecked Sendable { let base: UnsafeMutableRawPointer }
}

/// Converts rows of planes to R′G′B′A.
private struct RowConverter: Sendable {
  let width: Int
  let height: Int
  private let planes: [Plane<UInt16>]
  private let chroma: HEICChroma
  /// The black level, and the factor that scales the distance to white to 255.
  private let black: Float, scale: Float
  /// The same for colour differences, about their middle.
  private let middle: Float, chromaScale: Float
  private let crRed: Float, cbGreen: Float, crGreen: Float, cbBlue: Float

  init(_ picture: HEICPicture, _ planes: [Plane<UInt16>]) {
    (width, height, chroma) = (picture.width, picture.height, picture.chroma)
    self.planes = planes
    let unit = Float(1 << (picture.bitDepth - 8))
    let greatest = Float(1 << picture.bitDepth - 1)
    let isFull = picture.color.range == .full
    black = isFull ? 0 : 16 * unit
    scale = 255 / (isFull ? greatest : 219 * unit)
    middle = 128 * unit
    chromaScale = 255 / (isFull ? greatest : 224 * unit)
    let (red, blue) = (Float(picture.color.matrix.kr), Float(picture.color.matrix.kb))
    let green = 1 - red - blue
    crRed = 2 * (1 - red)
    cbBlue = 2 * (1 - blue)
    cbGreen = 2 * (1 - blue) * blue / green
    crGreen = 2 * (1 - red) * red / green
  }

  /// Rows of the three planes at the picture's width, and a row of chroma at its stored width.
  struct Rows {
    var luma: [Float], first: [Float], second: [Float], narrow: [Float]
  }

  func buffers() -> Rows {
    let row = [Float](repeating: 0, count: width + 2)
    return Rows(luma: row, first: row, second: row, narrow: row)
  }

  func convert(_ y: Int, _ rows: inout Rows, to target: UnsafeMutablePointer<UInt8>) {
    spread(planes[0], y, to: &rows.luma)
    interpolate(planes[1], y, &rows.narrow, &rows.first)
    interpolate(planes[2], y, &rows.narrow, &rows.second)
    func level(_ value: Float) -> UInt8 { UInt8(min(max(value, 0), 255) + 0.5) }
    for x in 0..<width {
      let pixel = target + 4 * x
      pixel[3] = 255
      let (luma, first, second) = (rows.luma[x], rows.first[x], rows.second[x])
      if chroma.isRGB {
        pixel[0] = level((second - black) * scale)
        pixel[1] = level((luma - black) * scale)
        pixel[2] = level((first - black) * scale)
      } else {
        let light = (luma - black) * scale
        let (cb, cr) = ((first - middle) * chromaScale, (second - middle) * chromaScale)
        pixel[0] = level(light + crRed * cr)
        pixel[1] = level(light - cbGreen * cb - crGreen * cr)
        pixel[2] = level(light + cbBlue * cb)
      }
    }
  }

  private func spread(_ plane: Plane<UInt16>, _ y: Int, to row: inout [Float]) {
    let source = plane.row(y)
    for x in 0..<plane.width { row[x] = Float(source[x]) }
  }

  /// A row of chroma at the picture's size. Shared samples lie in the middle of their pixels, as in JPEG files.
  private func interpolate(_ plane: Plane<UInt16>, _ y: Int, _ narrow: inout [Float], _ wide: inout [Float]) {
    guard chroma.halvesWidth || chroma.halvesHeight else { return spread(plane, y, to: &wide) }
    let count = plane.width
    if chroma.halvesHeight {
      let near = plane.row(min(y / 2, plane.height - 1))
      let far = plane.row(min(max(y % 2 == 0 ? y / 2 - 1 : y / 2 + 1, 0), plane.height - 1))
      for x in 0..<count { narrow[x] = 0.75 * Float(near[x]) + 0.25 * Float(far[x]) }
    } else {
      spread(plane, y, to: &narrow)
    }
    guard chroma.halvesWidth else {
      swap(&narrow, &wide)
      return
    }
    for x in 0..<width {
      let far = min(max(x % 2 == 0 ? x / 2 - 1 : x / 2 + 1, 0), count - 1)
      wide[x] = 0.75 * narrow[x / 2] + 0.25 * narrow[far]
    }
  }
}
