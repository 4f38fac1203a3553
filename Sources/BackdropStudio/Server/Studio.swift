import BackdropHTTP
import BackdropImaging
import BackdropLive
import BackdropModels
import Synchronization

/// The studio: a page on this machine for working with backgrounds, depth and photos interactively.
///
///     let studio = try Studio(StudioOptions())
///     try studio.start()
///     print(studio.makeLink())
package final class Studio: Sendable {
  static let uploadHint = "close photos, or restart the studio"

  private let options: StudioOptions
  private let gate: Gate
  private let authenticator: Authenticator
  private let hub = Hub()
  private let live: LiveWorkspace
  private let workspaces: [any Workspace]
  private let files: DropFolder
  private let session: SessionFolder
  private let server = Mutex<HTTPServer?>(nil)

  /// Creates a studio, which ``start()`` starts.
  package init(_ options: StudioOptions) throws(BackdropError) {
    try Self.check(options)
    self.options = options
    gate = Gate(isPublic: options.isPublic)
    authenticator = Authenticator(password: options.password)
    files = try DropFolder(prefix: "backdrop-studio-", quota: UploadQuota(hint: Self.uploadHint))
    session = try SessionFolder(options.state ?? SessionFolder.usual, otherwise: files)
    live = try LiveWorkspace(options, hub: hub, files: files, keeping: session)
    workspaces = [
      live,
      try VideoWorkspace(hub: hub, session: session, saved: live.saved) { [live] in live.ownsBackground($0) },
      PhotoWorkspace(hub: hub, files: files, folder: options.folder),
      DepthWorkspace(files: files),
    ]
  }

  private static func check(_ options: StudioOptions) throws(BackdropError) {
    guard !options.isPublic || (options.password ?? "").utf8.count >= StudioOptions.minimumPassword else {
      throw BackdropError(
        .wrongArgument, "the studio needs a password before it lets other computers in", hint: .givePassword)
    }
    if let port = options.port, !(1...65_535).contains(port) {
      throw BackdropError(.wrongArgument, "the port \(port) is out of range: 1…65535", hint: .leavePortOut)
    }
    guard FileKind(options.folder) == .folder else {
      throw BackdropError(
        .wrongArgument, "the folder for snapshots and recordings does not exist", path: options.folder,
        hint: "create the folder first")
    }
  }

  /// A link for a browser on this computer. It works once, within `StudioOptions.linkLife`, and gives that browser full access while the
  /// studio runs.
  package func makeLink() -> String { "http://127.0.0.1:\(port)/enter?code=\(authenticator.makeCode())" }

  /// Writes a page, readable only by this user, that redirects to a new link. Other users can see the path on a browser's command line, but
  /// not the link.
  ///
  /// - Returns: its path; it is removed with the studio.
  package func makeLinkFile() throws(BackdropError) -> String {
    let link = makeLink()
    let text = """
      <!doctype html><meta charset="utf-8"><title>Backdrop</title>
      <meta http-equiv="refresh" content="0;url=\(link)"><a href="\(link)">Open the studio</a>
      """
    return try files.write(Array(text.utf8), fileExtension: "html", reservation: nil)
  }

  /// The port on which it listens; 0 while it is not running.
  package var port: Int { server.withLock { $0?.port ?? 0 } }

  package var pageCount: Int { hub.tabs.count }

  /// The size of uploads in progress or kept, in bytes.
  var uploadBytes: Int { files.quota.bytesInUse }

  /// The error that stopped the studio by itself; `nil` if there was none.
  package var failure: BackdropError? { server.withLock { $0?.failure } }

  /// Performs a command of the live workspace, from any thread and without the server.
  package func perform(_ command: LiveCommand) throws(BackdropError) -> LiveStatus { try live.perform(command) }

  /// Starts listening and serving on other threads.
  package func start() throws(BackdropError) {
    let router = Router(gate, authenticator, quota: files.quota, workspaces)
    let server = try listen(router)
    gate.open(port: server.port)
    authenticator.open(port: server.port)
    self.server.withLock { $0 = server }
    try live.start()
  }

  /// Listens on the requested port, or the first free default port.
  private func listen(_ router: Router) throws(BackdropError) -> HTTPServer {
    let address = options.isPublic ? "0.0.0.0" : "127.0.0.1"
    for port in options.port.map({ $0...$0 }) ?? StudioOptions.ports {
      if let server = try Server.open(router, hub: hub, address: address, port: port) { return server }
    }
    if let port = options.port {
      throw BackdropError(.system, "another program uses the port \(port)", hint: .chooseOrLeavePortOut)
    }
    throw BackdropError(
      .system,
      "other programs use all ports from \(StudioOptions.ports.lowerBound) to \(StudioOptions.ports.upperBound)",
      hint: .choosePort)
  }

  /// Stops the studio and completes a recording in progress.
  package func stop() {
    guard let server = server.withLock({ $0.take() }) else { return }
    hub.closeAll()
    server.stop()
    for workspace in workspaces { workspace.stop() }
    session.giveBack()
    files.remove()
  }
}
