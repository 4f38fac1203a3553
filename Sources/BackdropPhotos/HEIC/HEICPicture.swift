import BackdropImaging

/// A decoded picture of a HEIC file: monochrome or 4:2:0, with samples as deep as they were stored.
public struct HEICPicture: Sendable {
  enum Samples: Sendable {
    /// `gray8` or `i420`.
    case bytes(Image)
    /// Luma, and for 4:2:0 Cb and Cr at half size, rounded up.
    case words([Plane<UInt16>])
  }

  /// Columns.
  public let width: Int
  /// Rows.
  public let height: Int
  /// Bits of a sample, 8…16.
  public let bitDepth: Int
  /// Whether there is only luma.
  public let isMonochrome: Bool
  /// How luma and chroma make colours: by the item's code points, or else by the coded picture's own.
  public let color: ColorDescription
  private(set) var samples: Samples

  init(_ samples: Samples, width: Int, height: Int, bitDepth: Int, isMonochrome: Bool, color: ColorDescription) {
    self.samples = samples
    self.width = width
    self.height = height
    self.bitDepth = bitDepth
    self.isMonochrome = isMonochrome
    self.color = color
  }

  /// The picture with 8 bits a sample: `gray8` at full range, or `i420`. Deeper samples are rounded.
  public func image() -> Image {
    switch samples {
    case .bytes(let image):
      guard isMonochrome && color.range == .limited else { return image }
      return gray(image.plane().mapped { HEICPicture.toFullRange(Int($0)) })
    case .words(let planes):
      let shift = UInt16(bitDepth - 8)
      let half: UInt16 = 1 << (shift - 1)
      let bytes = planes.map { plane -> Plane<UInt8> in
        // Rounding up the highest values would leave the range.
        plane.mapped { UInt8(clamping: (UInt32($0) + UInt32(half)) >> UInt32(shift)) }
      }
      guard bytes.count == 3 else {
        return gray(color.range == .limited ? bytes[0].mapped { HEICPicture.toFullRange(Int($0)) } : bytes[0])
      }
      var image = Image(.i420, width: width, height: height, color: color)
      for (index, plane) in bytes.enumerated() {
        for y in 0..<plane.height {
          var row = image.mutableRow(y, plane: index)
          let source = plane.row(y)
          for x in 0..<plane.width { row[x] = source[x] }
        }
      }
      return image
    }
  }

  private func gray(_ plane: Plane<UInt8>) -> Image {
    var image = Image(gray: plane)
    image.color.space = color.space
    return image
  }

  /// Luma as stored, without regard to its range: the values of depth maps and mattes.
  public func luma() -> Plane<UInt16> {
    switch samples {
    case .bytes(let image): image.plane().mapped { UInt16($0) }
    case .words(let planes): planes[0]
    }
  }

  /// Luma as stored where it has 8 bits; `nil` where it is deeper.
  public func luma8() -> Plane<UInt8>? {
    guard case .bytes(let image) = samples else { return nil }
    return image.plane()
  }

  /// The picture cropped and turned.
  func shown(_ geometry: HEICGeometry) throws(BackdropError) -> HEICPicture {
    guard !geometry.isIdentity else { return self }
    let crop = geometry.crop
    let result: Samples
    switch samples {
    case .bytes(let image):
      var part = image
      if crop.width != width || crop.height != height {
        part = try image.cropped(x: crop.x, y: crop.y, width: crop.width, height: crop.height)
      }
      part.orientation = geometry.orientation
      result = .bytes(part.upright())
    case .words(let planes):
      result = .words(
        planes.enumerated().map { index, plane in
          let part =
            index == 0
            ? crop
            // Odd corners leave chroma half a pixel off.
            : HEICRectangle(
              x: crop.x / 2, y: crop.y / 2, width: (crop.width + 1) / 2, height: (crop.height + 1) / 2)
          return plane.part(part).oriented(geometry.orientation)
        })
    }
    return HEICPicture(
      result, width: geometry.width, height: geometry.height, bitDepth: bitDepth, isMonochrome: isMonochrome,
      color: color)
  }

  /// Luma of 16…235 spread over 0…255.
  private static func toFullRange(_ value: Int) -> UInt8 { UInt8(clamping: ((value - 16) * 510 + 219) / 438) }
}

extension Plane {
  /// Every sample changed by itself.
  func mapped<Other: BitwiseCopyable & Sendable>(_ change: (Sample) -> Other) -> Plane<Other> {
    var result = Plane<Other>(uninitializedWidth: width, height: height)
    for y in 0..<height {
      let source = row(y)
      var target = result.mutableRow(y)
      for x in 0..<width { target[x] = change(source[x]) }
    }
    return result
  }

  /// A rectangle of it, which must lie inside.
  func part(_ rectangle: HEICRectangle) -> Plane {
    guard rectangle.width != width || rectangle.height != height else { return self }
    var result = Plane(uninitializedWidth: rectangle.width, height: rectangle.height)
    for y in 0..<rectangle.height {
      let source = row(min(rectangle.y + y, height - 1))
      var target = result.mutableRow(y)
      for x in 0..<rectangle.width { target[x] = source[min(rectangle.x + x, width - 1)] }
    }
    return result
  }
}
