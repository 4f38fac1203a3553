import ArgumentParser
import BackdropImaging
import CBuildInfo
import Glibc

@main
struct BackdropCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "backdrop",
    abstract: "Puts a person in front of any background.",
    version: versionText,
    subcommands: [
      LiveRunCommand.self, CtlCommand.self, ReplaceCommand.self, MatteCommand.self, ApplyCommand.self,
      LooksCommand.self, EvaluateCommand.self,
      PlateCommand.self, PhotoCommand.self, DepthCommand.self, PointcloudCommand.self, RecordCommand.self,
      ConvertCommand.self, ModelsCommand.self, CamerasCommand.self, DoctorCommand.self, StudioCommand.self,
      DemoCommand.self,
    ])

  /// The version, and from which commit of which day the program was built, where the build was told: `0.1.0 (4189a21c5314,
  /// 2026-11-22)`.
  static let versionText: String = {
    let build = [bd_build_commit(), bd_build_date()].compactMap { $0.map { String(cString: $0) } }.filter {
      !$0.isEmpty
    }
    return "0.1.0" + (build.isEmpty ? "" : " (\(build.joined(separator: ", ")))")
  }()

  /// Errors are one line, then a hint; every failure exits with 2, an interruption with 130.
  static func main() {
    Interruption.install()
    do {
      do {
        var command = try parseAsRoot(ProcessEnvironment.arguments)
        try command.run()
      } catch  where exitCode(for: error) == .success {
        // Help and version texts travel as errors.
        try Terminal.print(fullMessage(for: error))
      }
    } catch let error as BackdropError {
      Terminal.fail(error)
    } catch {
      if let code = error as? ExitCode { Glibc.exit(code.rawValue) }
      Terminal.fail(
        BackdropError(.wrongArgument, message(for: error).replacing("\n", with: " "), hint: "see: backdrop --help"))
    }
  }
}
