import BackdropCommand

/// The program `backdrop` without the studio and the service.
@main
enum BackdropProgram {
  static func main() { CommandRun.main() }
}
