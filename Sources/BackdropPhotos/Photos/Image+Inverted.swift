import BackdropImaging

extension Image {
  /// Grey integers reversed within a range of codes: its largest becomes its smallest.
  func inverted(over codes: ClosedRange<Int>) -> Image {
    let sum = codes.lowerBound + codes.upperBound
    var result =
      format == .gray8
      ? Image(gray: plane().map { UInt8(clamping: sum - Int($0)) })
      : Image(gray16: plane(as: UInt16.self).map { UInt16(clamping: sum - Int($0)) })
    (result.color, result.alpha, result.orientation) = (color, alpha, orientation)
    return result
  }
}
