struct JobOutputs {
  /// One picture for each output.
  struct Picture: Sendable {
    /// The drawn picture; `nil` if only mattes are requested.
    var rendering: Rendering?
    /// The matte at any size; `nil` if it is not requested.
    var matte: Matte?
    /// Its time and duration, in the input's ticks.
    var ticks: SceneTicks
  }

  private var result: StreamOutput?, mattes: StreamOutput?
  private let width: Int, height: Int

  init(_ plan: Job.Plan, _ source: SceneInput, _ renderer: Renderer) throws(BackdropError) {
    (width, height) = (source.width, source.height)
    var stream = StreamOutput.Stream(source)
    stream.change = PictureReplacement(
      keepsGeometry: plan.look.keepsGeometry && plan.drawing.composition.keepsGeometry,
      keepsBackground: !plan.look.hasBackground)
    if let target = plan.output {
      (stream.width, stream.height) = (renderer.outputWidth, renderer.height)
      (stream.format, stream.keepsAlpha) = (renderer.outputFormat(for: source.format), plan.isTransparent)
      result = try StreamOutput(checked: target, for: stream, plan.writing)
    }
    if let target = plan.matteOutput {
      var options = plan.writing
      options.copiesStreams = false
      // If there is a result, these options are meant for it and may not suit the matte.
      if result != nil { (options.codec, options.quality) = (nil, nil) }
      var stream = StreamOutput.Stream(source)
      stream.photo = nil
      options.keepsDynamicRange = false
      (stream.color, stream.format) = (ColorDescription(matrix: .bt709, range: .full), .gray8)
      mattes = try StreamOutput(checked: target, for: stream, options)
    }
  }

  private var all: [StreamOutput] { [result, mattes].compactMap { $0 } }

  var areFull: Bool { all.allSatisfy(\.isFull) }
  var readerIsGone: Bool { all.contains(where: \.readerIsGone) }
  /// Whether all outputs are files that take every picture, so that a writer thread is worthwhile.
  var areVideos: Bool { all.allSatisfy(\.target.isVideo) }
  /// Whether the result is a single picture that is complete.
  var tookTheFirstOnly: Bool { result?.tookTheFirstOnly ?? false }
  var notes: [String] { all.flatMap(\.notes) }

  func write(_ picture: Picture) throws(BackdropError) {
    let ticks = picture.ticks
    if let rendering = picture.rendering {
      try result?.write(rendering.image, deep: rendering.deep, time: ticks.time, duration: ticks.duration)
    }
    if let mattes, let matte = picture.matte {
      try mattes.write(matte.scaled(toWidth: width, height: height).image, time: ticks.time, duration: ticks.duration)
    }
  }

  /// Completes both outputs before either appears under its name.
  func finish() throws(BackdropError) {
    for output in all { try output.complete() }
    try result?.commit()
    // Some file systems treat two names as one. That shows only once a file has the first name.
    if let first = result?.target.path, let second = mattes?.target.path, FileNumber.areSame(first, second) {
      throw Job.Plan.bothInOneFile(second)
    }
    try mattes?.commit()
  }
}
