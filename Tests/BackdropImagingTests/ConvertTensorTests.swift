import BackdropImaging
import TestSupport
import Testing

@Suite struct ConvertTensorTests {
  /// The mean of a picture's channel over a rectangle, or its bilinear value at the rectangle's middle, in Float64.
  private func sample(
    _ bytes: [UInt8], _ width: Int, _ height: Int, channel: Int, x: (Double, Double), y: (Double, Double),
    _ scaling: TensorScaling
  ) -> Double {
    func weights(_ side: (Double, Double), _ size: Int) -> [Double] {
      if scaling == .area && side.1 - side.0 > 1 {
        return (0..<size).map { max(0, min(side.1, Double($0 + 1)) - max(side.0, Double($0))) / (side.1 - side.0) }
      }
      let position = min(max((side.0 + side.1) / 2 - 0.5, 0), Double(size - 1))
      return (0..<size).map { max(0, 1 - abs(Double($0) - position)) }
    }
    let (across, down) = (weights(x, width), weights(y, height))
    var sum = 0.0
    for (row, column) in product(0..<height, 0..<width) {
      sum += down[row] * across[column] * Double(bytes[4 * (row * width + column) + channel])
    }
    return sum / 255
  }

  @Test(
    "Every layout, order and scaling", arguments: TensorScaling.allCases, [PixelFormat.rgba8, .bgra8, .rgb8, .nv12])
  func oracle(scaling: TensorScaling, format: PixelFormat) throws {
    var random = SeededRandom(seed: 8)
    let (mean, std): ([Float], [Float]) = ([0.485, 0.456, 0.406], [0.229, 0.224, 0.225])
    for (width, height) in [(1, 1), (2, 3), (7, 5), (16, 9), (31, 20)] {
      let image = try randomImage(format, width, height, color: .jpeg, using: &random)
      let bytes = image.converted(to: .rgba8).packedBytes
      for (w, h) in [(1, 1), (3, 2), (5, 5), (7, 5), (8, 20), (40, 3)] {
        for (layout, order) in product(TensorLayout.allCases, ChannelOrder.allCases) {
          var network = NetworkTensor(
            from: (width, height), width: w, height: h, layout: layout, order: order, mean: mean, std: std,
            scaling: scaling)
          var found = [Float](repeating: 0, count: network.count)
          network.fill(&found, from: image)
          #expect(found.count == w * h * 3)
          var worst = 0.0
          for (y, x) in product(0..<h, 0..<w) {
            for c in 0..<3 {
              let (sx, sy) = (Double(width) / Double(w), Double(height) / Double(h))
              let value = sample(
                bytes, width, height, channel: order == .rgb ? c : 2 - c, x: (Double(x) * sx, Double(x + 1) * sx),
                y: (Double(y) * sy, Double(y + 1) * sy), scaling)
              let expected = (value - Double(mean[c])) / Double(std[c])
              let index = layout == .heightWidthChannel ? (y * w + x) * 3 + c : (c * h + y) * w + x
              worst = max(worst, abs(expected - Double(found[index])))
            }
          }
          #expect(worst < 1e-5, "\(width)×\(height) → \(w)×\(h) \(layout) \(order)")
        }
      }
    }
  }

  @Test("Halving by area is the mean of four; a buffer is reused")
  func reuse() throws {
    let bytes: [UInt8] = [0, 10, 20, 40, 50, 60, 80, 90, 100, 120, 130, 140]
    let image = try Image(.rgb8, width: 2, height: 2, packed: bytes.span)
    let level: Float = 1 / 255
    var network = NetworkTensor(from: (2, 2), width: 1, height: 1, std: [level, level, level])
    var buffer: [Float] = [0, 0, 0, -7]
    for _ in 0..<2 { network.fill(&buffer, from: image) }
    let expected: [Float] = [60, 70, 80, -7]
    for (a, b) in zip(buffer, expected) { #expect(abs(a - b) < 1e-4) }
  }
}
