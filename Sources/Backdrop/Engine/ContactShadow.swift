/// The shadow of a subject on its new background: dark and narrow at its feet, wide and faint behind it.
///
/// A subject that extends below the picture shows no feet. It casts a soft shadow on the background.
struct ContactShadow {
  /// The darkness, 0…1, on a coarse grid over the picture.
  let darkness: Plane<Float>

  /// Samples of the longer side of the grid.
  private static let side = 384

  /// - Parameters:
  ///   - matte: the subject, over the whole picture of `width` × `height` pixels.
  ///   - strength: 0 for none … 1.
  init(of matte: Matte, width: Int, height: Int, strength: Double) throws(BackdropError) {
    let size = reducedSize(width, height, toSide: Self.side)
    let small = matte.scaled(toWidth: size.width, height: size.height)
    guard let box = SubjectBox(small) else {
      darkness = Plane(repeating: 0, width: small.width, height: small.height)
      return
    }
    let tall = box.height * Double(small.height)
    let subject = small.opacities
    var result: Plane<Float>
    if box.isCutOff {
      result = try Self.moved(subject, x: 0.02 * tall, y: 0.015 * tall).blurred(sigma: max(0.5, 0.045 * tall))
      result.update { $0 * Float(0.6 * strength) }
    } else {
      let ground = box.bottom * Double(small.height)
      result = try Self.flattened(subject, onto: ground, to: 0.16).blurred(sigma: max(0.5, 0.018 * tall))
      var contact = try Self.feet(subject, ground, tall).blurred(sigma: max(0.5, 0.014 * tall))
      result.update { $0 * Float(0.5 * strength) }
      contact.update { $0 * Float(0.9 * strength) }
      result.update(with: contact) { 1 - (1 - $0) * (1 - min($1, 1)) }
    }
    darkness = result
  }

  private static func moved(_ plane: Plane<Float>, x: Double, y: Double) -> Plane<Float> {
    let (right, down) = (Int(x.rounded()), Int(y.rounded()))
    return Plane(width: plane.width, height: plane.height) { x, y in
      x >= right && y >= down ? plane[x - right, y - down] : 0
    }
  }

  /// The subject's shape flattened on the ground to `part` of its height.
  private static func flattened(_ plane: Plane<Float>, onto ground: Double, to part: Double) -> Plane<Float> {
    Plane(width: plane.width, height: plane.height) { x, y in
      let source = Int((ground - (ground - Double(y) - 0.5) / part).rounded(.down))
      return source >= 0 && source < plane.height ? plane[x, source] : 0
    }
  }

  /// The lowest parts of the subject, which touch the ground.
  private static func feet(_ plane: Plane<Float>, _ ground: Double, _ tall: Double) -> Plane<Float> {
    var result = Plane<Float>(repeating: 0, width: plane.width, height: plane.height)
    let reach = max(1, Int((0.016 * tall).rounded()))
    for x in 0..<plane.width {
      guard let lowest = (0..<plane.height).last(where: { plane[x, $0] > 0.5 }) else { continue }
      let away = (ground - Double(lowest)) / max(1, 0.08 * tall)
      guard away < 1 else { continue }
      for y in max(0, lowest - reach)...min(plane.height - 1, lowest + 2 * reach) {
        result[x, y] = max(result[x, y], Float(1 - max(0, away)))
      }
    }
    return result
  }

  /// The picture, interleaved R′G′B′ of 8 bits, with the shadow; the grid stretches over it.
  func apply(to image: Image) -> Image {
    let step = image.format == .rgb8 ? 3 : 4
    var result = image
    func position(_ index: Int, _ count: Int, _ samples: Int) -> (at: Int, next: Int, part: Float) {
      let exact = min(max((Double(index) + 0.5) / Double(count) * Double(samples) - 0.5, 0), Double(samples - 1))
      return (Int(exact), min(Int(exact) + 1, samples - 1), Float(exact - exact.rounded(.down)))
    }
    let columns = (0..<image.width).map { position($0, image.width, darkness.width) }
    for y in 0..<image.height {
      let down = position(y, image.height, darkness.height)
      let (upper, lower) = (darkness.row(down.at), darkness.row(down.next))
      var row = result.mutableRow(y)
      for x in columns.indices {
        let across = columns[x]
        let top = upper[across.at] + (upper[across.next] - upper[across.at]) * across.part
        let bottom = lower[across.at] + (lower[across.next] - lower[across.at]) * across.part
        let light = Int32((1 - (top + (bottom - top) * down.part)) * 256 + 0.5)
        guard light < 256 else { continue }
        for channel in 0..<3 {
          row[step * x + channel] = UInt8((Int32(row[step * x + channel]) * max(0, light) + 128) >> 8)
        }
      }
    }
    return result
  }
}
