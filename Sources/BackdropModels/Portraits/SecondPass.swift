import BackdropDepth
import BackdropImaging
import BackdropMatting

/// Runs networks again on a stream's picture from time to time: the same network on the mirror image, another one on the frame, and one on
/// the whole picture. ``SecondPassAverage`` keeps the results.
///
/// Use one instance for one stream.
final class SecondPass {
  /// The weights of further results, relative to 1 for the network's own: of the same network on the mirror image, if the frame is the
  /// whole picture or a shot begins; of the coarser result for the whole picture, if the frame is a part; and of the other network's
  /// result.
  private static let weightOfMirror = 0.5, weightOfWhole = 0.5, weightOfOther = 0.5

  private let average = SecondPassAverage()
  private var otherMatte = Matte(constant: 0, width: 1, height: 1)
  private var wholeMatte = Matte(constant: 0, width: 1, height: 1)
  private var hasSeenWhole = false

  /// The result for the whole last picture; `nil` if no network processed it.
  var whole: Matte? { hasSeenWhole ? wholeMatte : nil }
  private var runCount = 0

  func reset() { average.reset() }

  /// Begins the next picture.
  func begin() { hasSeenWhole = false }

  /// Records the result for this whole picture, and swaps the matte's memory.
  func sawWhole(_ matte: inout Matte) {
    swap(&wholeMatte, &matte)
    hasSeenWhole = true
  }

  /// The likelihoods from a second pass of `networks` over a picture, and from earlier ones as far as they are still valid; `nil` if one
  /// network is enough. `coarse` is the result of `network`, one of them, for its last part of the picture, `frame`. The value is valid
  /// until the next call.
  ///
  /// - Throws: errors of the networks.
  func likelihood(
    of image: Image, _ frame: IntegerRect, beside coarse: Matte, of network: any PersonSegmenting,
    among networks: [any PersonSegmenting]
  ) throws(BackdropError) -> MatteLikelihood? {
    let whole = image.bounds
    guard networks.count > 1 || frame != whole else {
      average.reset()
      return nil
    }
    let begins = average.isEmpty
    guard try average.isDue(network.small, showing: frame, to: network) else {
      return average.likelihood(beside: coarse, showing: frame)
    }
    // A stretched picture gives worse results, which get less weight.
    if let other = networks.first(where: { $0 !== network }) {
      try other.load(image, frame: frame)
      try run(other, into: &otherMatte)
      average.add(
        otherMatte, of: frame, weight: Self.weightOfOther * network.stretch(of: frame) / other.stretch(of: frame))
    }
    if begins || frame == whole {
      // A small network makes different errors in the mirror image, which is not stretched. The first picture of a shot needs it most,
      // because there are no earlier results.
      try network.load(PortraitSegmenter.mirrored(network.small), frame: nil)
      try run(network, into: &otherMatte)
      otherMatte.mirror()
      average.add(otherMatte, of: frame, weight: Self.weightOfMirror)
      // Later steps need the network's input for the frame.
      try network.load(image, frame: frame)
    }
    if frame != whole {
      if !hasSeenWhole {
        let wide = networks.fitting(whole)
        try wide.load(image, frame: whole)
        try run(wide, into: &wholeMatte)
        // Later steps need the network's input for the frame.
        if wide === network { try network.load(image, frame: frame) }
      }
      hasSeenWhole = true
      average.add(wholeMatte, of: whole, weight: Self.weightOfWhole)
    }
    return average.likelihood(beside: coarse, showing: frame)
  }

  func drainRunCount() -> Int { exchange(&runCount, with: 0) }

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
  /// The ratio of scales of the two sides when it processes that part of a picture.
  func stretch(of frame: IntegerRect) -> Double {
    NetworkDescription.Size(small.width, small.height).stretch(of: (frame.width, frame.height))
  }
}

extension [any PersonSegmenting] {
  /// The network with the shape nearest to the frame's, because stretching gives worse results. At least one exists.
  func fitting(_ frame: IntegerRect) -> any PersonSegmenting {
    self.min { $0.stretch(of: frame) < $1.stretch(of: frame) }!
  }
}
