extension Rational {
  /// The fraction for a rate in its usual notation: 30, 12.5, 29.97 (30000/1001).
  package init(approximating rate: Double) {
    let ntsc = (rate * 1001 / 1000).rounded()
    if rate != rate.rounded() && abs(ntsc * 1000 / 1001 - rate) < 0.005 {
      self.init(Int32(ntsc) * 1000, 1001)
    } else if rate == rate.rounded() {
      self.init(Int32(rate), 1)
    } else {
      self.init(Int32((rate * 1000).rounded()), 1000)
    }
  }
}
