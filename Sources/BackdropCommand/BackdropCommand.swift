import ArgumentParser
import BackdropImaging
import Foundation

@main
struct BackdropCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "backdrop",
    abstract: "Puts a person in front of any background.",
    version: "0.1.0",
    subcommands: [
      LiveRunCommand.self, CtlCommand.self, ReplaceCommand.self, MatteCommand.self, ApplyCommand.self,
      LooksCommand.self, EvaluateCommand.self,
      PlateCommand.self, PhotoCommand.self, DepthCommand.self, PointcloudCommand.self, RecordCommand.self,
      ConvertCommand.self, ModelsCommand.self, CamerasCommand.self, DoctorCommand.self, StudioCommand.self,
      DemoCommand.self,
    ])

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
      if let code = error as? ExitCode { Foundation.exit(code.rawValue) }
      Terminal.fail(
        BackdropError(.wrongArgument, message(for: error).replacing("\n", with: " "), hint: "see: backdrop --help"))
    }
  }
}
