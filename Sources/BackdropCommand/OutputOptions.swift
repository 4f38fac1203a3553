import ArgumentParser
import Backdrop

/// The flags for the destination of results: one file, or a folder for several inputs.
struct OutputOptions: ParsableArguments {
  @Option(name: [.short, .long], help: "Where to write the result.") var output: String?

  @Option(help: "The folder for the results of several inputs, or of a folder of pictures and videos.")
  var outputDir: String?

  @Flag(help: "Skip inputs whose results are already in --output-dir.") var skipExisting = false

  @Option(
    help: ArgumentHelp(
      "Process one of several parts of the inputs, and leave the others to other computers. The parts depend only on names, so "
        + "new inputs do not move the others.", valueName: "3/8"))
  var shard: String?

  enum Destination {
    case file(String)
    case folder(String, Batch.Shard?)
  }

  func destination(of inputs: [String], force: Bool) throws(BackdropError) -> Destination {
    guard !inputs.isEmpty else {
      throw BackdropError(.wrongArgument, "you named no input", hint: "name a picture, a video or a recording")
    }
    if let outputDir {
      guard output == nil else {
        throw BackdropError(
          .wrongArgument, "you gave both --output and --output-dir",
          hint: "use -o for one input, --output-dir for several")
      }
      guard !outputDir.isEmpty else {
        throw BackdropError(.wrongArgument, "--output-dir has no value", hint: "write --output-dir FOLDER")
      }
      guard !(skipExisting && force) else {
        throw BackdropError(
          .wrongArgument, "--force and --skip-existing contradict each other",
          hint: "use --force to redo every output, --skip-existing to make the missing ones")
      }
      return .folder(outputDir, try shard.map { text throws(BackdropError) in try Batch.Shard(text) })
    }
    guard !skipExisting && shard == nil else {
      throw BackdropError(
        .wrongArgument, "\(skipExisting ? "--skip-existing" : "--shard") works only with --output-dir",
        hint: "give a folder with --output-dir")
    }
    guard inputs.count == 1 else {
      throw BackdropError(
        .wrongArgument,
        output == nil
          ? "you gave \(inputs.count) inputs, but no --output-dir"
          : "you gave \(inputs.count) inputs, but a single --output", hint: "give a folder with --output-dir")
    }
    guard let output else {
      throw BackdropError(
        .wrongArgument, "--output is missing", hint: "name one with -o FILE, or a folder with --output-dir")
    }
    return .file(output)
  }
}
