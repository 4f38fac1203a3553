extension DeepFrame {
  /// This frame plus the difference between a source and a base that was made from the source: this + weight · (source − base), each sample
  /// rounded and limited to its bits. Both are of the same size, bits and colours; the weight is 0…``one`` for each pixel, and chroma uses
  /// the mean of its pixels.
  ///
  /// For a weight of one, with this frame as base, the source comes out exactly; for zero, this frame stays.
  package func restoring(_ source: DeepFrame, beyond base: DeepFrame, weight: Plane<UInt16>) -> DeepFrame {
    precondition(source.bits == bits && base.bits == bits && weight.width == width && weight.height == height)
    let most = Int32(1) << Int32(bits) - 1
    let small = weight.averaged(toWidth: cb.width, height: cb.height)
    func restored(
      _ plane: Plane<UInt16>, _ source: Plane<UInt16>, _ base: Plane<UInt16>, _ weight: Plane<UInt16>
    ) -> Plane<UInt16> {
      precondition(source.width == plane.width && source.height == plane.height)
      precondition(base.width == plane.width && base.height == plane.height)
      var result = Plane<UInt16>(uninitializedWidth: plane.width, height: plane.height)
      for y in 0..<plane.height {
        let (from, source, base, weight) = (plane.row(y), source.row(y), base.row(y), weight.row(y))
        var to = result.mutableRow(y)
        for x in to.indices {
          // At most 16 bits times 15, which just fits.
          let more = (Int32(source[x]) &- Int32(base[x])) &* Int32(min(weight[x], DeepFrame.one)) &+ (1 << 14)
          to[x] = UInt16(truncatingIfNeeded: min(max(Int32(from[x]) &+ more >> 15, 0), most))
        }
      }
      return result
    }
    return DeepFrame(
      luma: restored(luma, source.luma, base.luma, weight), cb: restored(cb, source.cb, base.cb, small),
      cr: restored(cr, source.cr, base.cr, small), bits: bits, color: color)
  }

  package static let one: UInt16 = 1 << 15

  /// The same frame with additional columns and rows at the right and below, which repeat the last ones.
  package func padded(width: Int, height: Int) -> DeepFrame {
    func padded(_ plane: Plane<UInt16>, _ width: Int, _ height: Int) -> Plane<UInt16> {
      plane.window(IntegerRect(x: 0, y: 0, width: width, height: height))
    }
    let wide = cb.width == self.width ? width : (width + 1) / 2
    let high = cb.height == self.height ? height : (height + 1) / 2
    return DeepFrame(
      luma: padded(luma, width, height), cb: padded(cb, wide, high), cr: padded(cr, wide, high), bits: bits,
      color: color)
  }
}

extension Plane where Sample == UInt16 {
  /// The mean of each sample's pixels, if a row or a column has half as many, rounded up; else the plane itself.
  fileprivate func averaged(toWidth width: Int, height: Int) -> Plane<UInt16> {
    guard width != self.width || height != self.height else { return self }
    let (right, below) = (width == self.width ? 0 : 1, height == self.height ? 0 : 1)
    var result = Plane<UInt16>(uninitializedWidth: width, height: height)
    for y in 0..<height {
      let first = row(y << below)
      let second = row(min(y << below + below, self.height - 1))
      var to = result.mutableRow(y)
      for x in 0..<width {
        let (left, last) = (x << right, min(x << right + right, self.width - 1))
        let sum = UInt32(first[left]) + UInt32(first[last]) + UInt32(second[left]) + UInt32(second[last])
        to[x] = UInt16((sum + 2) / 4)
      }
    }
    return result
  }
}
