import ArgumentParser
import BackdropImaging
import BackdropSandbox
import BackdropTerminal
import CBuildInfo
import Libc

struct BackdropCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "backdrop",
    abstract: "Replace the background of photos, videos and your webcam, offline and without a graphics card.",
    version: versionText,
    groupedSubcommands: [
      CommandGroup(
        name: "Photos and videos",
        subcommands: [
          ReplaceCommand.self, MatteCommand.self, ApplyCommand.self, LooksCommand.self, PhotoCommand.self,
          PlateCommand.self, ServeCommand.self,
        ]),
      CommandGroup(
        name: "Cameras",
        subcommands: [
          LiveRunCommand.self, CtlCommand.self, StudioCommand.self, CamerasCommand.self, DoctorCommand.self,
        ]),
      CommandGroup(
        name: "Depth",
        subcommands: [RecordCommand.self, ConvertCommand.self, DepthCommand.self, PointcloudCommand.self]),
      CommandGroup(name: "Tools", subcommands: [ModelsCommand.self, EvaluateCommand.self, DemoCommand.self]),
    ])

  /// The version, with the commit and the day of the build if known: `0.1.0 (4189a21c5314, 2026-11-22)`.
  static let versionText: String = {
    let build = [bd_build_commit(), bd_build_date()].compactMap { $0.map { String(cString: $0) } }.filter {
      !$0.isEmpty
    }
    return String(cString: bd_build_version()) + (build.isEmpty ? "" : " (\(build.joined(separator: ", ")))")
  }()

  static func main() {
    if DecodeWorker.isRequested(ProcessEnvironment.arguments) { DecodeWorker.run() }
    ScratchMemory.expectLargeBlocks()
    Interruption.install()
    InputPipes.keep(
      InputPipes.Keeping(isInterrupted: { Interruption.isRequested }) {
        Terminal.note("Backdrop waits for a program to write to the pipe \($0)")
      })
    let words = FormerNames.replaced(in: ProcessEnvironment.arguments) { Terminal.note($0) }
    var hint: Hint = "see: backdrop --help"
    do {
      let wanted = try NamedCommand(words)
      hint = wanted.hint
      do {
        var command = try parseAsRoot(words)
        try command.run()
      } catch  where exitCode(for: error) == .success {
        // Help and version texts are passed as errors.
        let text = fullMessage(for: error)
        let examples = text.hasPrefix("OVERVIEW:") ? Examples.section(of: wanted.names) : ""
        try Terminal.print(examples.isEmpty ? text : text.trimmed + "\n\n" + examples)
      }
    } catch let error as BackdropError {
      Terminal.fail(error)
    } catch {
      if let code = error as? ExitCode { Libc.exit(code.rawValue) }
      Terminal.fail(BackdropError(.wrongArgument, message(for: error).replacing("\n", with: " "), hint: hint))
    }
  }
}

/// The command, for the programs that contain it.
package enum CommandRun {
  /// Runs the command. An error is one line, then a hint; every failure exits with 2, an interruption with 130.
  package static func main() { BackdropCommand.main() }
}
