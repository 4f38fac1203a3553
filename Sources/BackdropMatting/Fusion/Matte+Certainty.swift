import BackdropDepth

extension Matte {
  /// How much of what is taken for a person, wholly or in part, is not in doubt: 1 where all samples are 0 or 1, 0 where all are one
  /// half, and 1 for nobody.
  public var certainty: Double {
    let (width, height, stride) = (self.width, self.height, q15.stride)
    var (sum, doubt) = (0, 0)
    q15.withUnsafePointer { samples in
      for y in 0..<height {
        let row = samples + y * stride
        for x in 0..<width {
          let opacity = Int(min(row[x], Matte.one))
          sum += opacity
          doubt += min(opacity, Int(Matte.one) - opacity)
        }
      }
    }
    return sum > 0 ? 1 - Double(doubt) / Double(sum) : 1
  }
}
