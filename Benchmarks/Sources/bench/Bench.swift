import ArgumentParser
import Backdrop
import BackdropModels
import Foundation

/// The runner for all workloads.
@main
struct Bench: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "bench",
    abstract: "Times Backdrop's hot paths on raw inputs, next to a memory copy of the same bytes in the same run.")

  @Argument(
    help: ArgumentHelp(
      "The workload: \(Workload.names.joined(separator: ", ")); or quality: mattes against the exact alpha; or "
        + "depth-quality: filtered depth against the exact one; or w2: "
        + "frames with the person network, beside the network alone; or live: the processor time of a live session; or "
        + "iphone: a live session of the command with a phone's frames; or recording: how fast --clip is read; or "
        + "looks: how fast looks draw the frames of --clip; or previews: the studio's pictures while a slider moves; or people: one of two who walk past each other, beside the exact "
        + "matte; or frames: pictures of the simulated camera with their alpha, for other programs."))
  var workload: String

  @Option(
    help: ArgumentHelp(
      "The variant, as the workload names them: bgra, rgba, i420, nv12 for w1; 'i420 frame refined' for w2; a look for w3 and looks. "
        + "Default: all."))
  var variant: String?

  @Option(help: "The folder of raw inputs and their inputs.json.")
  var inputs = "Benchmarks/inputs"

  @Option(help: "Frame size, WIDTHxHEIGHT. Default: all that the workload has.")
  var size: String?

  @Option(help: "Threads.")
  var threads = 1

  @Option(help: "Rounds that are timed, and frames that frames writes.")
  var rounds = 200

  @Option(help: "Write the output as WORKLOAD-VARIANT-SIZE.raw into this folder; looks write pictures.")
  var dump: String?

  @Option(help: "The scenario of the simulated camera, for quality, depth-quality and frames.")
  var scene = "talking"

  @Option(help: "The network, for w2.")
  var model = "selfie-general"

  @Option(help: "A video with a person, or sim:SCENE, for live and looks; a recording, for recording and looks.")
  var clip = "sim:talking"

  @Option(help: "The quality of mattes, for live.")
  var quality = "live"

  @Option(help: "Frames a second, for live and iphone.")
  var rate = 30.0

  @Option(help: "Mattes a second at most, for live. Default: one a frame.")
  var matteRate: Double?

  @Option(help: "Seconds that are measured, for live and iphone.")
  var seconds = 10.0

  @Option(help: "How often the phone is unplugged, for iphone.")
  var unplugs = 0

  @Flag(help: "Change the light on the person, for live.")
  var light = false

  @Option(help: "A picture with a person, for w2 and previews.")
  var picture: String?

  @Flag(help: "Take the processor time of all threads instead of the time that passes.")
  var processorTime = false

  @Flag(help: "One JSON object a line.")
  var json = false

  func run() throws {
    if workload == "quality" {
      try MatteQuality.run(scene: scene, frames: 30, json: json)
      return
    }
    if workload == "depth-quality" {
      try DepthQuality.run(scene: scene, frames: 24, json: json)
      return
    }
    if workload == "w2" {
      try PersonBackdrop.run(
        picture: picture, model: model, variant: variant, threads: threads, rounds: rounds, json: json)
      return
    }
    if workload == "previews" {
      try Previews.run(picture: picture, rounds: rounds, json: json)
      return
    }
    if workload == "live" {
      guard let mattes = MatteChoice(rawValue: variant ?? "person"),
        let quality = PersonMatteMaker.Quality(rawValue: quality)
      else {
        throw ValidationError("the variants of live are auto, depth and person, its qualities fast, live and high")
      }
      let parts = (size ?? "1280x720").split(separator: "x").compactMap { Int($0) }
      guard parts.count == 2 else { throw ValidationError("a size is WIDTHxHEIGHT") }
      try LiveSpeed.run(
        clip: clip, mattes: mattes, quality: quality, size: Size(width: parts[0], height: parts[1]), rate: rate,
        mattesPerSecond: matteRate, changesLight: light, seconds: seconds, json: json)
      return
    }
    if workload == "iphone" {
      try PhoneSpeed.run(rate: rate, seconds: seconds, unplugs: unplugs, json: json)
      return
    }
    if workload == "recording" {
      try RecordingSpeed.run(clip, json: json)
      return
    }
    if workload == "looks" {
      try LookSpeed.run(
        clip: clip, look: variant, threads: threads, rounds: rounds,
        clock: processorTime ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC, dump: dump, json: json)
      return
    }
    if workload == "people" {
      let parts = (size ?? "1280x720").split(separator: "x").compactMap { Int($0) }
      guard parts.count == 2 else { throw ValidationError("a size is WIDTHxHEIGHT") }
      try PeopleSpeed.run(size: Size(width: parts[0], height: parts[1]), json: json)
      return
    }
    if workload == "frames" {
      let parts = (size ?? "854x480").split(separator: "x").compactMap { Int($0) }
      guard parts.count == 2 else { throw ValidationError("a size is WIDTHxHEIGHT") }
      try SimulatedFrames.write(scene: scene, size: Size(width: parts[0], height: parts[1]), frames: rounds)
      return
    }
    guard let workload = Workload.named(workload) else {
      throw ValidationError("no workload '\(workload)'; there are: \(Workload.names.joined(separator: ", "))")
    }
    let inputs = try Inputs(folder: inputs)
    var found = false
    for variant in workload.variants where self.variant == nil || self.variant == variant {
      for size in workload.sizes where self.size == nil || self.size == size.description {
        found = true
        let job = try workload.prepare(inputs, variant, size, threads)
        let result = measure(
          job, rounds: rounds, clock: processorTime ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC)
        print(
          json
            ? result.json(workload.name, variant, size, threads) : result.text(workload.name, variant, size, threads))
        if let dump {
          let file = "\(dump)/\(workload.name)-\(variant)-\(size).raw"
          try Data(job.output()).write(to: URL(fileURLWithPath: file))
        }
      }
    }
    guard found else {
      throw ValidationError(
        "\(workload.name) has the variants \(workload.variants.joined(separator: ", ")) and the sizes "
          + workload.sizes.map(\.description).joined(separator: ", "))
    }
  }
}

