import ArgumentParser

struct EvaluateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(commandName: "evaluate", abstract: "Compare a matte with the truth.")
  func run() throws {}
}
struct DemoCommand: ParsableCommand {
  static let configuration = CommandConfiguration(commandName: "demo", abstract: "x")
  func run() throws {}
}
struct ReplaceCommand: ParsableCommand {
  static let configuration = CommandConfiguration(commandName: "replace", abstract: "x")
  func run() throws {}
}
struct MatteCommand: ParsableCommand {
  static let configuration = CommandConfiguration(commandName: "matte", abstract: "x")
  func run() throws {}
}
