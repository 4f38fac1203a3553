import ArgumentParser
import Backdrop
import BackdropImaging
import BackdropSimulation

struct DemoCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "demo", abstract: "Run the main job on the simulated camera: a video and a contact sheet.")

  @Option(name: [.short, .long], help: "An existing folder for backdrop.mp4 and contact-sheet.png.")
  var output = "demo"

  @Option(help: "Seconds of video.")
  var seconds = 10.0

  @Option(help: "The background, as for replace.")
  var background = "scene:\(Scenery.allCases[0].rawValue)"

  @Flag(help: "Replace files that exist.")
  var force = false

  func run() throws {
    let video = output + "/backdrop.mp4"
    let sheet = output + "/contact-sheet.png"
    let input = try SceneInput.open("sim:talking?seconds=\(seconds)")
    var plan = Job.Plan()
    plan.background = .named(background)
    plan.output = try OutputTarget(video)
    plan.writing.overwrite = force
    let sheetFile = try OutputFile(sheet, overwrite: force)
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
    try contactSheet.save(to: sheetFile)
    let rate = (summary.framesPerSecond * 10).rounded() / 10
    try Terminal.print(
      "\(video): \(summary.frames) frames of \(input.width)×\(input.height), \(rate) frames/s, camera and encoder included"
    )
    try Terminal.print("\(sheet): frame · depth · matte · result")
  }
}
