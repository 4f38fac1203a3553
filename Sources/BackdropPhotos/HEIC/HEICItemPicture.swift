import BackdropImaging

/// A picture in a HEIC file, decoded on request. All pictures of a file share its bytes.
package struct HEICItemPicture: PhotoPicture {
  /// An opened file; its identity shows whether two pictures come from the same one.
  final class Source: Sendable {
    let file: HEICFile
    init(_ file: HEICFile) { self.file = file }
  }

  let source: Source
  package let item: HEICItem
  let geometry: HEICGeometry
  /// How to turn its stored samples to match the main picture's.
  let turn: Orientation
  /// How to turn the main picture upright.
  private let orientation: Orientation
  /// Whether samples are values to preserve, not brightness.
  let isDepth: Bool
  private let alpha: (item: HEICItem, turn: Orientation, isPremultiplied: Bool)?
  package let colorSpace: ColorSpace

  /// - Parameter orientation: how to turn the main picture upright.
  init(_ source: Source, _ item: HEICItem, orientation: Orientation, isDepth: Bool = false) throws(BackdropError) {
    self.source = source
    self.item = item
    self.isDepth = isDepth
    self.orientation = orientation
    geometry = try item.geometry(limits: source.file.limits)
    colorSpace = try source.file.colorSpace(of: item) ?? .sRGB
    turn = geometry.orientation.followed(by: orientation.inverse)
    alpha = try source.file.alpha(of: item).map { found throws(BackdropError) in
      let turn = try found.item.geometry(limits: source.file.limits).orientation.followed(by: orientation.inverse)
      return (found.item, turn, found.isPremultiplied)
    }
  }

  package var file: HEICFile { source.file }

  /// Columns, cropped but not turned.
  package var width: Int { turn.swapsSides ? geometry.crop.height : geometry.crop.width }
  /// Rows, cropped but not turned.
  package var height: Int { turn.swapsSides ? geometry.crop.width : geometry.crop.height }

  /// The pixels, cropped but not turned: `i420`, `gray8`, or `gray16` for deeper grey; `rgba8` for deeper colour, for chroma other than
  /// 4:2:0, and with alpha, which is straight.
  ///
  /// Depth of more than 8 bits keeps its stored values; other grey pictures are scaled to 16 bits.
  package func decoded(as format: PixelFormat?) throws(BackdropError) -> Image {
    let decoding = HEICDecoding(
      item: item.id, orientation: orientation, isDepth: isDepth, format: format, limits: source.file.limits.picture)
    let bytes = source.file.bytes
    return try decoding.result(bytes.span) { () throws(BackdropError) in try decodedHere(as: format) }
  }

  /// The pixels, decoded in this process.
  func decodedHere(as format: PixelFormat?) throws(BackdropError) -> Image {
    let picture = try source.file.decode(item, turned: false)
    if isDepth, case .colors = picture.samples {
      throw BackdropError(
        .unsupported, "the depth in the HEIC file is not grey", hint: "give the depth map as a separate file")
    }
    var image: Image
    if picture.isMonochrome && (isDepth || picture.bitDepth > 8) {
      if let luma = picture.luma8() {
        image = Image(gray: luma)
      } else {
        let greatest = UInt32(1) << UInt32(picture.bitDepth) - 1
        let luma = picture.luma()
        image = Image(gray16: isDepth ? luma : luma.map { UInt16(UInt32($0) * 65_535 / greatest) })
      }
    } else {
      image = picture.image()
    }
    image.orientation = turn
    image = image.upright()
    if let alpha {
      var opacity = try source.file.decode(alpha.item, turned: false).opacity
      opacity.orientation = alpha.turn
      image = try image.with(opacity: opacity.upright(), isPremultiplied: alpha.isPremultiplied)
    }
    return format.map { image.converted(to: $0) } ?? image
  }
}
