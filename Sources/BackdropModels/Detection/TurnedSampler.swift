import BackdropImaging

/// Samples a rotated square of a picture for a network's input, as MediaPipe does: as ``LetterboxSampler``, but with the picture's edge
/// repeated beyond it.
enum TurnedSampler {
  /// Writes `size` × `size` pixels of R′, G′, B′ in 0…1 of a picture that is not empty, in `rgba8`, `bgra8` or `rgb8`.
  static func fill(_ out: UnsafeMutablePointer<Float>, size: Int, from image: Image, square: TurnedSquare) {
    let step = image.format == .rgb8 ? 3 : 4
    let (red, blue) = image.format == .bgra8 ? (2, 0) : (0, 2)
    let stride = image.layout(0).bytesPerRow
    let (lastColumn, lastRow) = (image.width - 1, image.height - 1)
    let part = 1 / Double(size)
    image.withUnsafeBytes { base in
      var to = out
      for row in 0..<size {
        for column in 0..<size {
          let position = 32 * square.point(Double(column) * part, Double(row) * part)
          let (x, y) = (Int(position.x.rounded(.toNearestOrEven)), Int(position.y.rounded(.toNearestOrEven)))
          let (across, along) = (Int32(x & 31), Int32(y & 31))
          let left = min(max(x >> 5, 0), lastColumn) * step
          let right = min(max((x >> 5) + 1, 0), lastColumn) * step
          let upper = (base + min(max(y >> 5, 0), lastRow) * stride).assumingMemoryBound(to: UInt8.self)
          let lower = (base + min(max((y >> 5) + 1, 0), lastRow) * stride).assumingMemoryBound(to: UInt8.self)
          func sample(_ channel: Int) -> Float {
            let top = Int32(upper[left + channel]) &* (32 - across) &+ Int32(upper[right + channel]) &* across
            let bottom = Int32(lower[left + channel]) &* (32 - across) &+ Int32(lower[right + channel]) &* across
            return Float((top &* (32 - along) &+ bottom &* along &+ 512) >> 10) * (1 / 255)
          }
          to[0] = sample(red)
          to[1] = sample(1)
          to[2] = sample(blue)
          to += 3
        }
      }
    }
  }
}
