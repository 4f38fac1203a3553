import BackdropDepth
import BackdropImaging
import BackdropLooks
import BackdropMatting

/// Draws the frames of a job through their mattes: over a background, or cut out.
final class JobPainter {
  private let plan: Job.Plan
  private let settings: LookSettings
  private let workers: WorkerPool
  private let background: JobBackground?
  private let cutout: Cutout?
  private let estimator: ForegroundEstimator?
  private var compositor: Compositor?
  private var foreground = Image(.gray8, width: 1, height: 1)

  /// - Parameter estimatesColors: whether the foreground's own colours are drawn where mattes are soft.
  init(
    _ plan: Job.Plan, _ settings: LookSettings, _ input: JobInput, estimatesColors: Bool, workers: WorkerPool
  ) throws(BackdropError) {
    self.plan = plan
    self.settings = settings
    self.workers = workers
    estimator = estimatesColors ? ForegroundEstimator(workers: workers) : nil
    background =
      if let text = plan.background, !plan.isTransparent {
        try JobBackground(text, width: input.width, height: input.height)
      } else { nil }
    cutout =
      plan.isTransparent
      ? try Cutout(plan.look, width: input.width, height: input.height) : nil
  }

  /// Gets ready for a frame, so that a still card can be drawn whatever happens to its matte.
  func prepare(for frame: Frame) throws(BackdropError) {
    guard cutout == nil else { return }
    if compositor == nil {
      let made = try Compositor(
        plan.look, settings: settings, width: frame.image.width, height: frame.image.height,
        format: frame.image.format, color: frame.image.color, workers: workers)
      made.lightWrap = plan.lightWrap
      if let background { try made.setBackground(background.initial) }
      compositor = made
    }
    if let picture = try background?.picture(at: frame.time) { try compositor?.setBackground(.picture(picture)) }
  }

  /// Draws a frame; `output` is reused if it has the right size.
  func draw(_ frame: Frame, matte: Matte, into output: inout Image) throws(BackdropError) {
    try estimator?.estimate(frame.image, matte: matte, into: &foreground)
    let colors = estimator == nil ? nil : foreground
    try compositor?.render(frame.image, foreground: colors, matte: matte, into: &output)
    try cutout?.cut(frame.image, foreground: colors, matte: matte, into: &output)
  }

  /// Draws what is shown in place of a frame without a matte.
  func drawCard(into output: inout Image) {
    compositor?.renderStillCard(into: &output)
    cutout?.clear(&output)
  }
}
