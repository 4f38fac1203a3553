import TestSupport

@testable import BackdropImaging

extension Image {
  /// One channel of an image as Doubles, for any format.
  struct Channel {
    var width: Int
    var height: Int
    var halvedX = false
    var halvedY = false
    var values: [Double]
  }

  /// All channels: B G R A, R G B A, R G B, Y Cb Cr or grey.
  var channels: [Channel] {
    func samples(plane: Int, width: Int, height: Int, first: Int, step: Int, halved: (Bool, Bool)) -> Channel {
      var values: [Double] = []
      for y in 0..<height {
        let row = row(y, plane: plane)
        for x in 0..<width {
          let i = first + x * step
          values.append(
            format == .gray16 ? Double(UInt16(row[2 * i]) | UInt16(row[2 * i + 1]) << 8) : Double(row[i]))
        }
      }
      return Channel(width: width, height: height, halvedX: halved.0, halvedY: halved.1, values: values)
    }
    let (w, h, cw, ch) = (width, height, (width + 1) / 2, (height + 1) / 2)
    func whole(_ channel: Int, of count: Int) -> Channel {
      samples(plane: 0, width: w, height: h, first: channel, step: count, halved: (false, false))
    }
    func half(_ plane: Int, _ first: Int, _ step: Int) -> Channel {
      samples(plane: plane, width: cw, height: ch, first: first, step: step, halved: (true, true))
    }
    switch format {
    case .bgra8, .rgba8: return (0..<4).map { whole($0, of: 4) }
    case .rgb8: return (0..<3).map { whole($0, of: 3) }
    case .i420: return [whole(0, of: 1), half(1, 0, 1), half(2, 0, 1)]
    case .nv12: return [whole(0, of: 1), half(1, 0, 2), half(1, 1, 2)]
    case .yuyv:
      return [
        samples(plane: 0, width: w, height: h, first: 0, step: 2, halved: (false, false)),
        samples(plane: 0, width: cw, height: h, first: 1, step: 4, halved: (true, false)),
        samples(plane: 0, width: cw, height: h, first: 3, step: 4, halved: (true, false)),
      ]
    default: return [whole(0, of: 1)]
    }
  }

  /// Random bytes.
  static func random(
    _ format: PixelFormat, width: Int, height: Int, seed: UInt64, color: ColorDescription = .video
  ) -> Image {
    var random = SeededRandom(seed: seed)
    var image = Image.noise(format, width, height, &random)
    image.color = color
    return image
  }
}
