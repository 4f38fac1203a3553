import BackdropImaging
import CFFmpeg

/// Collects decoded tiles in one picture. Several threads may copy at once, because tiles do not overlap.
final class TileCanvas: @unchecked Sendable {
  // Threads write disjoint parts, and reading begins after the last write.
  private struct Target {
    var base: UnsafeMutableRawPointer
    var bytesPerRow: Int
    var width: Int
    var height: Int
    var isChroma: Bool
  }

  let width: Int
  let height: Int
  private let bitDepth: Int
  private let isMonochrome: Bool
  private let chroma: HEICChroma
  private let samples: HEICPicture.Samples
  private let targets: [Target]
  /// Whether samples have 16 bits.
  private let isWide: Bool

  /// A canvas for pictures of a configuration, with undefined contents.
  init(width: Int, height: Int, like configuration: HEVCConfiguration) {
    self.width = width
    self.height = height
    bitDepth = configuration.bitDepth
    isMonochrome = configuration.chromaFormat == 0
    chroma = .of(format: configuration.chromaFormat)
    isWide = bitDepth > 8 || configuration.chromaFormat > 1
    if !isWide {
      let image = Image(isMonochrome ? .gray8 : .i420, width: width, height: height, color: .jpeg)
      samples = .bytes(image)
      targets = (0..<image.format.planeCount).map { index in
        let layout = image.layout(index)
        return Target(
          base: image.storage.base + layout.offset, bytesPerRow: layout.bytesPerRow, width: layout.rowBytes,
          height: layout.rows, isChroma: index > 0)
      }
    } else {
      var planes: [Plane<UInt16>] = []
      var targets: [Target] = []
      for index in 0..<(isMonochrome ? 1 : 3) {
        let (w, h) = index == 0 ? (width, height) : (chroma.width(width), chroma.height(height))
        let stride = (w + 31) / 32 * 32
        let storage = PixelStorage(byteCount: 2 * stride * h)
        planes.append(Plane(storage: storage, byteOffset: 0, width: w, height: h, stride: stride))
        targets.append(Target(base: storage.base, bytesPerRow: 2 * stride, width: w, height: h, isChroma: index > 0))
      }
      samples = .words(planes)
      self.targets = targets
    }
  }

  /// Copies a decoded frame so that its upper left pixel is at (`x`, `y`), both even if pixels share chroma. Omits parts outside.
  func copy(_ frame: UnsafeMutablePointer<AVFrame>, x: Int, y: Int, tileWidth: Int, tileHeight: Int)
    throws(BackdropError)
  {
    let (frameWidth, frameHeight) = (Int(frame.pointee.width), Int(frame.pointee.height))
    guard frameWidth == tileWidth, frameHeight == tileHeight else {
      throw BackdropError(
        .badData,
        "a coded picture has \(frameWidth)×\(frameHeight) samples, but its item claims \(tileWidth)×\(tileHeight)")
    }
    guard let format = av_pix_fmt_desc_get(AVPixelFormat(rawValue: frame.pointee.format)),
      format.pointee.comp.0.depth == Int32(bitDepth), format.pointee.nb_components == (isMonochrome ? 1 : 3),
      isMonochrome
        || (format.pointee.log2_chroma_w == (chroma.halvesWidth ? 1 : 0)
          && format.pointee.log2_chroma_h == (chroma.halvesHeight ? 1 : 0)
          && format.pointee.comp.1.depth == Int32(bitDepth))
    else { throw BackdropError(.badData, "the tiles of one picture have different pixel formats") }
    let data = frame.pointee.data
    let strides = frame.pointee.linesize
    let sources = [(data.0, strides.0), (data.1, strides.1), (data.2, strides.2)]
    let tile = IntegerRect(x: x, y: y, width: tileWidth, height: tileHeight)
    for (target, source) in zip(targets, sources) {
      guard let base = source.0 else { throw BackdropError(.badData, "a coded picture has no samples") }
      let part = target.isChroma ? chroma.rectangle(tile) : tile
      let count = min(part.width, target.width - part.x)
      for row in 0..<max(0, min(part.height, target.height - part.y)) where count > 0 {
        let destination = target.base + (part.y + row) * target.bytesPerRow + part.x * (isWide ? 2 : 1)
        let from = base + row * Int(source.1)
        if isWide && bitDepth == 8 {
          let words = destination.assumingMemoryBound(to: UInt16.self)
          for column in 0..<count { words[column] = UInt16(from[column]) }
        } else {
          memcpy(destination, from, count * (isWide ? 2 : 1))
        }
      }
    }
  }

  /// The picture, after all copies; with `isRGB` the three planes are green, blue and red.
  func picture(color: ColorDescription, isRGB: Bool) -> HEICPicture {
    var samples = samples
    if case .bytes(var image) = samples {
      image.color = isMonochrome ? .jpeg.with(color.space) : color
      samples = .bytes(image)
    }
    var picture = HEICPicture(
      samples, size: (width, height), bitDepth: bitDepth, isMonochrome: isMonochrome, color: color)
    picture.chroma = chroma
    picture.chroma.isRGB = isRGB
    return picture
  }
}
