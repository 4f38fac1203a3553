import BackdropDepth
import BackdropImaging
import BackdropMatting

/// Runs networks a second time on a stream's picture, now and then: the same one on the mirror image, another one on
/// the frame, and one on the whole picture. ``SecondPassAverage`` keeps the results.
///
/// One stream, one value.
final class SecondPass {
  /// How far others count beside the network that sees a frame of the picture in its own shape: the same network in the mirror image, where
  /// the frame is the whole picture or a scene begins; what is seen in the whole, less fine, where the frame is not that; and what the other
  /// network sees.
  private static let weightOfMirror = 0.5, weightOfWhole = 0.5, weightOfOther = 0.5

  private let average = SecondPassAverage()
  private var otherMatte = Matte(constant: 0, width: 1, height: 1)
  private var wholeMatte = Matte(constant: 0, width: 1, height: 1)
  private var hasSeenWhole = false

  /// The result for the whole last picture; `nil` if no network looked at it.
  var whole: Matte? { hasSeenWhole ? wholeMatte : nil }
  private var runCount = 0

  /// Forgets all results.
  func reset() { average.reset() }

  /// The next picture comes.
  func begin() { hasSeenWhole = false }

  /// Takes what was seen in the whole of this picture; the matte's memory is given another use.
  func sawWhole(_ matte: inout Matte) {
    swap(&wholeMatte, &matte)
    hasSeenWhole = true
  }

  /// The likelihoods from a second pass over a picture, and from earlier ones as far as they still hold.
  ///
  /// - Parameters:
  ///   - frame: the part of the picture that `network` looked at last.
  ///   - coarse: what it saw there.
  ///   - networks: it and others; they look at the picture anew.
  /// - Returns: `nil` where one network sees all there is. The value stands until the next call.
  /// - Throws: errors of the networks.
  func likelihood(
    of image: Image, _ frame: IntegerRect, beside coarse: Matte, of network: any PersonSegmenting,
    among networks: [any PersonSegmenting]
  ) throws(BackdropError) -> MatteLikelihood? {
    let whole = IntegerRect(x: 0, y: 0, width: image.width, height: image.height)
    guard networks.count > 1 || frame != whole else {
      average.reset()
      return nil
    }
    let begins = average.isEmpty
    guard try average.isDue(network.small, showing: frame, to: network) else {
      return average.likelihood(beside: coarse, showing: frame)
    }
    // What it sees stretched it sees worse.
    if let other = networks.first(where: { $0 !== network }) {
      try other.look(at: image, frame: frame)
      try run(other, into: &otherMatte)
      average.add(
        otherMatte, of: frame, weight: Self.weightOfOther * network.stretch(of: frame) / other.stretch(of: frame))
    }
    if begins || frame == whole {
      // A small network errs elsewhere in the mirror image, and is not stretched there. The first picture of a scene needs it most: there
      // are no earlier ones.
      try network.look(at: PortraitSegmenter.mirrored(network.small), frame: nil)
      try run(network, into: &otherMatte)
      otherMatte.mirror()
      average.add(otherMatte, of: frame, weight: Self.weightOfMirror)
      // What it saw of the frame is needed yet.
      try network.look(at: image, frame: frame)
    }
    if frame != whole {
      if !hasSeenWhole {
        let wide = networks.fitting(whole)
        try wide.look(at: image, frame: whole)
        try run(wide, into: &wholeMatte)
        // What it saw of the frame is needed yet.
        if wide === network { try network.look(at: image, frame: frame) }
      }
      hasSeenWhole = true
      average.add(wholeMatte, of: whole, weight: Self.weightOfWhole)
    }
    return average.likelihood(beside: coarse, showing: frame)
  }

  /// Runs of networks since this was asked last.
  func takeRunCount() -> Int {
    defer { runCount = 0 }
    return runCount
  }

  private func run(_ network: any PersonSegmenting, into matte: inout Matte) throws(BackdropError) {
    try network.run(into: &matte)
    runCount += 1
  }
}

extension Matte {
  /// Swaps left and right.
  mutating func mirror() {
    let width = width
    for y in 0..<height {
      var row = q15.mutableRow(y)
      for x in 0..<width / 2 {
        let left = row[x]
        row[x] = row[width - 1 - x]
        row[width - 1 - x] = left
      }
    }
  }
}

extension PersonSegmenting {
  /// How many times as long a side as the other becomes where it looks at that part of a picture.
  func stretch(of frame: IntegerRect) -> Double {
    NetworkDescription.Size(small.width, small.height).stretch(of: (frame.width, frame.height))
  }
}

extension [any PersonSegmenting] {
  /// The network whose pictures have the shape that is nearest to the frame's: stretched, they would be seen worse. There is one at least.
  func fitting(_ frame: IntegerRect) -> any PersonSegmenting {
    self.min { $0.stretch(of: frame) < $1.stretch(of: frame) }!
  }
}
