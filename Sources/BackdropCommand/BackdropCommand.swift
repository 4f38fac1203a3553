import ArgumentParser
import BackdropImaging
import Foundation

@main
struct BackdropCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "backdrop",
    abstract: "Puts a person in front of any background.",
    version: "0.1.0",
    subcommands: [ReplaceCommand.self, MatteCommand.self, LooksCommand.self, EvaluateCommand.self, DemoCommand.self])

  /// Errors are one line, then a hint; every failure exits with 2, an interruption with 130.
  static func main() {
    Interruption.install()
    do {
      var command = try parseAsRoot()
      try command.run()
    } catch let error as BackdropError {
      Terminal.fail(error)
    } catch {
      let code = exitCode(for: error)
      guard code != .success else {
        // Help and version texts travel as errors.
        print(fullMessage(for: error))
        return
      }
      if let code = error as? ExitCode { Foundation.exit(code.rawValue) }
      Terminal.fail(
        BackdropError(.wrongArgument, message(for: error).replacing("\n", with: " "), hint: "see: backdrop --help"))
    }
  }
}
