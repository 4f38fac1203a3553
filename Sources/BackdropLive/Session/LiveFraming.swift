import Backdrop

/// Brings a camera's frames into the shape of the outputs: rotates, mirrors, crops and scales picture and depth alike.
struct LiveFraming: Sendable {
  var width: Int, height: Int
  var format: PixelFormat
  var mirror = false
  var turns = 0
  var fit = LiveSettings.Fit.crop

  /// The EXIF orientation that the rotation and mirroring undo.
  private var orientation: Orientation {
    switch (((turns % 4) + 4) % 4, mirror) {
    case (0, false): .up
    case (0, true): .upMirrored
    case (1, false): .right
    case (1, true): .leftMirrored
    case (2, false): .down
    case (2, true): .downMirrored
    case (3, false): .left
    default: .rightMirrored
    }
  }

  func apply(_ frame: Scene, pool: ImagePool) throws(BackdropError) -> Scene {
    var result = frame
    if result.image.format != format { result.image = result.image.converted(to: format, pool: pool) }
    let turned = orientation
    if turned != .up {
      let (wide, high) = (Double(result.image.width), Double(result.image.height))
      result.image.orientation = turned
      result.image = result.image.upright()
      result.alpha = result.alpha?.oriented(turned)
      result.depth = result.depth?.oriented(turned)
      result.faces = result.faces?.map { $0.oriented(turned, width: wide, height: high) }
    }
    guard result.image.width != width || result.image.height != height else { return result }
    switch fit {
    case .crop: result = try result.filling(width: width, height: height)
    case .fit: try pad(&result)
    }
    return result
  }

  private func pad(_ frame: inout Scene) throws(BackdropError) {
    let (wide, high) = (Double(frame.image.width), Double(frame.image.height))
    let scale = min(Double(width) / wide, Double(height) / high)
    let (left, top) = ((Double(width) - wide * scale) / 2, (Double(height) - high * scale) / 2)
    if let depth = frame.depth {
      let (sx, sy) = (Double(depth.width) / (wide * scale), Double(depth.height) / (high * scale))
      let (outerWidth, outerHeight) = (Int((Double(width) * sx).rounded()), Int((Double(height) * sy).rounded()))
      frame.depth = depth.padded(
        toWidth: max(depth.width, outerWidth), height: max(depth.height, outerHeight), x: Int((left * sx).rounded()),
        y: Int((top * sy).rounded()))
    }
    frame.faces = frame.faces?.map {
      Rect(x: left + $0.x * scale, y: top + $0.y * scale, width: $0.width * scale, height: $0.height * scale)
    }
    // The bars are opaque.
    frame.alpha = try frame.alpha.map { (alpha) throws(BackdropError) in
      try Image(gray: alpha).fitting(width: width, height: height, bars: .white).plane()
    }
    frame.image = try frame.image.fitting(width: width, height: height, bars: .black)
  }
}

extension DepthMap {
  /// The map at (`x`, `y`) in a larger map of holes, with its intrinsics.
  fileprivate func padded(toWidth outerWidth: Int, height outerHeight: Int, x left: Int, y top: Int) -> DepthMap {
    var result = Plane<Float>(repeating: .nan, width: outerWidth, height: outerHeight)
    let source = metres
    for y in 0..<height where y + top < outerHeight {
      let from = source.row(y)
      var to = result.mutableRow(y + top)
      for x in from.indices where x + left < outerWidth { to[x + left] = from[x] }
    }
    let camera = intrinsics?.scaled(toWidth: width, height: height)
      .cropped(x: -left, y: -top, width: outerWidth, height: outerHeight)
    return replacing(values: result, intrinsics: camera)
  }
}
