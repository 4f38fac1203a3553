import BackdropDepth
import BackdropImaging

/// Finds faces by MediaPipe's short-range network (*BlazeFace*, Bazarevsky et al., 2019), with the same results as
/// MediaPipe's own runtime: boxes differ by rounding only.
///
/// The network sees the whole picture at 128×128, so it finds faces that take up about a tenth of the longer side or more,
/// as in front of a webcam or a depth camera. It keeps its memory between pictures; one detector is for one thread at a
/// time.
///
///     let detector = try FaceDetector.load()
///     let largest = try detector.detect(in: image).first?.box
public final class FaceDetector {
  /// The name it is listed by.
  public static let id = "face-short-range"
  /// What it is, in one line, and the licence of its model file.
  public static let summary = "MediaPipe face detection, short range", licence = "Apache-2.0"
  /// Name of the model file.
  public static let file = "face_detection_short_range.tflite"
  /// Faces with a lower score are dropped; 0…1. The default is 0.5, as in MediaPipe.
  public var minimumScore = 0.5

  /// Width and height of the network's input.
  private static let size = 128
  /// Candidates whose boxes overlap by more than this are one face.
  private static let overlap: Float = 0.3
  private let network: Network
  /// Which output holds boxes and points, and which the scores.
  private let boxOutput: Int, scoreOutput: Int
  private let anchors: [SIMD2<Float>]
  private var sampler = LetterboxSampler(size: FaceDetector.size)
  private var converted: Image?
  private var candidates: [FaceCandidate] = []
  private var merged: [FaceCandidate] = []

  /// Opens the network's file.
  ///
  /// - Parameters:
  ///   - path: the model file; `nil` looks for ``file`` in `store`.
  ///   - threads: that a run uses; it is too small to gain from more than one.
  /// - Throws: `unsupported` without a runtime or the file; `badData` if the file holds something else.
  public static func load(
    path: String? = nil, threads: Int = 1, store: ModelStore = ModelStore()
  ) throws(BackdropError) -> FaceDetector {
    // Said first: the same command installs both.
    _ = try NetworkRuntime.shared()
    guard let path = path ?? store.path(of: file) else {
      throw BackdropError(
        .unsupported, "the model \(file) is not installed", hint: "run: backdrop models install")
    }
    try store.refuseDamage(path)
    let network = try Network.load(path, threads: threads)
    let anchors = FaceAnchors.centers(size: size, strides: FaceAnchors.shortRangeStrides)
    let boxes: [Int?] = [1, anchors.count, FaceCandidate.valueCount]
    let scores: [Int?] = [1, anchors.count, 1]
    guard network.inputs.map(\.shape) == [[1, size, size, 3]],
      let boxOutput = network.outputs.firstIndex(where: { $0.shape == boxes }),
      let scoreOutput = network.outputs.firstIndex(where: { $0.shape == scores }),
      network.output(boxOutput).count == anchors.count * FaceCandidate.valueCount,
      network.output(scoreOutput).count == anchors.count
    else {
      let found = (network.inputs + network.outputs).map { "\($0.shapeText) \($0.element)" }
      throw BackdropError(
        .badData,
        "expected a network from 1×128×128×3 to 1×896×16 and 1×896×1 in f32, found \(found.joined(separator: ", "))",
        path: path, hint: "give MediaPipe's \(file)")
    }
    return FaceDetector(network, boxOutput: boxOutput, scoreOutput: scoreOutput, anchors: anchors)
  }

  private init(_ network: Network, boxOutput: Int, scoreOutput: Int, anchors: [SIMD2<Float>]) {
    self.network = network
    self.boxOutput = boxOutput
    self.scoreOutput = scoreOutput
    self.anchors = anchors
  }

  /// The faces in an upright picture of any format, largest first.
  ///
  /// - Throws: `system` if the network does not run.
  public func detect(in image: Image) throws(BackdropError) -> [DetectedFace] {
    var faces: [DetectedFace] = []
    try detect(in: image, into: &faces)
    return faces
  }

  /// The same, into an array whose memory is reused, for streams.
  public func detect(in image: Image, into faces: inout [DetectedFace]) throws(BackdropError) {
    faces.removeAll(keepingCapacity: true)
    guard image.width > 0 && image.height > 0 else { return }
    sampler.prepare(width: image.width, height: image.height)
    // The input's shape is checked, so it is not empty.
    let input = network.input().baseAddress!
    switch image.format {
    case .rgba8, .bgra8, .rgb8: sampler.fill(input, from: image)
    case .i420, .nv12, .yuyv, .gray8, .gray16, .grayFloat:
      if converted?.width != image.width || converted?.height != image.height {
        converted = Image(.rgba8, width: image.width, height: image.height)
      }
      converted!.color = image.color  // Made above. Faces are found in any colours.
      image.convert(into: &converted!)
      sampler.fill(input, from: converted!)
    }
    try network.run()
    decode()
    FaceSuppression.merge(&candidates, overlap: Self.overlap, into: &merged)
    place(into: &faces, width: Double(image.width), height: Double(image.height))
  }

  private func decode() {
    // Their shapes are checked.
    let values = network.output(boxOutput).baseAddress!
    let logits = network.output(scoreOutput).baseAddress!
    candidates.removeAll(keepingCapacity: true)
    for (index, anchor) in anchors.enumerated() {
      if let candidate = FaceCandidate(
        values: values + index * FaceCandidate.valueCount, logit: logits[index], anchor: anchor,
        size: Float(Self.size), minimumScore: Float(minimumScore))
      {
        candidates.append(candidate)
      }
    }
  }

  /// From parts of the square that the picture lies in the middle of, to pixels of the picture.
  private func place(into faces: inout [DetectedFace], width: Double, height: Double) {
    let side = max(width, height)
    let origin = SIMD2((width - side) / 2, (height - side) / 2)
    for face in merged {
      func point(_ index: Int) -> SIMD2<Double> {
        SIMD2(Double(face.places[index]), Double(face.places[index + 1])) * side + origin
      }
      let (corner, opposite) = (point(0), point(2))
      let found = DetectedFace(
        box: PixelRect(
          x: corner.x, y: corner.y, width: opposite.x - corner.x, height: opposite.y - corner.y),
        score: Double(face.score),
        landmarks: FaceLandmarks(
          rightEye: point(4), leftEye: point(6), noseTip: point(8), mouth: point(10), rightEar: point(12),
          leftEar: point(14)))
      let area = found.box.width * found.box.height
      faces.insert(found, at: faces.firstIndex { $0.box.width * $0.box.height < area } ?? faces.count)
    }
  }
}
