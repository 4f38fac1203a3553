import BackdropDepth
import BackdropImaging
import BackdropMatting

/// Fits mattes to the edges of the picture.
extension PersonMatteMaker {
  /// Refines a picture's matte where the picture has more detail than the networks: between their samples.
  func drawPortrait(_ matte: inout Matte, _ image: Image, _ portrait: PortraitSegmenter.Result) throws(BackdropError) {
    // A network's edge is wider than one of its samples, so the picture adds detail only beyond that.
    let share = Float(min(max((portrait.pixelsPerSample - 1.5) / 1.5, 0), 1))
    try refiner.refine(coarse, of: image, into: &matte)
    if !omits(.closedForm) { try closedForm.solve(&matte, of: image, trust: refiner.trust) }
    guard share < 1 else { return }
    var plain = Matte(constant: 0, width: 1, height: 1)
    coarse.sharpen(refiner.settings, into: &plain)
    matte = plain.scaled(toWidth: matte.width, height: matte.height).mixed(with: matte, share: share)
  }

  func draw(_ matte: inout Matte, _ image: Image, _ frame: IntegerRect, reduced: Image?) throws(BackdropError) {
    let isWhole = frame.width == image.width && frame.height == image.height
    if let lastPortrait, options.quality == .best, options.refinement == 1, !omits(.refinement) {
      try drawPortrait(&matte, image, lastPortrait)
    } else if !omits(.refinement) && refiner.settings.strength > 0 || !isWhole {
      try refiner.refine(coarse, of: image, frame: frame, reduced: reduced, into: &matte)
      if options.quality == .best { try closedForm.solve(&matte, of: image, trust: refiner.trust) }
    } else {
      coarse.sharpen(refiner.settings, into: &matte)
    }
    if options.quality != .best && !networks[0].hasMemory && !omits(.edges) {
      try edgeSmoother.smooth(&matte, with: change, showing: frame, of: (image.width, image.height))
    }
    if options.featherPixels > 0 { matte = Matte(q15: try matte.q15.blurred(sigma: options.featherPixels)) }
  }
}

extension Matte {
  /// A mixture of this matte and another of its size, which has a share of 0…1.
  fileprivate func mixed(with other: Matte, share: Float) -> Matte {
    var result = self
    result.q15.update(with: other.q15) { mine, others in
      let (mine, others) = (Float(min(mine, Matte.one)), Float(min(others, Matte.one)))
      return UInt16((mine + share * (others - mine)).rounded())
    }
    return result
  }
}
