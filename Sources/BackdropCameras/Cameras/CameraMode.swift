package struct CameraMode: Sendable, Codable, Hashable {
  package enum Encoding: String, Sendable, Codable, CaseIterable {
    /// 4:2:2, interleaved.
    case yuyv
    /// 4:2:0, two planes.
    case nv12
    /// 4:2:0, three planes.
    case i420
    /// Blue, green, red and an unused byte.
    case bgra
    /// Red, green, blue and an unused byte.
    case rgba
    case rgb
    /// Each picture is a JPEG.
    case mjpeg
    case h264
    case depth16
  }

  package var encoding: Encoding
  package var width: Int, height: Int
  /// The available frame rates, per second; empty if the camera states none.
  package var rates: [Double]

  package init(encoding: Encoding, width: Int, height: Int, rates: [Double]) {
    (self.encoding, self.width, self.height, self.rates) = (encoding, width, height, rates)
  }

  package var isDepth: Bool { encoding == .depth16 }
  var pixelCount: Int { width * height }
}
