import ArgumentParser
import Backdrop
import BackdropLive
import BackdropTerminal

struct StudioCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "studio", abstract: "Open the studio, a page in your browser for photos, videos and the camera.",
    discussion: """
      Only this computer can open the page: the studio listens on 127.0.0.1, and its link works once, for \
      \(StudioOptions.linkLife) seconds. Press Return for another link. backdrop ctl controls the studio too: backdrop ctl standby \
      hides you.
      """)

  @Option(help: "The first camera: an address as for live. Default: the last one; the page asks the first time.")
  var camera: String?

  @Option(help: "The first background; values as for replace.") var background: String?
  @Option(help: "The size of the live picture, such as 1280x720.") var size: String?
  @Option(help: "The port. Default: the first free one from \(StudioOptions.ports.lowerBound) on.") var port: Int?
  @Flag(help: "Record sound from this computer's microphone instead of the browser's.") var microphone = false
  @Option(help: "An existing folder for snapshots and recordings.") var folder = "."
  @Flag(help: "Print the address and do not open a browser.") var noOpen = false

  @Flag(
    name: .customLong("public"), help: "Let other computers connect; needs a password. The connection is not encrypted."
  )
  var isPublic = false

  @Option(
    help: ArgumentHelp(
      "A file with the password for other computers, readable only by you. Default: BACKDROP_STUDIO_PASSWORD in the environment, or a prompt.",
      valueName: "file"))
  var passwordFile: String?

  @Option(help: "The control socket for backdrop ctl. Default: \(ControlSocket.usualPath).") var socket: String?

  func run() throws {
    var options = StudioOptions()
    (options.port, options.folder, options.isPublic) = (port, folder, isPublic)
    options.password = try givenPassword()
    options.live.camera = camera ?? "sim:talking"
    options.asksForCamera = camera == nil
    options.live.microphone = microphone
    if let background { options.live.background = background }
    if let size {
      let sides = try FrameSize(parsing: size)
      (options.live.request.width, options.live.request.height) = (sides.width, sides.height)
    }
    try ServerProgram.become("studio", with: StudioStart(options: options, socket: socket, opensBrowser: !noOpen))
  }

  /// The password is never an argument, because every user of a machine can see arguments.
  private func givenPassword() throws -> String? {
    if let passwordFile {
      // Reading reports a missing file.
      guard (FileCalls.status(passwordFile)?.st_mode ?? 0) & 0o077 == 0 else {
        throw BackdropError(
          .wrongArgument, "other users can read the password", path: passwordFile, hint: "chmod 600 '\(passwordFile)'")
      }
      return String(decoding: try InputFile.read(passwordFile, limit: 4096), as: UTF8.self).trimmed
    }
    if let password = ProcessEnvironment["BACKDROP_STUDIO_PASSWORD"] { return password }
    return isPublic ? Terminal.secret("Password for other computers: ") : nil
  }
}
