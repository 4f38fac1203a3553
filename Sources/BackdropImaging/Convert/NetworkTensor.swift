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

package enum TensorScaling: String, Sendable, Codable, CaseIterable {
  /// The mean over each result pixel's area along a reduced side; bilinear along an enlarged one. No aliasing.
  case area
  /// Bilinear with half-pixel centres and no filter, as in the training of many networks.
  case bilinear
}

/// Converts pictures of one size to a network's input: scaled, normalised, as Float32.
///
/// It keeps its weights and working memory between pictures; use one value per thread. Scaling applies to R′G′B′ values and ignores
/// orientation and alpha (turn the picture with ``Image/upright()`` first).
///
///     var input = NetworkTensor(from: (1280, 720), width: 256, height: 256, mean: [0.5, 0.5, 0.5], std: [0.5, 0.5, 0.5])
///     input.fill(&buffer, from: frame)
package struct NetworkTensor: Sendable {
  package let width, height: Int
  package var count: Int { width * height * 3 }

  private let layout: TensorLayout
  private let order: ChannelOrder
  /// Per channel in R, G, B order: tensor value = sample (0…255) · factor + offset.
  private let factor, offset: [Float]
  private let columns, rows: Taps
  private var pixels: Image
  private var line: [Float]

  /// - Parameters:
  ///   - source: the width and height of the pictures.
  ///   - width: the width of the network's input in pixels.
  ///   - height: the height of the network's input in pixels.
  ///   - layout: the order of samples in memory.
  ///   - order: the channel order.
  ///   - mean: subtracted from each sample in 0…1, in the order of `order`.
  ///   - std: the divisor of the difference, in the order of `order`. For samples in 0…255: 1/255.
  ///   - scaling: how to scale pictures.
  package init(
    from source: (width: Int, height: Int), width: Int, height: Int, layout: TensorLayout = .heightWidthChannel,
    order: ChannelOrder = .rgb, mean: [Float] = [0, 0, 0], std: [Float] = [1, 1, 1], scaling: TensorScaling = .area
  ) {
    precondition(width > 0 && height > 0 && mean.count == 3 && std.count == 3 && !std.contains(0))
    self.width = width
    self.height = height
    self.layout = layout
    self.order = order
    let channels = order == .rgb ? [0, 1, 2] : [2, 1, 0]
    factor = channels.map { 1 / (255 * std[$0]) }
    offset = channels.map { -mean[$0] / std[$0] }
    columns = Taps(from: source.width, to: width, scaling)
    rows = Taps(from: source.height, to: height, scaling)
    pixels = Image(.rgba8, width: source.width, height: source.height)
    line = [Float](repeating: 0, count: 4 * source.width)
  }

  /// Writes the tensor of `image` to the first ``count`` values of `buffer`.
  package mutating func fill(_ buffer: inout [Float], from image: Image) {
    precondition(buffer.count >= count, "the buffer is too small")
    buffer.withUnsafeMutableBufferPointer { fill($0.baseAddress!, from: image) }  // Not empty: count is at least 3.
  }

  package mutating func fill(_ out: UnsafeMutablePointer<Float>, from image: Image) {
    precondition(image.width == pixels.width && image.height == pixels.height, "a picture of another size")
    let isDirect = image.format == .rgba8 || image.format == .bgra8
    if !isDirect { image.convert(into: &pixels) }
    let source = isDirect ? image : pixels
    let redAt = source.format == .bgra8 ? 2 : 0
    let stride = source.layout(0).bytesPerRow
    let (first, step, rowStep) = layout == .heightWidthChannel ? (1, 3, 3 * width) : (width * height, 1, width)
    let place = order == .rgb ? [0, first, 2 * first] : [2 * first, first, 0]
    guard source.width != width || source.height != height else {
      copy(source, redAt: redAt, stride: stride, to: out, step: step, rowStep: rowStep, place: place)
      return
    }
    // Taken out of `self` for exclusive access, while the methods below read the rest of it.
    var line: [Float] = []
    swap(&line, &self.line)
    defer { swap(&line, &self.line) }
    source.withUnsafeBytes { base in
      line.withUnsafeMutableBufferPointer { line in
        for y in 0..<height {
          blend(base, stride, row: y, into: line)
          for channel in 0..<3 {
            shrink(
              line, channel: channel == 1 ? 1 : channel == 0 ? redAt : 2 - redAt, factor[channel], offset[channel],
              to: out + (y * rowStep + place[channel]), step: step)
          }
        }
      }
    }
  }

  /// Copies a picture that already has the input's size.
  private func copy(
    _ source: Image, redAt: Int, stride: Int, to out: UnsafeMutablePointer<Float>, step: Int, rowStep: Int,
    place: [Int]
  ) {
    let kernels = CPULevel.current.kernels.temporal
    // In memory order, unlike `place`: the kernel addresses whole pixels by their positions.
    let isReversed = place[0] > place[2]
    let places = isReversed ? place.reversed() : place
    let order = isReversed ? [Int32(2 - redAt), 1, Int32(redAt)] : [Int32(redAt), 1, Int32(2 - redAt)]
    let (factor, offset) = isReversed ? (self.factor.reversed(), self.offset.reversed()) : (self.factor, self.offset)
    source.withUnsafeBytes { base in
      for y in 0..<height {
        let from = (base + y * stride).assumingMemoryBound(to: UInt8.self)
        kernels.tensor(from, width, order, factor, offset, out + y * rowStep, places, step)
      }
    }
  }

  /// The weighted sum of the picture's rows for result row `y`.
  private func blend(
    _ base: UnsafeRawPointer, _ stride: Int, row y: Int, into line: UnsafeMutableBufferPointer<Float>
  ) {
    for tap in rows.range(y) {
      let weight = rows.weights[tap]
      let bytes = (base + (rows.first[y] + tap - rows.start[y]) * stride).assumingMemoryBound(to: UInt8.self)
      if tap == rows.start[y] {
        for x in 0..<line.count { line[x] = weight * Float(bytes[x]) }
      } else {
        for x in 0..<line.count { line[x] += weight * Float(bytes[x]) }
      }
    }
  }

  private func shrink(
    _ line: UnsafeMutableBufferPointer<Float>, channel: Int, _ factor: Float, _ offset: Float,
    to out: UnsafeMutablePointer<Float>, step: Int
  ) {
    columns.weights.withUnsafeBufferPointer { weights in
      for x in 0..<width {
        var sum: Float = 0
        var position = 4 * columns.first[x] + channel
        for tap in columns.range(x) {
          sum += weights[tap] * line[position]
          position += 4
        }
        out[x * step] = sum * factor + offset
      }
    }
  }
}