struct Size: Sendable, CustomStringConvertible {
  var width: Int, height: Int
  var description: String { "\(width)x\(height)" }
}

/// A job to time, and its output.
struct Job {
  /// The size of the output, which is also that of the memory copy.
  var byteCount: Int
  var run: () -> Void
  var output: () -> [UInt8]
}

/// A named family of jobs.
struct Workload: Sendable {
  var name: String
  var variants: [String]
  var sizes: [Size]
  var prepare: @Sendable (Inputs, String, Size, Int) throws -> Job

  static var all: [Workload] { [.w1, .foreground, .closedForm, .chroma, .w3, .w4, .views, .clouds, .colorSpaces] }
  static var names: [String] { all.map(\.name) }
  static func named(_ name: String) -> Workload? { all.first { $0.name == name } }
}

/// Raw files and their description in `inputs.json`.
struct Inputs {
  private let folder: String
  private let header: [String: Any]

  init(folder: String) throws {
    self.folder = folder
    guard let data = FileManager.default.contents(atPath: folder + "/inputs.json"),
      let header = try JSONSerialization.jsonObject(with: data) as? [String: Any]
    else { throw ValidationError("no inputs.json in \(folder); make it with: Benchmarks/compare.sh inputs") }
    self.header = header
  }

  func number(_ workload: String, _ key: String) throws -> Double {
    guard let value = ((header[workload] as? [String: Any])?[key] as? NSNumber)?.doubleValue else {
      throw ValidationError("inputs.json has no \(workload).\(key)")
    }
    return value
  }

  func bytes(_ name: String) throws -> [UInt8] {
    guard let data = FileManager.default.contents(atPath: folder + "/" + name) else {
      throw ValidationError("no \(name) in \(folder)")
    }
    return [UInt8](data)
  }

  func floats(_ name: String) throws -> [Float] {
    try bytes(name).withUnsafeBytes { Array($0.bindMemory(to: Float.self)) }
  }
}
