import BackdropImaging

/// A decoded picture of a HEIC file, with samples at their stored bit depth.
package struct HEICPicture: Sendable {
  enum Samples: Sendable {
    /// `gray8` or `i420`.
    case bytes(Image)
    /// Luma, and for colour Cb and Cr, each at the size given by ``chroma``.
    case words([Plane<UInt16>])
    /// `rgba8`: a picture coded as JPEG, or composed from others.
    case colors(Image)
  }

  package let width: Int
  package let height: Int
  /// Bits of a sample, 8…16.
  package let bitDepth: Int
  package let isMonochrome: Bool
  /// The meaning of luma and chroma: the item's code points, or else those of the coded picture.
  package let color: ColorDescription
  var chroma = HEICChroma.half
  private(set) var samples: Samples

  init(
    _ samples: Samples, size: (width: Int, height: Int), bitDepth: Int, isMonochrome: Bool, color: ColorDescription
  ) {
    self.samples = samples
    (width, height) = size
    self.bitDepth = bitDepth
    self.isMonochrome = isMonochrome
    self.color = color
  }

  /// A picture in colours.
  init(_ image: Image) {
    self.init(.colors(image), size: (image.width, image.height), bitDepth: 8, isMonochrome: false, color: image.color)
  }

  /// The peak luminance in cd/m²; `nil` if the file does not give it.
  var peak: Double?

  /// The picture with 8 bits per sample, in standard dynamic range: `gray8` at full range, `i420` for 8-bit 4:2:0, else `rgba8`. Deeper
  /// colour samples are rounded.
  package func image() -> Image {
    if let mapped = standardRange() { return mapped }
    switch samples {
    case .colors(let image): return image
    case .bytes(let image):
      guard isMonochrome && color.range == .limited else { return image }
      return gray(image.plane().map { HEICPicture.toFullRange(Int($0)) })
    case .words(let planes):
      guard isMonochrome else { return colors(planes) }
      let shift = UInt16(bitDepth - 8)
      let half: UInt16 = shift == 0 ? 0 : 1 << (shift - 1)
      let bytes = planes[0].map {
        // Rounding up the highest values would leave the range.
        UInt8(clamping: (UInt32($0) + UInt32(half)) >> UInt32(shift))
      }
      return gray(color.range == .limited ? bytes.map { HEICPicture.toFullRange(Int($0)) } : bytes)
    }
  }

  private func gray(_ plane: Plane<UInt8>) -> Image {
    var image = Image(gray: plane)
    image.color.space = color.space
    return image
  }

  /// Luma as stored, ignoring its range: the values of depth maps and mattes.
  package func luma() -> Plane<UInt16> {
    switch samples {
    case .bytes(let image): image.plane().map { UInt16($0) }
    case .words(let planes): planes[0]
    case .colors(let image): image.converted(to: .gray8).plane().map { UInt16($0) }
    }
  }

  /// Luma as stored if it has 8 bits; `nil` if it is deeper.
  package func luma8() -> Plane<UInt8>? {
    switch samples {
    case .bytes(let image): image.plane()
    case .words: nil
    case .colors(let image): image.converted(to: .gray8).plane()
    }
  }

  func shown(_ geometry: HEICGeometry) throws(BackdropError) -> HEICPicture {
    guard !geometry.isIdentity else { return self }
    let crop = geometry.crop
    func shown(_ image: Image) throws(BackdropError) -> Image {
      var part = image
      if crop.width != width || crop.height != height {
        part = try image.cropped(x: crop.x, y: crop.y, width: crop.width, height: crop.height)
      }
      part.orientation = geometry.orientation
      return part.upright()
    }
    let result: Samples
    switch samples {
    case .colors(let image): return HEICPicture(try shown(image))
    case .bytes(let image): result = .bytes(try shown(image))
    case .words(let planes):
      result = .words(
        planes.enumerated().map { index, plane in
          // A crop with an odd origin shifts chroma by half a pixel.
          plane.window(index == 0 ? crop : chroma.rectangle(crop)).oriented(geometry.orientation)
        })
    }
    var picture = HEICPicture(
      result, size: (geometry.width, geometry.height), bitDepth: bitDepth, isMonochrome: isMonochrome, color: color)
    picture.chroma = geometry.orientation.swapsSides ? chroma.turned : chroma
    picture.peak = peak
    return picture
  }

  /// Luma of 16…235 spread over 0…255.
  private static func toFullRange(_ value: Int) -> UInt8 { UInt8(clamping: ((value - 16) * 510 + 219) / 438) }
}

/// The number of pixels per chroma sample (Rec. ITU-T H.265, 6.2).
struct HEICChroma: Sendable {
  var halvesWidth: Bool
  var halvesHeight: Bool
  /// Whether the three planes are green, blue and red (matrix coefficients 0 of Rec. ITU-T H.273).
  var isRGB = false

  /// 4:2:0.
  static let half = HEICChroma(halvesWidth: true, halvesHeight: true)

  /// - Parameter format: `chroma_format_idc`: 0 and 1 for none and 4:2:0, 2 for 4:2:2, 3 for 4:4:4.
  static func of(format: Int) -> HEICChroma { HEICChroma(halvesWidth: format < 3, halvesHeight: format < 2) }

  /// The same for a picture turned by 90°.
  var turned: HEICChroma { HEICChroma(halvesWidth: halvesHeight, halvesHeight: halvesWidth, isRGB: isRGB) }

  func width(_ pixels: Int) -> Int { halvesWidth ? (pixels + 1) / 2 : pixels }
  func height(_ pixels: Int) -> Int { halvesHeight ? (pixels + 1) / 2 : pixels }

  /// The samples of a part of the picture.
  func rectangle(_ part: IntegerRect) -> IntegerRect {
    IntegerRect(
      x: halvesWidth ? part.x / 2 : part.x, y: halvesHeight ? part.y / 2 : part.y, width: width(part.width),
      height: height(part.height))
  }
}
