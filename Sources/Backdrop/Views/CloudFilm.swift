/// Draws point clouds from a moving camera: a picture or one orbit of a single cloud, or a frame for each cloud of a stream.
final class CloudFilm {
  private var renderer: CloudRenderer
  private let output: StreamOutput
  private let plan: CloudJob.Plan
  private let isStill: Bool
  private let isPicture: Bool
  private let secondsPerTick: Double
  private var done = false

  private static let rate = 30

  var isFull: Bool { done || output.isFull }
  var count: Int { output.count }

  init(_ path: String, _ input: DepthInput, _ plan: CloudJob.Plan, _ first: CloudModel) throws(BackdropError) {
    let size: (width: Int, height: Int)
    if let given = plan.size {
      size = given
    } else {
      let camera = first.cloud.camera
      let scale = 960 / Double(max(camera.width, camera.height))
      func even(_ side: Int) -> Int { max(16, Int((Double(side) * scale / 2).rounded()) * 2) }
      size = (even(camera.width), even(camera.height))
    }
    var renderer = try CloudRenderer(width: size.width, height: size.height, workers: WorkerPool())
    // All frames share a centre, so that the picture does not jump.
    renderer.pivotMetres = first.cloud.middle
    let target = try OutputTarget(path)
    let isPicture = target.isPicture
    let isRound = input.isStill && !isPicture
    var stream = StreamOutput.Stream(
      width: size.width, height: size.height, frameRate: isRound ? Rational(Int32(Self.rate), 1) : input.frameRate,
      timeBase: isRound ? Rational(1, Int32(Self.rate)) : input.timeBase)
    (self.renderer, self.plan, self.isPicture) = (renderer, plan, isPicture)
    (isStill, secondsPerTick) = (input.isStill, input.timeBase.value)
    stream.format = .rgba8
    output = try StreamOutput(target, for: stream, options: plan.options)
  }

  /// Draws a frame, or a whole orbit for a still input.
  func add(_ model: CloudModel, at view: DepthInput.View, _ isInterrupted: () -> Bool) throws(BackdropError) {
    let texture = model.mesh == nil ? nil : model.texture(for: view)
    guard isStill && !isPicture else {
      let seconds = Double(view.time) * secondsPerTick
      let from = plan.view ?? (isPicture ? CloudView(yaw: 18, pitch: 8) : CloudView().onOrbit(seconds / plan.seconds))
      try output.write(draw(model, texture, from), time: view.time, duration: view.duration)
      return
    }
    let frames = max(1, Int((plan.seconds * Double(Self.rate)).rounded()))
    // Write each picture while the next one is drawn.
    let behind = WorkBehind(pieces: 2)
    defer { behind.end() }
    for frame in 0..<frames {
      if isInterrupted() { throw BackdropError(.interrupted, "interrupted") }
      let from = (plan.view ?? CloudView()).onOrbit(Double(frame) / Double(frames))
      let picture = draw(model, texture, from)
      let output = output
      try behind.add { () throws(BackdropError) in try output.write(picture, time: Int64(frame), duration: 1) }
    }
    try behind.finish()
    done = true
  }

  private func draw(_ model: CloudModel, _ texture: Image?, _ view: CloudView) -> Image {
    if let mesh = model.mesh, let texture { return renderer.image(of: mesh, texture: texture, from: view) }
    return renderer.image(of: model.cloud, from: view)
  }

  func complete() throws(BackdropError) { try output.complete() }
  func commit() throws(BackdropError) { try output.commit() }
}
