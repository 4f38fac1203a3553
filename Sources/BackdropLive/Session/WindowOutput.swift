import Backdrop

/// A window with the pictures that others see, drawn by FFmpeg's player.
package final class WindowOutput: BroadcastSink {
  package let name = "window"
  /// Always true; the output ends when the window is closed.
  package var isWatched: Bool { true }
  /// Always false: the window is on the user's own screen.
  package var isPublic: Bool { false }
  private let player: ChildProcess
  private let pipe: PipeOutput

  /// Opens the window.
  package init(width: Int, height: Int, rate: Double) throws(BackdropError) {
    // Without a screen the player draws nothing and reports nothing.
    guard ["DISPLAY", "WAYLAND_DISPLAY"].contains(where: { !(ProcessEnvironment[$0] ?? "").isEmpty }) else {
      throw BackdropError(.system, "a preview window needs a screen, and this session has none", hint: .leaveWindowOut)
    }
    guard let path = ChildProcess.find("ffplay") else {
      throw BackdropError(.unsupported, "a preview window needs ffplay", hint: "install it: sudo apt install ffmpeg")
    }
    let arguments = [
      "-loglevel", "error", "-fflags", "nobuffer", "-flags", "low_delay", "-framedrop", "-window_title", "Backdrop",
      "-f", "yuv4mpegpipe", "-i", "-",
    ]
    do throws(BackdropError) {
      player = try ChildProcess(path, arguments, input: .pipe)
    } catch {
      throw BackdropError(.system, "Backdrop cannot open the preview window: \(error.message)", path: path)
    }
    pipe = try PipeOutput("window", descriptor: player.input, width: width, height: height, rate: rate, isPublic: false)
  }

  /// Shows a picture.
  ///
  /// - Throws: `interrupted` if the window was closed, `system` if the pipe cannot be written.
  package func show(_ rendering: Rendering) throws(BackdropError) { try pipe.show(rendering) }

  /// Drops a picture that is not on its way to the window yet.
  package func withdraw() { pipe.withdraw() }

  package func close() {
    pipe.close()
    player.terminate()
    player.runOn()
  }
}
