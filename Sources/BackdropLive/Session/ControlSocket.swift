import BackdropImaging
import Libc
import Synchronization

/// Lets other programs of the same user control a live session through a Unix socket, with one JSON object per line.
///
/// A line is a ``LiveCommand``. The answer is `{"ok": true, "status": {…}}` or
/// `{"ok": false, "error": "…", "hint": {"text": "…", "code": "…", "values": {…}}}`, with code and values if the hint has them.
package final class ControlSocket: Sendable {
  package struct Answer: Codable, Sendable {
    package var ok: Bool
    /// The session's status, after a success.
    package var status: LiveStatus?
    package var error: String?, hint: Hint?
  }

  /// `$XDG_RUNTIME_DIR/backdrop.sock`, or a path under `/tmp` that only this user can reach.
  package static var usualPath: String {
    if let folder = ProcessEnvironment["XDG_RUNTIME_DIR"], folder.hasPrefix("/") { return folder + "/backdrop.sock" }
    return "/tmp/backdrop-\(getuid())/backdrop.sock"
  }

  package let path: String
  private let descriptor: Int32
  private let isClosed = Mutex(false)
  private let clients = Atomic(0)
  private static let longestLine = 65_536
  private static let maximumClients = 16

  /// Opens the socket and listens on its own threads.
  ///
  /// - Parameter perform: performs a command and returns the status; called on those threads.
  package static func open(
    _ path: String = usualPath,
    perform: @escaping @Sendable (LiveCommand) throws(BackdropError) -> LiveStatus
  ) throws(BackdropError) -> ControlSocket {
    let folder = FileName(path).folder
    if FileKind(folder) == .absent { _ = FileCalls.makeFolder(folder, mode: 0o700) }
    if path == usualPath { try checkPrivate(folder) }
    if FileKind(path) != .absent {
      guard let about = FileCalls.linkStatus(path), about.st_mode & S_IFMT == S_IFSOCK else {
        throw BackdropError(.wrongArgument, "this file exists and is not a socket", path: path, hint: .chooseSocketName)
      }
      if let other = try connection(path) {
        Libc.close(other)
        throw BackdropError(.wrongArgument, "another live session is running", path: path, hint: .endOtherSession)
      }
      FileCalls.removeFile(path)
    }
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { throw failure("cannot be made", path) }
    // Only this user may connect.
    let mask = umask(0o177)
    let isBound = try withAddress(path) { bind(descriptor, $0, $1) == 0 }
    umask(mask)
    guard isBound, listen(descriptor, 8) == 0 else {
      let error = failure("cannot be opened", path)
      Libc.close(descriptor)
      throw error
    }
    let result = ControlSocket(path, descriptor)
    do throws(BackdropError) {
      try DetachedThread.start { result.accept(perform) }
    } catch {
      result.close()
      Libc.close(descriptor)
      throw error
    }
    return result
  }

  private init(_ path: String, _ descriptor: Int32) { (self.path, self.descriptor) = (path, descriptor) }

  package func close() {
    let wasClosed = isClosed.withLock { exchange(&$0, with: true) }
    guard !wasClosed else { return }
    FileCalls.removeFile(path)
    shutdown(descriptor, Int32(SHUT_RDWR))
  }

  /// Sends a command to the session at a socket, and waits for the answer.
  package static func send(_ command: LiveCommand, to path: String = usualPath) throws(BackdropError) -> LiveStatus {
    guard let descriptor = try connection(path) else {
      throw BackdropError(.system, "no live session is running", path: path, hint: .startSession)
    }
    defer { Libc.close(descriptor) }
    let answer: Answer
    do {
      let bytes = try JSONWriter().encode(command) + [10]
      _ = write(bytes, to: descriptor)
      var rest: [UInt8] = []
      answer = try JSONReader.decode(Answer.self, from: nextLine(descriptor, &rest, limit: 1 << 20) ?? [])
    } catch {
      throw BackdropError(.system, "the session did not answer", path: path, hint: "check whether it has ended")
    }
    guard answer.ok, let status = answer.status else {
      throw BackdropError(.wrongArgument, answer.error ?? "the session refused", hint: answer.hint)
    }
    return status
  }

  private func accept(_ perform: @escaping @Sendable (LiveCommand) throws(BackdropError) -> LiveStatus) {
    while true {
      let client = Libc.accept(descriptor, nil, nil)
      if isClosed.withLock({ $0 }) {
        if client >= 0 { Libc.close(client) }
        Libc.close(descriptor)
        return
      }
      guard client >= 0 else {
        // There are too many open files, or the client left; the next one may work.
        usleep(20_000)
        continue
      }
      let leave: @Sendable () -> Void = { [self] in
        Libc.close(client)
        clients.subtract(1, ordering: .relaxed)
      }
      guard clients.add(1, ordering: .relaxed).newValue <= Self.maximumClients else {
        leave()
        continue
      }
      let answer: @Sendable () -> Void = { [self] in
        serve(client, perform)
        leave()
      }
      do throws(BackdropError) { try DetachedThread.start(answer) } catch { leave() }
    }
  }

  private func serve(_ client: Int32, _ perform: (LiveCommand) throws(BackdropError) -> LiveStatus) {
    var rest: [UInt8] = []
    while let line = Self.nextLine(client, &rest, limit: Self.longestLine), !isClosed.withLock({ $0 }) {
      let answer: Answer
      do throws(BackdropError) {
        answer = Answer(ok: true, status: try perform(try LiveCommand(json: line)))
      } catch {
        answer = Answer(ok: false, error: error.description, hint: error.hint)
      }
      do {
        let bytes = try JSONWriter().encode(answer) + [10]
        guard Self.write(bytes, to: client) else { return }
      } catch {
        preconditionFailure("an answer that cannot be encoded: \(error)")
      }
    }
  }

  /// Writes all bytes; returns whether it succeeded. A reader that left must not cause a signal, which would end the program.
  private static func write(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Libc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { return false }
      rest = rest.dropFirst(count)
    }
    return true
  }

  /// The next line without its end; `nil` at the end of the stream or for a line that is too long.
  private static func nextLine(_ descriptor: Int32, _ rest: inout [UInt8], limit: Int) -> [UInt8]? {
    while true {
      if let end = rest.firstIndex(of: 10) {
        defer { rest.removeSubrange(...end) }
        return Array(rest[..<end])
      }
      guard rest.count < limit else { return nil }
      var buffer = [UInt8](repeating: 0, count: 4096)
      let count = buffer.withUnsafeMutableBytes { Libc.read(descriptor, $0.baseAddress, $0.count) }
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { return nil }
      rest += buffer[..<count]
    }
  }

  /// Connects to a socket; `nil` if no session listens.
  private static func connection(_ path: String) throws(BackdropError) -> Int32? {
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { throw failure("cannot be made", path) }
    guard try withAddress(path, { connect(descriptor, $0, $1) == 0 }) else {
      Libc.close(descriptor)
      return nil
    }
    return descriptor
  }

  private static func withAddress(
    _ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Bool
  ) throws(BackdropError) -> Bool {
    guard let address = sockaddr_un(name: FilePath.bytes(path)) else {
      throw BackdropError(
        .wrongArgument, "the socket's name is longer than \(sockaddr_un.longestName) bytes", path: path,
        hint: "choose a shorter one")
    }
    return withUnsafePointer(to: address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(MemoryLayout<sockaddr_un>.size)) }
    }
  }

  /// Refuses a folder under `/tmp` that another user may have created.
  private static func checkPrivate(_ folder: String) throws(BackdropError) {
    guard let about = FileCalls.linkStatus(folder), about.st_uid == getuid(), about.st_mode & S_IFMT == S_IFDIR,
      about.st_mode & 0o022 == 0
    else {
      throw BackdropError(
        .system, "other users can write to the socket's folder", path: folder, hint: .chooseSocketFolder)
    }
  }

  private static func failure(_ what: String, _ path: String) -> BackdropError {
    BackdropError(.system, "the control socket \(what) (\(systemReason()))", path: path, hint: .chooseSocketPlace)
  }
}
