import CBackdropKernels

package enum TensorLayout: String, Sendable, Codable, CaseIterable {
  /// Height, width, channel: whole pixels, as in TensorFlow.
  case heightWidthChannel
  /// Channel, height, width: one plane after the other, as in PyTorch.
  case channelHeightWidth
}

package enum ChannelOrder: String, Sendable, Codable, CaseIterable {
  case rgb, bgr
}

/// How to scale pictures to a network's input.
package enum TensorScaling: String, Sendable, Codable, CaseIterable {
  /// The mean over each result pixel's area along a reduced side; bilinear along an enlarged one. No aliasing.
  case area
  /// Bilinear with half-pixel centres and no filter, as in the training of many networks.
  case bilinear
}

/// Converts pictures of the size of a network's input to that input: normalised, as Float32.
///
/// It keeps its working memory between pictures; use one value per thread. It ignores orientation and alpha (turn the picture with
/// ``Image/upright()`` first).
package struct NetworkTensor: Sendable {
  private let layout: TensorLayout
  private let order: ChannelOrder
  /// Per channel in the tensor's order: tensor value = sample (0…255) · factor + offset.
  private let factor, offset: [Float]
  private var pixels: Image

  /// `mean` is subtracted from each sample in 0…1, and `std` divides the difference, both in the order of `order`. For samples in 0…255,
  /// `std` is 1/255.
  package init(width: Int, height: Int, layout: TensorLayout, order: ChannelOrder, mean: [Float], std: [Float]) {
    precondition(mean.count == 3 && std.count == 3 && !std.contains(0))
    (self.layout, self.order) = (layout, order)
    factor = std.map { 1 / (255 * $0) }
    offset = zip(mean, std).map { -$0 / $1 }
    pixels = Image(.rgba8, width: width, height: height)
  }

  /// Writes the tensor of `image`, width · height · 3 values.
  package mutating func fill(_ out: UnsafeMutablePointer<Float>, from image: Image) {
    let (width, height) = (pixels.width, pixels.height)
    precondition(image.width == width && image.height == height, "a picture of another size")
    let isDirect = image.format.hasAlpha
    if !isDirect { image.convert(into: &pixels) }
    let source = isDirect ? image : pixels
    let stride = source.layout(0).bytesPerRow
    let (channelStep, step, rowStep) = layout == .heightWidthChannel ? (1, 3, 3 * width) : (width * height, 1, width)
    let first: Int32 = (source.format == .bgra8) == (order == .bgr) ? 0 : 2
    let (channels, starts) = ([first, 1, 2 - first], [0, channelStep, 2 * channelStep])
    let tensor = CPULevel.current.kernels.temporal.tensor!
    source.withUnsafeBytes { base in
      for y in 0..<height {
        let from = (base + y * stride).assumingMemoryBound(to: UInt8.self)
        tensor(from, width, channels, factor, offset, out + y * rowStep, starts, step)
      }
    }
  }
}