extension NetworkTensor {
  /// The samples along one side for each result sample, and their weights (adding up to 1).
  struct Taps: Sendable {
    /// The first sample of each result, the start of its weights, and one more for the end.
    private(set) var first: [Int] = []
    private(set) var start: [Int] = [0]
    private(set) var weights: [Float] = []

    init(from size: Int, to count: Int, _ scaling: TensorScaling) {
      let scale = Double(size) / Double(count)
      for index in 0..<count {
        if scaling == .area && scale > 1 {
          let (low, high) = (Double(index) * scale, min(Double(index + 1) * scale, Double(size)))
          let from = min(Int(low), size - 1)
          let end = max(from + 1, min(Int(high.rounded(.up)), size))
          let covered = (from..<end).map { max(0, min(high, Double($0 + 1)) - max(low, Double($0))) }
          let total = covered.reduce(0, +)
          first.append(from)
          weights += covered.map { Float($0 / total) }
        } else {
          let position = min(max((Double(index) + 0.5) * scale - 0.5, 0), Double(size - 1))
          let from = min(Int(position), max(0, size - 2))
          first.append(from)
          weights.append(Float(1 - (position - Double(from))))
          if size > 1 { weights.append(Float(position - Double(from))) }
        }
        start.append(weights.count)
      }
    }

    func range(_ index: Int) -> Range<Int> { start[index]..<start[index + 1] }
  }
}
