import Libc

extension Image {
  /// The image scaled to another size, without keeping its aspect; see `ImageScaler` for repeated use.
  ///
  /// - Throws: `wrongArgument` or `overLimit` for an invalid size.
  public func scaled(toWidth width: Int, height: Int, filter: ScaleFilter = .automatic) throws(BackdropError) -> Image {
    try scaled(region: nil, width: width, height: height, filter: filter)
  }

  /// The largest centred part with the target's aspect, scaled to `width` × `height`: without distortion, possibly cropping two edges.
  ///
  /// - Throws: `wrongArgument` or `overLimit` for an invalid size.
  public func filling(width: Int, height: Int, filter: ScaleFilter = .automatic) throws(BackdropError) -> Image {
    try checkScale(sourceWidth: self.width, sourceHeight: self.height, width: width, height: height)
    return try scaled(
      region: .filling(width: self.width, height: self.height, targetWidth: width, targetHeight: height), width: width,
      height: height, filter: filter)
  }

  /// The whole image, undistorted, at the largest size inside `width` × `height`, centred between bars of `color`.
  ///
  /// In formats with halved chroma the picture starts at even columns and rows.
  ///
  /// - Throws: `wrongArgument` or `overLimit` for an invalid size.
  public func fitting(
    width: Int, height: Int, bars color: RGBColor = .black, filter: ScaleFilter = .automatic
  ) throws(BackdropError) -> Image {
    try checkScale(sourceWidth: self.width, sourceHeight: self.height, width: width, height: height)
    let scale = min(Double(width) / Double(self.width), Double(height) / Double(self.height))
    let inner = (
      width: min(width, max(1, Int((Double(self.width) * scale).rounded()))),
      height: min(height, max(1, Int((Double(self.height) * scale).rounded())))
    )
    let picture = try scaled(toWidth: inner.width, height: inner.height, filter: filter)
    var output = sibling(width: width, height: height)
    output.fill(color)
    var (x, y) = ((width - inner.width) / 2, (height - inner.height) / 2)
    if format.isYUV { (x, y) = (x / 2 * 2, y / 2 * 2) }
    output.paste(picture, x: x, y: y)
    return output
  }

  package func scaled(region: Rect?, width: Int, height: Int, filter: ScaleFilter) throws(BackdropError) -> Image {
    let scaler = try ImageScaler(
      format, sourceWidth: self.width, sourceHeight: self.height, region: region, width: width, height: height,
      filter: filter)
    var output = sibling(width: width, height: height)
    try scaler.apply(self, into: &output, scratch: ScratchMemory())
    return output
  }

  /// Fills the image with one opaque colour.
  public mutating func fill(_ color: RGBColor) {
    let pattern = color.bytes(format, description: self.color)
    for plane in 0..<format.planeCount {
      let layout = self.layout(plane)
      let bytes = pattern[plane]
      withUnsafeMutableBytes(plane: plane) { base in
        for i in 0..<layout.rowBytes { base.storeBytes(of: bytes[i % bytes.count], toByteOffset: i, as: UInt8.self) }
        for y in 1..<max(1, layout.rows) {
          (base + y * layout.bytesPerRow).copyMemory(from: UnsafeRawPointer(base), byteCount: layout.rowBytes)
        }
      }
    }
  }

  /// Copies `picture`, of the same format, to column `x` and row `y`, even ones for halved chroma. It must fit there.
  package mutating func paste(_ picture: Image, x: Int, y: Int) {
    precondition(
      picture.format == format && x >= 0 && y >= 0 && x + picture.width <= width && y + picture.height <= height)
    picture.withRows(into: &self) { from, to in
      for plane in 0..<picture.format.planeCount {
        let layout = picture.layout(plane)
        let left = picture.format.rowBytes(plane: plane, width: x)
        let top = picture.format.rows(plane: plane, height: y)
        for row in 0..<layout.rows { memcpy(to.row(top + row, plane) + left, from.row(row, plane), layout.rowBytes) }
      }
    }
  }
}
