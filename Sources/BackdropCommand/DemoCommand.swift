import ArgumentParser
import Backdrop
import BackdropTerminal

struct DemoCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "demo", abstract: "Replace the background of a simulated camera and of a real person.",
    discussion: """
      Writes backdrop.mp4 (the simulated camera in front of a new background), contact-sheet.png (its steps), and a portrait \
      by NASA in front of three backgrounds: portrait-dunes.png and so on, with all of them in portrait.png. The first run \
      downloads the portrait from PyPI, 15 MB.
      """)

  @Option(name: [.short, .long], help: "An existing folder for the results.") var output = "demo"
  @Option(help: "Length of the video in seconds.") var seconds = 10.0

  @Option(help: "The video's background; values as for replace.")
  var background = "scene:\(Scenery.allCases[0].rawValue)"

  @Flag(help: "Download nothing; without an earlier download, leave the portrait out.") var offline = false
  @Flag(help: "Replace existing files.") var force = false

  func run() throws {
    let video = output + "/backdrop.mp4"
    let sheet = try OutputFile(output + "/contact-sheet.png", overwrite: force)
    let page = try OutputFile(output + "/portrait.png", overwrite: force)
    let input = try SceneInput.open("sim:talking?seconds=\(seconds)")
    var plan = Job.Plan()
    plan.background = try BackgroundChoice(parsing: background)
    plan.output = try OutputTarget(video)
    plan.writing.overwrite = force
    var progress = Progress(total: input.frameCount, isShown: true)
    var contactSheet = ContactSheet()
    var done = 0
    let summary = try Job(input, plan).run(
      progress: { progress.update(done: $0) }, isInterrupted: { Interruption.isRequested }
    ) { scene, matte, rendering throws(BackdropError) in
      if let rendering, [0, 45, 90].contains(done) {
        try contactSheet.add(scene, matte: matte, result: rendering.image)
      }
      done += 1
    }
    progress.finish()
    try contactSheet.save(to: sheet)
    let rate = (summary.framesPerSecond * 10).rounded() / 10
    try Terminal.print(
      "\(video): \(summary.frames) frames of \(input.width)×\(input.height), \(rate) frames/s, camera and encoder included"
    )
    try Terminal.print("\(sheet.path): frame · depth · matte · result")
    guard let portrait = portrait() else { return }
    try show(portrait, on: page)
    try Terminal.print("\(page.path): before · matte · after")
  }

  /// The portrait's file; without one, prints the reason and returns `nil`.
  private func portrait() -> String? {
    let store = ModelStore()
    do throws(BackdropError) {
      guard store.isComplete else {
        throw BackdropError(.unsupported, "the person network is not installed", hint: .installNetworks)
      }
      if store.portrait == nil {
        guard !offline else {
          throw BackdropError(.unsupported, "the portrait is not on this computer yet", hint: "remove --offline")
        }
        try store.install(["portrait"]) { Terminal.say($0) }
      }
      return store.portrait
    } catch {
      Terminal.note("the demo has no portrait: \(error.message)\(error.hint.map { "; \($0.sentence)" } ?? "")")
      return nil
    }
  }

  private func show(_ portrait: String, on page: OutputFile) throws {
    var sheet = ContactSheet()
    let networks = ModelCache()
    for scenery in Scenery.allCases {
      var plan = Job.Plan()
      plan.background = .scenery(scenery)
      plan.output = try OutputTarget("\(output)/portrait-\(scenery.rawValue).png")
      plan.writing.overwrite = force
      _ = try Job(SceneInput.open(portrait), plan, networks: networks).run(
        isInterrupted: { Interruption.isRequested }
      ) { scene, matte, rendering throws(BackdropError) in
        if let rendering { try sheet.add(scene, matte: matte, result: rendering.image) }
      }
    }
    try sheet.save(to: page)
  }
}
