/// Makes a clean plate from an input with moving people; see ``/BackdropMatting/PlateShot``.
package struct PlateJob {
  package struct Summary: Encodable, Sendable {
    package var input: String
    package var output: String
    /// The number of frames read, and of frames used for the plate.
    package var frames: Int, used: Int
    /// The fraction of the picture that was never visible, 0…1; it is transparent in the plate.
    package var unseen: Double
    /// The fraction that changes from frame to frame, 0…1.
    package var unstable: Double
    package var warnings: [Warning] = []
  }

  private var input: any SceneSource
  private let output: String
  private let file: OutputFile
  private let options: PersonMatteMaker.Options

  /// Checks the arguments before any frame is read. The output must be a `.png`, the only picture format here that can mark unseen parts.
  package init(
    _ input: any SceneSource, output: String, overwrite: Bool = false,
    person options: PersonMatteMaker.Options = .init()
  ) throws(BackdropError) {
    guard output.lowercased().hasSuffix(".png") else {
      throw BackdropError(
        .wrongArgument, "Backdrop writes a plate as a PNG picture", path: output,
        hint: "choose a name that ends in .png")
    }
    var plan = Job.Plan()
    plan.output = try OutputTarget(output)
    try plan.checkOutputFiles(input)
    file = try OutputFile(output, overwrite: overwrite)
    (self.input, self.output, self.options) = (input, output, options)
  }

  /// Does the work, and reports the number of frames after each; a failed job leaves no files.
  package mutating func run(
    progress: (Int) -> Void = { _ in }, isInterrupted: () -> Bool = { false }
  ) throws(BackdropError) -> Summary {
    let people = try PersonMatteMaker.load(options, workers: WorkerPool(threads: options.threads))
    let shot = PlateShot(width: input.width, height: input.height)
    var matte = Matte.nothing
    var frames = 0
    while true {
      if isInterrupted() { throw BackdropError(.interrupted, "interrupted") }
      guard let scene = try input.next() else { break }
      if shot.wantsFrame {
        try people.update(&matte, from: scene.image)
        try shot.add(scene.image, matte: matte)
      } else {
        shot.skipFrame()
      }
      frames += 1
      progress(frames)
    }
    guard let result = shot.finish() else { throw BackdropError.noFrame(in: input.name) }
    guard result.unseen < 1 else {
      throw BackdropError(
        .badData, "the video never shows an empty part of the room", path: input.name,
        hint: "give a video in which people move or leave")
    }
    if isInterrupted() { throw BackdropError(.interrupted, "interrupted") }
    try Picture.save(result.image, to: file)
    var summary = Summary(
      input: input.name, output: output, frames: frames, used: result.frames, unseen: result.unseen,
      unstable: result.unstable)
    summary.warnings = input.warnings.map { Warning($0) }
    if result.unseen > 0 {
      summary.warnings.append(
        "the video never shows \(Self.percent(result.unseen)) of the room; the plate is transparent there")
    }
    if result.unstable > 0.1 {
      summary.warnings.append(
        "\(Self.percent(result.unstable)) of the room changes from frame to frame; a plate needs a camera that stands still"
      )
    }
    return summary
  }

  private static func percent(_ part: Double) -> String { "\((part * 1000).rounded() / 10) %" }
}
