extension Plane {
  /// The plane turned upright from a stored `orientation`.
  ///
  /// For ``Orientation/left`` and the other three of ``Orientation/swapsSides``, width and height are swapped.
  public func oriented(_ orientation: Orientation) -> Plane<Sample> {
    guard orientation != .up else { return self }
    var result = Plane(
      uninitializedWidth: orientation.swapsSides ? height : width, height: orientation.swapsSides ? width : height)
    let size = MemoryLayout<Sample>.stride
    let (toWidth, toHeight, toStride) = (result.width, result.height, result.stride)
    withUnsafePointer { source in
      result.withUnsafeMutablePointer {
        turnRows(
          source, byteStride: stride * size, width: width, height: height, to: $0, byteStride: toStride * size,
          width: toWidth, height: toHeight, orientation)
      }
    }
    return result
  }
}

/// Copies a rectangle of elements, turning it upright.
///
/// The strides are in bytes, as they need not be multiples of the element's size.
func turnRows<Element: BitwiseCopyable>(
  _ source: UnsafePointer<Element>, byteStride: Int, width: Int, height: Int, to target: UnsafeMutablePointer<Element>,
  byteStride toStride: Int, width toWidth: Int, height toHeight: Int, _ orientation: Orientation
) {
  // The source of the upper left result pixel, and the source's step for one to the right or down in the result.
  let size = MemoryLayout<Element>.stride
  let matrix = orientation.matrix
  let right = matrix[0] * size + matrix[1] * byteStride
  let down = matrix[2] * size + matrix[3] * byteStride
  let fromRight = matrix[0] + matrix[2] < 0
  let fromBottom = matrix[1] + matrix[3] < 0
  let origin = (fromRight ? (width - 1) * size : 0) + (fromBottom ? (height - 1) * byteStride : 0)
  // Square blocks keep the rows of a transposition in the cache.
  let block = orientation.swapsSides ? 32 : max(toWidth, 1)
  let start = UnsafeRawPointer(source) + origin
  for top in stride(from: 0, to: toHeight, by: 32) {
    for left in stride(from: 0, to: toWidth, by: block) {
      let end = min(left + block, toWidth)
      for y in top..<min(top + 32, toHeight) {
        let out = (UnsafeMutableRawPointer(target) + y * toStride).assumingMemoryBound(to: Element.self)
        var from = start + y * down + left * right
        for x in left..<end {
          out[x] = from.assumingMemoryBound(to: Element.self).pointee
          from += right
        }
      }
    }
  }
}
