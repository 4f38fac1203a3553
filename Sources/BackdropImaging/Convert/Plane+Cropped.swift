extension Plane {
  /// The rectangle with the upper left corner (`x`, `y`), which must lie inside.
  package func cropped(x: Int, y: Int, width cropWidth: Int, height cropHeight: Int) -> Plane<Sample> {
    precondition(x >= 0 && y >= 0 && cropWidth <= width - x && cropHeight <= height - y, "a crop beyond the plane")
    var result = Plane(uninitializedWidth: cropWidth, height: cropHeight)
    let toStride = result.stride
    withUnsafePointer { source in
      result.withUnsafeMutablePointer { target in
        for row in 0..<cropHeight {
          (target + row * toStride).update(from: source + (y + row) * stride + x, count: cropWidth)
        }
      }
    }
    return result
  }
}
