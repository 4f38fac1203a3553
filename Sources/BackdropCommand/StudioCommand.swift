import ArgumentParser
import BackdropImaging
import BackdropLive
import BackdropStudio
import Foundation

struct StudioCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "studio", abstract: "Open a page in the browser to see, slide and turn everything.",
    discussion: """
      The page runs on this machine and nowhere else: it is reached at 127.0.0.1 only, with the secret in the address that is \
      printed. The secret is kept in ~/.local/state/backdrop, so that bookmarks stay good; --new-token makes another.
      """)

  @Option(help: "The camera to begin with: an address as for replace or cameras. Default: the simulated one.")
  var camera = "sim:talking"

  @Option(help: "The background to begin with, as for replace.")
  var background: String?

  @Option(help: "The size of the live picture, as 1280x720.")
  var size: String?

  @Option(help: "The port. Default: the first free one from \(Studio.ports.lowerBound) on.")
  var port: Int?

  @Option(help: "An existing folder for snapshots and recordings.")
  var folder = "."

  @Flag(help: "Print the address only; open no browser.")
  var noOpen = false

  @Flag(name: .customLong("public"), help: "Let other machines in; needs a password. What is sent is not encrypted.")
  var isPublic = false

  @Option(help: "The password for other machines, or BACKDROP_STUDIO_PASSWORD in the environment.")
  var password: String?

  @Flag(help: "Make a new secret; bookmarks and pages that are open lose theirs.")
  var newToken = false

  func run() throws {
    var options = StudioOptions(token: try StudioToken.kept(isNew: newToken))
    options.port = port
    options.folder = folder
    options.isPublic = isPublic
    options.password = password ?? ProcessInfo.processInfo.environment["BACKDROP_STUDIO_PASSWORD"]
    options.live.camera = camera
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
    if isPublic { Terminal.warn("other machines are let in, and what they see is not encrypted") }
    try Terminal.print(studio.address)
    if !noOpen { open(studio.address) }
    Terminal.note("Ctrl-C ends the studio")
    while !Interruption.isRequested { usleep(50_000) }
  }

  /// Shows the address in the person's browser, where there is one.
  private func open(_ address: String) {
    let environment = ProcessInfo.processInfo.environment
    guard environment["DISPLAY"] != nil || environment["WAYLAND_DISPLAY"] != nil else { return }
    let opener = Process()
    opener.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    opener.arguments = ["xdg-open", address]
    opener.standardOutput = FileHandle.nullDevice
    opener.standardError = FileHandle.nullDevice
    do {
      try opener.run()
    } catch {
      Terminal.note("no browser could be opened: open the address yourself")
    }
  }
}
