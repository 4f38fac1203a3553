import BackdropImaging

extension Image {
  /// Grey integers reversed within a range of codes: its largest becomes its smallest.
  func inverted(over codes: ClosedRange<Int>) -> Image {
    var result = self
    let sum = codes.lowerBound + codes.upperBound
    let greatest = format == .gray8 ? 255 : 65_535
    let rowBytes = layout(0).bytesPerRow
    let (width, height, isDeep) = (width, height, format == .gray16)
    result.withUnsafeMutableBytes { base in
      for y in 0..<height {
        if isDeep {
          let row = (base + y * rowBytes).assumingMemoryBound(to: UInt16.self)
          for x in 0..<width { row[x] = UInt16(min(max(sum - Int(row[x]), 0), greatest)) }
        } else {
          let row = (base + y * rowBytes).assumingMemoryBound(to: UInt8.self)
          for x in 0..<width { row[x] = UInt8(min(max(sum - Int(row[x]), 0), greatest)) }
        }
      }
    }
    return result
  }
}
