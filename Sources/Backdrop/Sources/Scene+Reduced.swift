extension Scene {
  /// The same scene with its picture scaled down to at most `side` pixels on the longer side, and to even sides.
  package func reduced(to side: Int) throws(BackdropError) -> Scene {
    let scale = min(1, Double(side) / Double(max(image.width, image.height)))
    func even(_ value: Int) -> Int { max(2, Int((Double(value) * scale / 2).rounded()) * 2) }
    let (width, height) = (even(image.width), even(image.height))
    guard width != image.width || height != image.height else { return self }
    var result = self
    result.image = try image.scaled(toWidth: width, height: height)
    result.alpha = try alpha?.scaled(toWidth: width, height: height)
    result.deep = nil
    return result
  }

  /// The picture as viewers see it: parts hidden by alpha are black.
  package var flattened: Image {
    guard let alpha else { return image }
    var result = image.format.isRGB ? image : image.converted(to: .rgb8)
    let (step, width) = (result.format == .rgb8 ? 3 : 4, min(image.width, alpha.width))
    for y in 0..<min(image.height, alpha.height) {
      let coverage = alpha.row(y)
      var row = result.mutableRow(y)
      for x in 0..<width where coverage[x] < 255 {
        for c in 0..<3 { row[step * x + c] = UInt8((Int(row[step * x + c]) * Int(coverage[x]) + 127) / 255) }
      }
    }
    return result
  }

  /// The picture with its alpha, as R, G, B, A, not premultiplied; the picture itself if it is opaque.
  package var pictureWithAlpha: Image {
    guard let alpha, alpha.width == image.width, alpha.height == image.height else { return image }
    var result = image.converted(to: .rgba8)
    result.alpha = .straight
    result.setChannel(3, to: alpha)
    return result
  }
}
