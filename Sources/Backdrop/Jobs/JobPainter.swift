import BackdropDepth
import BackdropImaging
import BackdropLooks
import BackdropMatting

/// Draws the frames of a job through their mattes: over a background, or cut out.
package final class JobPainter {
  private var look: Look
  private var settings: LookSettings
  private var lightWrap: Double
  private let workers: WorkerPool
  private let width: Int, height: Int
  private var background: JobBackground?
  private let cutout: Cutout?
  private let estimator: ForegroundEstimator?
  private var compositor: Compositor?
  private var foreground = Image(.gray8, width: 1, height: 1)

  /// - Parameter estimatesColors: whether the foreground's own colours are drawn where mattes are soft.
  package init(
    _ plan: Job.Plan, _ settings: LookSettings, _ input: FrameKind, estimatesColors: Bool, workers: WorkerPool
  ) throws(BackdropError) {
    look = plan.look
    lightWrap = plan.lightWrap
    (width, height) = (input.width, input.height)
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

  /// Changes what is drawn from the next frame on; a background that is `nil` stays.
  package func change(
    to look: Look, _ settings: LookSettings, background: JobBackground?, lightWrap: Double
  ) throws(BackdropError) {
    if look != self.look {
      compositor = nil
    } else if settings != self.settings {
      try compositor?.change(to: settings)
    }
    if let background {
      try compositor?.setBackground(background.initial)
      self.background = background
    }
    (self.look, self.settings, self.lightWrap) = (look, settings, lightWrap)
    compositor?.lightWrap = background?.allowsLightWrap ?? self.background?.allowsLightWrap ?? true ? lightWrap : 0
  }

  /// Gets ready for a frame, so that a still card can be drawn whatever happens to its matte.
  package func prepare(for frame: Frame) throws(BackdropError) {
    guard cutout == nil else { return }
    try prepare(frame.image.format, frame.image.color, at: frame.time)
  }

  private func prepare(_ format: PixelFormat, _ color: ColorDescription, at time: Double) throws(BackdropError) {
    if compositor == nil || compositor?.color != color {
      let made = try Compositor(
        look, settings: settings, width: width, height: height, format: format, color: color, workers: workers)
      made.lightWrap = background?.allowsLightWrap ?? true ? lightWrap : 0
      if let background { try made.setBackground(background.initial) }
      compositor = made
    }
    if let picture = try background?.picture(at: time) { try compositor?.setBackground(.picture(picture)) }
  }

  /// Draws a frame; `output` is reused if it has the right size.
  package func draw(_ frame: Frame, matte: Matte, into output: inout Image) throws(BackdropError) {
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

  /// Draws the card of a live stream, whether or not there was a frame before.
  package func drawCard(into output: inout Image, at time: Double) throws(BackdropError) {
    try prepare(.i420, compositor?.color ?? .video, at: time)
    drawCard(into: &output)
  }
}
