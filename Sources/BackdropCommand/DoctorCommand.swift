import ArgumentParser
import BackdropLive
import BackdropTerminal

struct DoctorCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor", abstract: "Check what a live session needs, and how to get what is missing.",
    discussion: "Exits with 1 if a live session cannot work, else with 0. It changes nothing and starts no camera.")

  @Flag(help: "Print the findings as a JSON array.") var json = false

  func run() throws {
    var failure: (any Error)?
    let findings = Doctor.examine { finding in
      guard !json, failure == nil else { return }
      do {
        let mark = finding.state.rawValue.padded(to: 6)
        try Terminal.print(Terminal.oneLine("\(mark)  \(finding.title): \(finding.text)"))
        if let hint = finding.hint { try Terminal.print(Terminal.oneLine("        → \(hint.sentence)")) }
      } catch {
        failure = error
      }
    }
    if let failure { throw failure }
    if json { try printJSON(findings) }
    if findings.contains(where: \.isFatal) { throw ExitCode(1) }
  }
}
