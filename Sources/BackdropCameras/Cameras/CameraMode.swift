/// A mode of a camera: encoding, size and frame rates.
package struct CameraMode: Sendable, Codable, Hashable {
  /// The encoding of a camera's pictures.
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
    /// Red, green, blue.
    case rgb
    /// Each picture is a JPEG.
    case mjpeg
    /// An H.264 stream.
    case h264
    /// Distances with 16 bits per pixel.
    case depth16
  }

  /// How pictures are encoded.
  package var encoding: Encoding
  /// Size of the pictures.
  package var width: Int, height: Int
  /// The available frame rates, per second; empty if the camera states none.
  package var rates: [Double]

  package init(encoding: Encoding, width: Int, height: Int, rates: [Double]) {
    self.encoding = encoding
    self.width = width
    self.height = height
    self.rates = rates
  }

  /// Whether the pictures are distances.
  package var isDepth: Bool { encoding == .depth16 }
}
