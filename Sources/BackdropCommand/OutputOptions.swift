import ArgumentParser
import Backdrop
import BackdropImaging

/// The flags that say where results go: one file, or a folder for those of several inputs.
struct OutputOptions: ParsableArguments {
  @Option(name: [.short, .long], help: "Where the result goes.")
  var output: String?

  @Option(help: "A folder for the results of several inputs, or of a folder of pictures and videos.")
  var outputDir: String?

  @Flag(help: "Leave out what is in --output-dir already.")
  var skipExisting = false

  @Option(
    help: ArgumentHelp(
      "Do one of several parts of the inputs, and leave the others to other machines. Names decide which, so that inputs that "
        + "are added move no other.", valueName: "3/8"))
  var shard: String?

  enum Destination {
    case file(String)
    case folder(String, Batch.Shard?)
  }

  /// What the flags mean for these inputs.
  func destination(of inputs: [String], force: Bool) throws(BackdropError) -> Destination {
    if let outputDir {
      guard output == nil else {
        throw BackdropError(
          .wrongArgument, "there are both --output and --output-dir", hint: "one input takes -o, several --output-dir")
      }
      guard !outputDir.isEmpty else {
        throw BackdropError(.wrongArgument, "the output folder has no name", hint: "give one with --output-dir")
      }
      guard !(skipExisting && force) else {
        throw BackdropError(
          .wrongArgument, "--force and --skip-existing contradict each other",
          hint: "--force makes all anew, --skip-existing only what is missing")
      }
      return .folder(outputDir, try shard.map { text throws(BackdropError) in try Batch.Shard(text) })
    }
    guard !skipExisting else {
      throw BackdropError(
        .wrongArgument, "--skip-existing goes with --output-dir", hint: "give a folder with --output-dir")
    }
    guard shard == nil else {
      throw BackdropError(
        .wrongArgument, "--shard goes with --output-dir", hint: "give a folder with --output-dir")
    }
    guard inputs.count == 1 else {
      throw BackdropError(
        .wrongArgument,
        output == nil
          ? "there are \(inputs.count) inputs, but no --output-dir"
          : "there are \(inputs.count) inputs, but one --output", hint: "give a folder with --output-dir")
    }
    guard let output else {
      throw BackdropError(
        .wrongArgument, "there is no --output", hint: "name one with -o FILE, or a folder with --output-dir")
    }
    return .file(output)
  }
}
