import BackdropDepth
import BackdropImaging
import BackdropMatting

/// Divides the frames of a stream into a nearer and a farther layer, in a few milliseconds each.
///
/// It does without what would differ from frame to frame: behind the nearer layer, the farther one continues in what it showed before, if
/// the camera stands still (``RememberedBackground``), and else in smooth colours from its surroundings.
///
/// Use one divider for one stream. It keeps its memory between frames.
final class FrameDivider {
  /// The longer side of the layers, and that of the mattes of what is hidden.
  private static let side = 256, hiddenSide = 320

  /// Whether to remember the background, which takes two more pictures.
  var remembers = true

  private let refiner: MatteRefiner
  private let estimator: ForegroundEstimator
  private let remembered = RememberedBackground()
  private var smooth = Image(.gray8, width: 1, height: 1)

  init(workers: WorkerPool, cpu: CPULevel) {
    refiner = MatteRefiner(.live, workers: workers, cpu: cpu)
    estimator = ForegroundEstimator(workers: workers, cpu: cpu)
  }

  /// The layers of a frame, in the memory of `last` if it fits. If the disparity is 1 in `subject` and 0 elsewhere, the edges of that matte
  /// are drawn as they are.
  func divide(
    _ image: Image, _ disparity: Plane<Float>, _ subject: Matte?, reusing last: consuming ViewSynthesizer.Layering?
  ) throws(BackdropError) -> ViewSynthesizer.Layering {
    let layers = subject == nil ? try DepthLayers(disparity, side: Self.side) : DepthLayers()
    var made = ViewSynthesizer.Layering(image, layers)
    guard layers.hasEdges else { return made }
    // With a second reference to a picture, writing to it would copy it.
    let none = Image(.gray8, width: 1, height: 1)
    (made.near, made.far) = (none, none)
    if var last {
      swap(&made.near, &last.near)
      swap(&made.far, &last.far)
      swap(&made.cover, &last.cover)
    }
    if let subject {
      made.cover.copy(subject, width: image.width, height: image.height)
    } else {
      try refiner.refine(layers.near, of: image, into: &made.cover)
    }
    try estimator.estimate(image, matte: made.cover, into: &made.near)
    try uncover(image, made.cover, subject == nil ? layers.hidden : nil, into: &made.far)
    return made
  }

  /// The frame without what is in front; `hidden` are the parts behind it that a view may show, `nil` for all. The nearer layer may end on
  /// a slope, such as a neck, where both layers are the picture.
  private func uncover(
    _ image: Image, _ cover: Matte, _ hidden: Matte?, into output: inout Image
  ) throws(BackdropError) {
    let small = reducedSize(image.width, image.height, toSide: Self.hiddenSide)
    // Pixels beside a matte show some of the subject too, and would draw its outline on the background.
    var (hole, soft, isEmpty) = try BackgroundFill.widened(cover, small.width, small.height)
    guard !isEmpty else {
      output = image
      return
    }
    let picture = remembers ? remembered.view(image, hole: &hole, soft: &soft) : image
    // Where nothing at all is known the estimator draws whole blocks, which a view would show.
    hole.update { min($0, Matte.one - 8) }
    if let hidden { soft.update(with: hidden.scaled(toWidth: soft.width, height: soft.height).q15) { min($0, $1) } }
    try estimator.estimateBackground(picture, matte: Matte(q15: hole), into: &smooth)
    let mask = Matte(q15: soft).scaled(toWidth: image.width, height: image.height)
    output = try smooth.blended(over: picture, mask: mask.q15)
  }
}

extension Matte {
  /// Becomes a copy of another matte at a size, so that the other one's memory stays unshared.
  fileprivate mutating func copy(_ other: Matte, width: Int, height: Int) {
    guard other.width == width && other.height == height else {
      self = other.scaled(toWidth: width, height: height)
      return
    }
    q15.copy(other.q15)
  }
}
