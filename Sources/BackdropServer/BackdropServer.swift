import BackdropImaging
import BackdropSandbox
import BackdropTerminal

/// The program that `backdrop studio` and `backdrop serve` become; they pass their options through ``ServerProgram``.
@main
enum BackdropServer {
  static func main() {
    if DecodeWorker.isRequested(ProcessEnvironment.arguments) { DecodeWorker.run() }
    ScratchMemory.expectLargeBlocks()
    Interruption.install()
    do {
      if let start = ServerProgram.received(StudioStart.self, for: "studio") {
        try StudioRun(start: start).run()
      } else if let start = ServerProgram.received(ServeStart.self, for: "service") {
        try ServeRun(start: start).run()
      } else {
        throw BackdropError(
          .wrongArgument, "backdrop-server is not started by hand", hint: "run: backdrop studio, or backdrop serve")
      }
    } catch let error as BackdropError {
      Terminal.fail(error)
    } catch {
      Terminal.fail(BackdropError(.system, "\(error)", hint: "start it again"))
    }
  }
}
