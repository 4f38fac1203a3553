/// The size with the same aspect whose longer side is at most `side`, 1 or more: rounded, at least 1×1. A smaller size stays.
package func reducedSize(_ width: Int, _ height: Int, toSide side: Int) -> (width: Int, height: Int) {
  let scale = min(1, Double(max(1, side)) / Double(max(1, width, height)))
  return (max(1, Int((Double(width) * scale).rounded())), max(1, Int((Double(height) * scale).rounded())))
}

extension Image {
  /// The image with a longer side of at most `side`.
  ///
  /// - Throws: `wrongArgument` for an image without pixels.
  package func reduced(toSide side: Int, filter: ScaleFilter = .automatic) throws(BackdropError) -> Image {
    let size = reducedSize(width, height, toSide: side)
    guard size != (width, height) else { return self }
    return try scaled(toWidth: size.width, height: size.height, filter: filter)
  }
}
