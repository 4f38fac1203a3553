import BackdropImaging
import TestSupport
import Testing

@Suite struct ConvertTensorTests {
  @Test("Every layout and order", arguments: [PixelFormat.rgba8, .bgra8, .rgb8, .nv12])
  func oracle(format: PixelFormat) throws {
    var random = SeededRandom(seed: 8)
    let (mean, std): ([Float], [Float]) = ([0.485, 0.456, 0.406], [0.229, 0.224, 0.225])
    for (width, height) in [(1, 1), (2, 3), (7, 5), (16, 9), (31, 20)] {
      for layout in TensorLayout.allCases {
        for order in ChannelOrder.allCases {
          var network = NetworkTensor(
            width: width, height: height, layout: layout, order: order, mean: mean, std: std)
          // The value's memory serves one picture after another.
          for _ in 0..<2 {
            let image = try randomImage(format, width, height, color: .jpeg, using: &random)
            let bytes = image.converted(to: .rgba8).packedBytes
            var found = [Float](repeating: -7, count: width * height * 3 + 1)
            found.withUnsafeMutableBufferPointer { network.fill($0.baseAddress!, from: image) }
            #expect(found.last == -7)
            var worst = 0.0
            for y in 0..<height {
              for x in 0..<width {
                for c in 0..<3 {
                  let value = Double(bytes[4 * (y * width + x) + (order == .rgb ? c : 2 - c)]) / 255
                  let expected = (value - Double(mean[c])) / Double(std[c])
                  let index = layout == .heightWidthChannel ? (y * width + x) * 3 + c : (c * height + y) * width + x
                  worst = max(worst, abs(expected - Double(found[index])))
                }
              }
            }
            #expect(worst < 1e-5, "\(width)×\(height) \(layout) \(order)")
          }
        }
      }
    }
  }
}
