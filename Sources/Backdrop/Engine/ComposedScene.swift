/// Composes a scene and its evidence into a picture of another shape. The renderer draws it like any other scene.
struct ComposedScene {
  let width: Int, height: Int
  /// The frame's rectangle in the picture, in pixels of the picture.
  let frame: Rect

  /// The scene and its evidence in the picture; both are empty beyond the frame's edges.
  func compose(_ scene: Scene, _ evidence: Evidence) throws(BackdropError) -> (scene: Scene, evidence: Evidence) {
    var (scene, evidence) = (scene, evidence)
    scene.image = try compose(scene.image, width: width, height: height)
    if let foreground = evidence.foreground {
      evidence.foreground = try compose(foreground, width: width, height: height)
    }
    scene.alpha = try scene.alpha.map { (alpha) throws(BackdropError) in try compose(alpha) }
    evidence.alpha = try evidence.alpha.map { (alpha) throws(BackdropError) in try compose(alpha) }
    evidence.subject = try compose(evidence.subject)
    if let disparity = evidence.disparity {
      let size = grid(disparity.width, disparity.height)
      let composed = try compose(Image(grayFloat: disparity.values), width: size.width, height: size.height)
      evidence.disparity = NormalizedDisparity(values: composed.plane(as: Float.self))
    }
    evidence.independentMattes = evidence.independentMattes.map { coarse in
      var coarse = coarse
      let (across, down) = (frame.width / Double(width), frame.height / Double(height))
      coarse.frame = Rect(
        x: frame.x / Double(width) + coarse.frame.x * across, y: frame.y / Double(height) + coarse.frame.y * down,
        width: coarse.frame.width * across, height: coarse.frame.height * down)
      return coarse
    }
    return (scene, evidence)
  }

  func compose(_ matte: Matte) throws(BackdropError) -> Matte {
    guard matte.width > 1 || matte.height > 1 else {
      return matte.q15[0, 0] == 0 ? matte : try compose(Matte(constant: matte[0, 0], width: 64, height: 64))
    }
    let size = grid(matte.width, matte.height)
    let composed = try compose(Image(gray16: matte.q15), width: size.width, height: size.height)
    return Matte(q15: composed.plane(as: UInt16.self))
  }

  /// The frame's alpha, 0 beyond its edges.
  func compose(_ alpha: Plane<UInt8>) throws(BackdropError) -> Plane<UInt8> {
    try compose(Image(gray: alpha), width: width, height: height).plane()
  }

  /// A grid for the picture that is as fine as a grid over the frame, and no finer than the picture itself.
  private func grid(_ width: Int, _ height: Int) -> (width: Int, height: Int) {
    let density = max(Double(width) / frame.width, Double(height) / frame.height)
    let limit = max(1, 4032 / Double(max(self.width, self.height)))
    let scale = min(density, limit)
    return (max(1, Int(Double(self.width) * scale)), max(1, Int(Double(self.height) * scale)))
  }

  /// A picture of the frame, on a grid over the whole picture; 0 beyond the frame's edges.
  private func compose(_ image: Image, width: Int, height: Int) throws(BackdropError) -> Image {
    var output = Image(image.format, width: width, height: height, color: image.color, alpha: image.alpha)
    output.fill(.black)
    let (across, down) = (Double(width) / Double(self.width), Double(height) / Double(self.height))
    let area = Rect(x: frame.x * across, y: frame.y * down, width: frame.width * across, height: frame.height * down)
    func span(_ start: Double, _ length: Double, _ count: Int) -> Range<Int>? {
      let (first, last) = (
        Int(max(0, start.rounded(.toNearestOrAwayFromZero))),
        Int(min(Double(count), (start + length).rounded(.toNearestOrAwayFromZero)))
      )
      return first < last ? first..<last : nil
    }
    guard let columns = span(area.x, area.width, width), let rows = span(area.y, area.height, height) else {
      return output
    }
    // The visible part of the frame there, in its own samples.
    func part(_ range: Range<Int>, _ start: Double, _ length: Double, _ count: Int) -> (first: Double, length: Double) {
      let scale = Double(count) / length
      let first = min(max((Double(range.lowerBound) - start) * scale, 0), Double(count) - 1)
      let last = min(max((Double(range.upperBound) - start) * scale, first + 1e-3), Double(count))
      return (first, last - first)
    }
    let (x, y) = (part(columns, area.x, area.width, image.width), part(rows, area.y, area.height, image.height))
    let piece = try image.scaled(
      region: Rect(x: x.first, y: y.first, width: x.length, height: y.length), width: columns.count,
      height: rows.count, filter: .automatic)
    output.paste(piece, x: columns.lowerBound, y: rows.lowerBound)
    return output
  }
}
