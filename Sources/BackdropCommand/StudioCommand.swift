import ArgumentParser
import BackdropImaging
import BackdropLive
import BackdropStudio
import Libc

struct StudioCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "studio", abstract: "Open the studio, a page in your browser for photos, videos and the camera.",
    discussion: """
      Only this computer can open the page: the studio listens on 127.0.0.1, and its link works once, for \
      \(Studio.linkLife) seconds. Press Return for another link. backdrop ctl controls the studio too: backdrop ctl standby \
      hides you.
      """)

  @Option(
    help:
      "The first camera: an address as for live. Default: the last one; the page asks the first time.")
  var camera: String?

  @Option(help: "The first background; values as for replace.")
  var background: String?

  @Option(help: "The size of the live picture, such as 1280x720.")
  var size: String?

  @Option(help: "The port. Default: the first free one from \(Studio.ports.lowerBound) on.")
  var port: Int?

  @Flag(help: "Record sound from this computer's microphone instead of the browser's.")
  var microphone = false

  @Option(help: "An existing folder for snapshots and recordings.")
  var folder = "."

  @Flag(help: "Print the address and do not open a browser.")
  var noOpen = false

  @Flag(
    name: .customLong("public"), help: "Let other computers connect; needs a password. The connection is not encrypted."
  )
  var isPublic = false

  @Option(
    help: ArgumentHelp(
      "A file with the password for other computers, readable only by you. Default: BACKDROP_STUDIO_PASSWORD in the environment, or a prompt.",
      valueName: "file"))
  var passwordFile: String?

  @Option(help: "The control socket for backdrop ctl. Default: \(ControlSocket.usualPath).")
  var socket: String?

  func run() throws {
    var options = StudioOptions()
    options.port = port
    options.folder = folder
    options.isPublic = isPublic
    options.password = try givenPassword()
    options.live.camera = camera ?? "sim:talking"
    options.asksForCamera = camera == nil
    options.live.microphone = microphone
    if let background { options.live.background = background }
    if let size {
      let sides = size.split(separator: "x", omittingEmptySubsequences: false).map { Int($0) ?? 0 }
      guard sides.count == 2 else {
        throw BackdropError(.wrongArgument, "'\(size)' is not a size", hint: "write 1280x720")
      }
      (options.live.request.width, options.live.request.height) = (sides[0], sides[1])
    }
    let studio = try Studio(options)
    try studio.start()
    defer { studio.stop() }
    let isOver = EndRequest()
    let control = try openSocket(studio, isOver)
    defer { control?.close() }
    if isPublic { Terminal.warn("other computers can connect, and the connection is not encrypted") }
    try Terminal.print(studio.makeLink())
    Terminal.note(
      "the link works once, for \(Studio.linkLife) seconds; press Return for another, Ctrl-C to end the studio")
    let isOpened = try !noOpen && open(studio)
    try serve(studio, isOver, warnsWithoutPage: isOpened)
  }

  /// Until a signal or another program ends it, or it fails; each line of the input asks for a link.
  private func serve(_ studio: Studio, _ isOver: EndRequest, warnsWithoutPage: Bool) throws {
    var keys = LinkRequests()
    let start = ContinuousClock.now
    var warns = warnsWithoutPage
    while !Interruption.isRequested && !isOver.isRaised {
      if let failure = studio.failure { throw failure }
      if keys.wait(milliseconds: 50) { try Terminal.print(studio.makeLink()) }
      if warns, ContinuousClock.now - start > .seconds(10) {
        warns = false
        if studio.pageCount == 0 {
          Terminal.note("no browser opened the link; press Return for a new one, and open it yourself")
        }
      }
    }
  }

  /// Another session that listens keeps its socket; this studio has its page.
  private func openSocket(_ studio: Studio, _ isOver: EndRequest) throws -> ControlSocket? {
    do throws(BackdropError) {
      return try ControlSocket.open(socket ?? ControlSocket.usualPath) { (command) throws(BackdropError) in
        let status = try studio.perform(command)
        if case .quit = command { isOver.raise() }
        return status
      }
    } catch {
      guard socket == nil else { throw error }
      Terminal.note("backdrop ctl cannot reach this studio: \(error.message)")
      return nil
    }
  }

  /// A password is never an argument: every user of a machine sees those.
  private func givenPassword() throws -> String? {
    if let passwordFile {
      // One that is not there is told of by reading it.
      guard (FileCalls.status(passwordFile)?.st_mode ?? 0) & 0o077 == 0 else {
        throw BackdropError(
          .wrongArgument, "other users can read the password", path: passwordFile, hint: "chmod 600 '\(passwordFile)'")
      }
      return String(decoding: try InputFile.read(passwordFile, limit: 4096), as: UTF8.self).trimmed
    }
    if let password = ProcessEnvironment["BACKDROP_STUDIO_PASSWORD"] { return password }
    return isPublic ? Terminal.secret("Password for other computers: ") : nil
  }

  /// Leads the person's browser to the page, where there is one: by a file that only this user can read, since every user sees the
  /// arguments of a program.
  private func open(_ studio: Studio) throws -> Bool {
    guard ["DISPLAY", "WAYLAND_DISPLAY"].contains(where: { ProcessEnvironment[$0] != nil }) else { return false }
    let file = try studio.makeLinkFile()
    do throws(BackdropError) {
      guard let path = ChildProcess.find("xdg-open") else { throw BackdropError(.system, "xdg-open is not installed") }
      try ChildProcess(path, [file]).runOn()
    } catch {
      Terminal.note("Backdrop could not open a browser (\(error.message)); open the link yourself")
      return false
    }
    return true
  }
}

/// Lines of the standard input, of which each asks for another link.
private struct LinkRequests {
  private var isOpen = true

  /// Waits a while; whether a line has come.
  mutating func wait(milliseconds: Int32) -> Bool {
    // A program in the background that reads from its terminal would be stopped.
    guard isOpen, isatty(0) == 0 || tcgetpgrp(0) == getpgrp() else {
      usleep(UInt32(milliseconds) * 1000)
      return false
    }
    var look = pollfd(fd: 0, events: Int16(POLLIN), revents: 0)
    guard poll(&look, 1, milliseconds) > 0 else { return false }
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = read(0, &bytes, bytes.count)
    if count <= 0 { isOpen = false }
    return count > 0 && bytes[..<count].contains(10)
  }
}
