import ArgumentParser
import Backdrop
import BackdropTerminal

struct ApplyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "apply", abstract: "Apply a look to photos, videos and recordings.",
    usage: """
      backdrop apply LOOK PHOTO -o OUTPUT [--PARAMETER VALUE …]
      backdrop apply LOOK PHOTO… --output-dir FOLDER
      backdrop apply PHOTO --contact-sheet PAGE.png
      """,
    discussion: """
      LOOK is a look's name (see: backdrop looks) or a JSON file. Each of its parameters is a flag, such as --focus 0.7 (see: \
      backdrop looks show LOOK).

      INPUT is a photo (\(DepthPhoto.readExtensions)), a video or an RGB-D recording. A photo becomes a picture \
      (\(DepthPhoto.writtenExtensions)) that keeps its metadata, and in .heic and .jpg also its depth and mattes if nothing moves. \
      A photo in motion becomes a video (\(VideoSettings.suffixes)), .gif or .apng. Looks use the photo's depth and portrait \
      matte; without either, a person network looks for the subject.

      A video or a recording becomes a video, numbered pictures or an animation. Its parameters can change over time: \
      --radius 0@0,20@3.5.
      """)

  @OptionGroup(title: "Background and output") var result: ResultOptions
  @Option(help: "Draw all looks of one photo on one page; give no LOOK.") var contactSheet: String?
  @OptionGroup var job: JobOptions

  func run() throws {
    var job = job
    let words = try LookWords(job.arguments, of: Self.self)
    if let contactSheet { return try drawSheet(words, to: contactSheet) }
    guard let name = words.names.first else {
      throw BackdropError(.wrongArgument, "you named no look", hint: "write: backdrop apply LOOK PHOTO -o OUTPUT")
    }
    let plan = try job.plan(try Look.load(name), words.flags, of: Self.self)
    let inputs = Array(words.names.dropFirst())
    guard !inputs.isEmpty else {
      throw BackdropError(.wrongArgument, "you named no photo", hint: "write: backdrop apply \(name) PHOTO -o OUTPUT")
    }
    try result.run(inputs, plan, job)
  }

  private func drawSheet(_ words: LookWords, to path: String) throws(BackdropError) {
    let outputs = result.outputs
    guard words.names.count == 1, words.flags.isEmpty, job.ofLook.flags.isEmpty, outputs.output == nil,
      outputs.outputDir == nil, outputs.shard == nil, !outputs.skipExisting, job.sweep == nil, job.at == nil
    else {
      throw BackdropError(
        .wrongArgument, "a contact sheet needs one photo, and no look or parameters",
        hint: "write: backdrop apply PHOTO --contact-sheet PAGE.png")
    }
    let given = [
      ("depth", job.depth != nil), ("depth-scale", job.depthScale != nil),
      ("hdr", job.writing.texts["hdr"] != nil), ("strict", result.strict), ("save-matte", result.saveMatte != nil),
      ("raw", job.raw != nil),
      ("raw-depth", job.rawDepth != nil), ("any-aspect", job.anyAspect), ("no-sound", job.noSound),
      ("timings", job.timing.timings), ("json", job.report.json),
    ]
    if let name = (given.filter(\.1).map(\.0) + job.part.texts.keys.sorted()).first {
      throw BackdropError(.wrongArgument, "--\(name) does nothing for a contact sheet", hint: "leave it out")
    }
    _ = try PictureFormat(path: path)
    let target = try OutputTarget(file: path)
    var plan = Job.Plan()
    plan.background = try result.chosenBackground()
    try job.apply(to: &plan)
    try target.check(keepsAlpha: false, plan.writing)
    let start = ContinuousClock.now
    let sheet = try LookSheet(
      try PhotoSource(words.names[0], limits: plan.limits), options: plan.analysis, background: plan.background,
      drawing: plan.drawing, threads: plan.threads, isInterrupted: { Interruption.isRequested })
    try sheet.write(to: target, options: plan.writing)
    guard !job.report.quiet else { return }
    Terminal.warn(sheet.warnings.map { Warning($0) })
    let seconds = ((ContinuousClock.now - start) / .seconds(1) * 100).rounded() / 100
    Terminal.say("\(path): all looks in \(seconds) s")
  }
}
