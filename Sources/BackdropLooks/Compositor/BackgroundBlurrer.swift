import BackdropDepth
import BackdropImaging
import BackdropMatting

/// Blurs the background behind the person. It first replaces the person by colours of the background around, so that
/// nothing of the person spreads into the blur. It keeps its memory between calls.
final class BackgroundBlurrer {
  /// How the blur spreads a point.
  enum Kind: Equatable {
    case gaussian(sigma: Double)
    case disc(radius: Double)

    /// This kind, or a layer's own Gaussian if that is stronger.
    func atLeast(sigma: Double) -> Kind {
      switch self {
      case .gaussian(let own): .gaussian(sigma: max(own, sigma))
      // The standard deviation of a disc is half its radius.
      case .disc(let radius): radius / 2 >= sigma ? self : .gaussian(sigma: sigma)
      }
    }
  }

  private let estimator: ForegroundEstimator
  private let disc: DiscBlur
  private let gaussian = BlurWorkspace()
  private var background: Image?
  private var result: Image?

  init(workers: WorkerPool, cpu: CPULevel) {
    estimator = ForegroundEstimator(workers: workers, cpu: cpu)
    disc = DiscBlur(workers: workers, cpu: cpu)
  }

  /// The background without the person under `matte`, blurred.
  func blur(_ frame: Image, matte: Matte, _ kind: Kind) throws(BackdropError) -> Image {
    // Take the images out of the properties: a second reference would make writing copy them.
    var background = background.take() ?? Image(frame.format, width: frame.width, height: frame.height)
    var result = result.take() ?? Image(frame.format, width: frame.width, height: frame.height)
    try estimator.estimateBackground(frame, matte: matte, into: &background)
    switch kind {
    case .gaussian(let sigma): try background.blur(sigma: sigma, into: &result, workspace: gaussian)
    case .disc(let radius): try disc.blur(background, radius: radius, into: &result)
    }
    self.background = background
    self.result = result
    return result
  }
}
