import BackdropImaging

/// The picture that a map belongs to, at the map's size, as pixels of four bytes of which three are colours.
struct ScaledGuide {
  private var scaler: ImageScaler?
  private let scratch = ScratchMemory()
  private var scaled: Image?
  private var packed: Image?

  /// Calls `body` with the first pixel and the pixels from a row to the next.
  ///
  /// - Returns: `false` for a picture that cannot be scaled to that size.
  mutating func withPixels(
    of image: Image, width: Int, height: Int, _ body: (UnsafePointer<UInt32>, Int) -> Void
  ) -> Bool {
    if image.width == width && image.height == height && image.format.hasAlpha {
      read(image, body)
      return true
    }
    do throws(BackdropError) {
      let fits =
        scaler?.format == image.format && scaler?.sourceWidth == image.width && scaler?.sourceHeight == image.height
        && scaler?.width == width && scaler?.height == height
      if !fits {
        scaler = try ImageScaler(
          image.format, sourceWidth: image.width, sourceHeight: image.height, width: width, height: height,
          filter: .bilinear)
        scaled = Image(image.format, width: width, height: height, color: image.color)
        packed = image.format.hasAlpha ? nil : Image(.bgra8, width: width, height: height)
      }
      guard let scaler, var small = scaled.take() else { return false }
      defer { scaled = small }
      try scaler.apply(image, into: &small, scratch: scratch)
      if var pixels = packed.take() {
        small.convert(into: &pixels)
        read(pixels, body)
        packed = pixels
      } else {
        read(small, body)
      }
      return true
    } catch {
      // A size that no scaler takes: the map is cleaned without the picture.
      return false
    }
  }

  private func read(_ image: Image, _ body: (UnsafePointer<UInt32>, Int) -> Void) {
    let stride = image.layout(0).bytesPerRow / 4
    image.withUnsafeBytes { body($0.assumingMemoryBound(to: UInt32.self), stride) }
  }
}
