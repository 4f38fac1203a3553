import ArgumentParser
import Backdrop
import BackdropCodecs
import BackdropDepth
import BackdropImaging
import BackdropLooks
import Foundation

/// Measures how long each look takes to draw a frame of a stream, without the search for the subject. It can also write what it drew, beside
/// the same frame as a photo.
enum LookSpeed {
  /// Frames of the clip; each round draws all of them.
  private static let frameCount = 12

  /// - Parameters:
  ///   - clip: a video, a recording or `sim:…`.
  ///   - look: its name; `nil` for all.
  ///   - dump: a folder for pictures.
  static func run(
    clip: String, look: String?, threads: Int, rounds: Int, clock: clockid_t, dump: String?, json: Bool
  ) throws {
    var input = try SceneInput.open(clip)
    var scenes: [Scene] = []
    while scenes.count < frameCount, let scene = try input.next() { scenes.append(scene) }
    guard let first = scenes.first else { throw ValidationError("\(clip) has no frames") }
    let size = Size(width: first.image.width, height: first.image.height)
    for chosen in Look.builtIn where look == nil || look == chosen.id {
      let workers = WorkerPool(threads: threads)
      let engine = try StreamEngine(
        StreamSettings(chosen),
        StreamDescription(
          width: size.width, height: size.height, hasDepth: first.depth != nil || first.disparity != nil),
        for: .file, workers: workers)
      var found: [Evidence] = []
      for scene in scenes {
        try engine.analyze(scene)
        found.append(engine.evidence)
      }
      var spare = Image(.bgra8, width: size.width, height: size.height)
      var times: [Double] = []
      if let dump, let last = scenes.last {
        try Picture.save(
          engine.draw(last, into: &spare).rendering.image.converted(to: .rgb8),
          to: OutputFile("\(dump)/\(chosen.id)-stream.png", overwrite: true))
        let still = try StreamEngine(engine.settings, engine.stream, for: .still, workers: workers)
        try Picture.save(
          still.render(last, into: &spare).rendering.image.converted(to: .rgb8),
          to: OutputFile("\(dump)/\(chosen.id)-still.png", overwrite: true))
      }
      for round in -1..<max(1, rounds) {
        for (scene, evidence) in zip(scenes, found) {
          var isShown = false
          let time = milliseconds(clock) {
            let drawn = engine.renderer.render(scene, evidence, into: &spare).rendering
            isShown = !drawn.isStandby
          }
          guard isShown else { throw ValidationError("\(chosen.id) shows the standby frame") }
          // The first round allocates.
          if round >= 0 { times.append(time) }
        }
      }
      let result = Result(times: times, copies: [0])
      print(
        json
          ? result.json("looks", chosen.id, size, threads) : result.text("looks", chosen.id, size, threads))
    }
  }
}
