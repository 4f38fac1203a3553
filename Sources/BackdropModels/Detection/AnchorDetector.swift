import BackdropImaging

/// Runs a detection network of the BlazeFace kind, with the surrounding steps of MediaPipe's calculators: letterbox, anchors, decoding,
/// weighted suppression.
///
/// It keeps its memory between pictures. Use it from one thread at a time.
package final class AnchorDetector {
  package struct Design: Sendable {
    /// Name of the model file.
    let file: String
    /// Width and height of its input.
    let size: Int
    let strides: [Int]
    /// The number of values for each anchor.
    let valueCount: Int
    /// The input value of black; white is 1.
    var darkest: Float = -1
  }

  /// Candidates whose boxes overlap by more than this merge, as in MediaPipe.
  private static let overlap: Float = 0.3
  private let design: Design
  private let network: Network
  private let boxOutput: Int, scoreOutput: Int
  private let anchors: [SIMD2<Float>]
  private var sampler: LetterboxSampler
  private var converted: Image?
  private var candidates: [DetectionCandidate] = []
  /// The last results, as fractions of the square's side; the most confident first.
  private(set) var detections: [DetectionCandidate] = []

  /// Opens the network's file.
  ///
  /// - Throws: `unsupported` without a runtime or the file; `badData` for a file with other contents.
  init(_ design: Design, threads: Int, store: ModelStore) throws(BackdropError) {
    let network = try Network.installed(design.file, threads: threads, store: store)
    let anchors = DetectionAnchors.centers(size: design.size, strides: design.strides)
    let boxes: [Int?] = [1, anchors.count, design.valueCount]
    let scores: [Int?] = [1, anchors.count, 1]
    guard network.inputs.map(\.shape) == [[1, design.size, design.size, 3]],
      let boxOutput = network.outputs.firstIndex(where: { $0.shape == boxes }),
      let scoreOutput = network.outputs.firstIndex(where: { $0.shape == scores }),
      network.output(boxOutput).count == anchors.count * design.valueCount,
      network.output(scoreOutput).count == anchors.count
    else {
      throw network.unlike(
        "1×\(design.size)×\(design.size)×3 to 1×\(anchors.count)×\(design.valueCount) and 1×\(anchors.count)×1",
        file: design.file, store)
    }
    (self.design, self.network, self.anchors) = (design, network, anchors)
    (self.boxOutput, self.scoreOutput) = (boxOutput, scoreOutput)
    sampler = LetterboxSampler(size: design.size)
  }

  /// Processes a square of a nonempty upright picture in any format; `nil` for the whole picture.
  ///
  /// - Throws: `system` if the network fails to run.
  func run(_ image: Image, square: PictureSquare? = nil, minimumScore: Double) throws(BackdropError) {
    sampler.prepare(width: image.width, height: image.height, square: square)
    // The initializer has checked the input's shape, so it is not empty.
    let input = network.input().baseAddress!
    if image.format.isRGB {
      sampler.fill(input, from: image, darkest: design.darkest)
    } else {
      if converted?.width != image.width || converted?.height != image.height {
        converted = Image(.rgba8, width: image.width, height: image.height)
      }
      converted!.color = image.color  // Exists at this point. Detection works in any colours.
      image.convert(into: &converted!)
      sampler.fill(input, from: converted!, darkest: design.darkest)
    }
    try network.run()
    decode(minimumScore: Float(minimumScore))
    DetectionSuppression.merge(&candidates, overlap: Self.overlap, into: &detections)
  }

  /// A point of a detection, by the index of its first coordinate, in pixels of the processed picture.
  func point(_ index: Int, of detection: DetectionCandidate) -> SIMD2<Double> {
    SIMD2(Double(detection.coordinates[index]), Double(detection.coordinates[index + 1])) * sampler.square.side
      + SIMD2(sampler.square.x, sampler.square.y)
  }

  /// The box of a detection, in pixels of the processed picture.
  func box(of detection: DetectionCandidate) -> Rect {
    let (corner, opposite) = (point(0, of: detection), point(2, of: detection))
    return Rect(x: corner.x, y: corner.y, width: opposite.x - corner.x, height: opposite.y - corner.y)
  }

  private func decode(minimumScore: Float) {
    // The initializer has checked their shapes.
    let values = network.output(boxOutput).baseAddress!
    let logits = network.output(scoreOutput).baseAddress!
    candidates.removeAll(keepingCapacity: true)
    for (index, anchor) in anchors.enumerated() {
      let own = UnsafeBufferPointer(start: values + index * design.valueCount, count: design.valueCount)
      if let candidate = DetectionCandidate(
        values: own, logit: logits[index], anchor: anchor, size: Float(design.size), minimumScore: minimumScore)
      {
        candidates.append(candidate)
      }
    }
  }
}
