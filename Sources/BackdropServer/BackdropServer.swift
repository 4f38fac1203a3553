import BackdropCommand
import BackdropImaging
import BackdropTerminal

/// The whole program: the command, and the studio and the service, which `backdrop studio` and `backdrop serve` become; they pass their
/// options through ``ServerProgram``.
@main
enum BackdropServer {
  static func main() {
    let studio = ServerProgram.received(StudioStart.self, for: "studio")
    let service = ServerProgram.received(ServeStart.self, for: "service")
    guard studio != nil || service != nil else {
      return ServerProgram.$isInside.withValue(true) { CommandRun.main() }
    }
    ScratchMemory.expectLargeBlocks()
    Interruption.install()
    do {
      if let studio { try StudioRun(start: studio).run() }
      if let service { try ServeRun(start: service).run() }
    } catch let error as BackdropError {
      Terminal.fail(error)
    } catch {
      Terminal.fail(BackdropError(.system, "\(error)", hint: "start it again"))
    }
  }
}
