import BackdropImaging
import BackdropLive
import BackdropStudio
import BackdropTerminal
import Libc

/// Runs the studio in a terminal: prints links, opens the browser, listens on the control socket, and ends at a signal.
struct StudioRun {
  let start: StudioStart

  func run() throws {
    let options = start.options
    let studio = try Studio(options)
    try studio.start()
    defer { studio.stop() }
    let isOver = EndRequest()
    let control = try openSocket(studio, isOver)
    defer { control?.close() }
    if options.isPublic { Terminal.warn("other computers can connect, and the connection is not encrypted") }
    try Terminal.print(studio.makeLink())
    Terminal.note(
      "the link works once, for \(StudioOptions.linkLife) seconds; press Return for another, Ctrl-C to end the studio")
    let isOpened = try start.opensBrowser && open(studio)
    try serve(studio, isOver, warnsWithoutPage: isOpened)
  }

  /// Runs until a signal or another program ends it, or it fails; each line of input requests a link.
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

  /// Opens the control socket. If another session has the default one, the studio runs with only its page.
  private func openSocket(_ studio: Studio, _ isOver: EndRequest) throws -> ControlSocket? {
    do throws(BackdropError) {
      return try ControlSocket.open(start.socket ?? ControlSocket.usualPath) { (command) throws(BackdropError) in
        let status = try studio.perform(command)
        if case .quit = command { isOver.raise() }
        return status
      }
    } catch {
      guard start.socket == nil else { throw error }
      Terminal.note("backdrop ctl cannot reach this studio: \(error.message)")
      return nil
    }
  }

  /// Opens the page in the user's browser, if there is a desktop. The link goes through a file that only this user can read,
  /// because every user can see a program's arguments.
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

/// Reads lines of standard input; each requests another link.
private struct LinkRequests {
  private var isOpen = true

  /// Waits for input up to the given time; returns whether it contains a line break.
  mutating func wait(milliseconds: Int32) -> Bool {
    // The system would stop a background program that reads from its terminal.
    guard isOpen, isatty(0) == 0 || tcgetpgrp(0) == getpgrp() else {
      usleep(UInt32(milliseconds) * 1000)
      return false
    }
    var descriptor = pollfd(fd: 0, events: Int16(POLLIN), revents: 0)
    guard poll(&descriptor, 1, milliseconds) > 0 else { return false }
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = read(0, &bytes, bytes.count)
    if count <= 0 { isOpen = false }
    return count > 0 && bytes[..<count].contains(10)
  }
}
