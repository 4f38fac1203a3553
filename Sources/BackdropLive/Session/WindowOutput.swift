import Backdrop
import BackdropImaging
import Foundation

/// A window that shows what others see, drawn by FFmpeg's player.
public final class WindowOutput: BroadcastSink {
  /// `window`.
  public let name = "window"
  /// Until it is closed.
  public var isWatched: Bool { true }
  /// No: it is the person's own screen.
  public var isPublic: Bool { false }
  private let player: UncheckedTransfer<Process>
  private let pipe: PipeOutput

  /// Opens the window.
  ///
  /// - Throws: `unsupported` where `ffplay` is not installed, `system` where it cannot be started or there is no screen.
  public init(width: Int, height: Int, rate: Double) throws(BackdropError) {
    let environment = ProcessInfo.processInfo.environment
    // Without one the player draws into nothing, and says nothing.
    guard ["DISPLAY", "WAYLAND_DISPLAY"].contains(where: { !(environment[$0] ?? "").isEmpty }) else {
      throw BackdropError(
        .system, "there is no screen for a preview window", hint: .leaveWindowOut)
    }
    let folders = (environment["PATH"] ?? "/usr/bin").split(separator: ":")
    guard let path = folders.map({ "\($0)/ffplay" }).first(where: { FileManager.default.isExecutableFile(atPath: $0) })
    else {
      throw BackdropError(.unsupported, "a preview window needs ffplay", hint: "sudo apt install ffmpeg")
    }
    let player = Process()
    player.executableURL = URL(fileURLWithPath: path)
    player.arguments = [
      "-loglevel", "error", "-fflags", "nobuffer", "-flags", "low_delay", "-framedrop", "-window_title", "Backdrop",
      "-f", "yuv4mpegpipe", "-i", "-",
    ]
    let input = Pipe()
    player.standardInput = input
    do {
      try player.run()
    } catch {
      throw BackdropError(.system, "the preview window cannot be opened (\(error.localizedDescription))", path: path)
    }
    let descriptor = dup(input.fileHandleForWriting.fileDescriptor)
    // The player sees the end of the pipe only if nobody else holds it.
    input.fileHandleForWriting.closeFile()
    self.player = UncheckedTransfer(player)
    pipe = try PipeOutput("window", descriptor: descriptor, width: width, height: height, rate: rate, isPublic: false)
  }

  /// Shows a picture.
  public func show(_ rendering: Rendering) throws(BackdropError) { try pipe.show(rendering) }

  /// Closes the window.
  public func close() {
    pipe.close()
    player.value.terminate()
  }
}
