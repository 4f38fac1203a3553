import BackdropImaging

extension RangeMap {
  /// The map turned upright from a stored `orientation`, as in ``/BackdropImaging/Plane/oriented(_:)``, including its intrinsics.
  public func oriented(_ orientation: Orientation) -> Self {
    guard orientation != .up else { return self }
    let camera = intrinsics?.scaled(toWidth: width, height: height).oriented(orientation)
    var result = replacing(values: values.oriented(orientation), intrinsics: camera)
    result.confidence = confidence.map { ConfidenceMap($0.values.oriented(orientation)) }
    return result
  }

  /// The rectangle of the map at (`x`, `y`), with its intrinsics moved.
  ///
  /// - Throws: `wrongArgument` if the rectangle is empty or not inside the map.
  public func cropped(x: Int, y: Int, width cropWidth: Int, height cropHeight: Int) throws(BackdropError) -> Self {
    guard
      cropWidth > 0 && cropHeight > 0 && x >= 0 && y >= 0 && cropWidth <= width && cropHeight <= height
        && x <= width - cropWidth && y <= height - cropHeight
    else {
      throw BackdropError(
        .wrongArgument,
        "the crop of \(cropWidth)×\(cropHeight) at (\(x), \(y)) does not fit in the map of \(width)×\(height)")
    }
    let camera = intrinsics?.scaled(toWidth: width, height: height).cropped(
      x: x, y: y, width: cropWidth, height: cropHeight)
    var map = replacing(values: values.cropped(x: x, y: y, width: cropWidth, height: cropHeight), intrinsics: camera)
    map.confidence = confidence.map {
      ConfidenceMap($0.values.cropped(x: x, y: y, width: cropWidth, height: cropHeight))
    }
    return map
  }

  /// The values scaled linearly to 0…1: `(value − low) / (high − low)`, clamped; holes stay NaN.
  ///
  /// Without a range, the smallest and largest valid values are used. So on a ``DepthMap`` 0 is near and 1 is far, and on a
  /// ``DisparityMap`` 0 is far and 1 is near. If low and high are equal, values up to them are 0 and values above are 1.
  public func normalized(over range: ClosedRange<Float>? = nil) -> Plane<Float> {
    let extent = range ?? self.extent ?? 0...1
    let (low, high) = (extent.lowerBound, extent.upperBound)
    // Halved, so that the span of two huge values stays finite.
    let scale = high > low ? 0.5 / (high / 2 - low / 2) : Float.greatestFiniteMagnitude
    return values.map { value in
      let part = (value - low) * scale
      // Comparisons with NaN are false, so holes pass through both.
      let floor = part < 0 ? 0 : part
      return floor > 1 ? 1 : floor
    }
  }

  /// The smallest and the largest valid value; `nil` if there is none.
  public var extent: ClosedRange<Float>? {
    var low = Float.infinity
    var high = -Float.infinity
    let source = values
    for y in 0..<height {
      let row = source.row(y)
      for x in row.indices {
        let value = row[x]
        low = value < low ? value : low
        high = value > high ? value : high
      }
    }
    return low <= high ? low...high : nil
  }
}
