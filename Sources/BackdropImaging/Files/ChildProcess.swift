import CBackdropKernels
import Libc

import Synchronization

/// A child program.
///
/// It gets this program's environment unless another is given, none of its open files, and default signal handling. Ctrl-C in a terminal
/// does not reach it.
package final class ChildProcess: Sendable {
  package enum Stream: Sendable {
    case null
    /// This program holds the other end.
    case pipe
    /// An open file of this program, which stays open here.
    case file(Int32)
  }

  /// Its process identifier, and that of its process group.
  package let identifier: pid_t
  /// Its exit status; `nil` until it is collected.
  private let exitStatus = Mutex<Int32?>(nil)
  /// The descriptor for writing its input, closed by the caller; -1 without a pipe.
  package let input: Int32
  /// The descriptors for reading its output and errors; closed with this object, and -1 without a pipe.
  package let output: Int32, errors: Int32

  /// Starts a program with the arguments after its name; `environment` has `NAME=VALUE` each, and is `nil` for this program's.
  ///
  /// - Throws: `system` if it cannot be started.
  package init(
    _ path: String, _ arguments: [String], environment: [String]? = nil, input: Stream = .null,
    output: Stream = .null, errors: Stream = .null
  ) throws(BackdropError) {
    var ours: [Int32] = [-1, -1, -1]
    var theirs: [Int32] = [-1, -1, -1]
    var failure: Int32 = 0
    for (number, stream) in [input, output, errors].enumerated() {
      switch stream {
      case .null: theirs[number] = FileCalls.openFile("/dev/null", number == 0 ? O_RDONLY : O_WRONLY)
      case .file(let descriptor): theirs[number] = fcntl(descriptor, F_DUPFD_CLOEXEC, 3)
      case .pipe:
        let ends = Self.makePipe()
        (ours[number], theirs[number]) =
          number == 0 ? (ends.writing, ends.reading) : (ends.reading, ends.writing)
      }
      if theirs[number] < 0 { failure = errno }
    }
    var started: pid_t = 0
    if failure == 0 { failure = Self.spawn(path, [path] + arguments, environment, theirs, &started) }
    for descriptor in theirs where descriptor >= 0 { close(descriptor) }
    guard failure == 0 else {
      for descriptor in ours where descriptor >= 0 { close(descriptor) }
      throw BackdropError(.system, "Backdrop could not start the program (\(systemReason(failure)))", path: path)
    }
    identifier = started
    (self.input, self.output, self.errors) = (ours[0], ours[1], ours[2])
  }

  package init(adopting identifier: pid_t) {
    self.identifier = identifier
    (input, output, errors) = (-1, -1, -1)
  }

  deinit {
    for descriptor in [output, errors] where descriptor >= 0 { close(descriptor) }
  }

  /// Held while a pipe is created or a program starts: a program that starts before the pipe's ends are marked close-on-exec would hold
  /// them open.
  private static let starting = Mutex(())

  /// A pipe's read and write ends, which no program started here inherits; -1 on failure.
  package static func makePipe() -> (reading: Int32, writing: Int32) {
    starting.withLock { _ in
      var ends: [Int32] = [-1, -1]
      if pipe(&ends) == 0 { for descriptor in ends { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) } }
      return (ends[0], ends[1])
    }
  }

  /// Starts it with the three descriptors as its streams; returns the error number, or 0.
  private static func spawn(
    _ path: String, _ words: [String], _ environment: [String]?, _ descriptors: [Int32], _ started: inout pid_t
  ) -> Int32 {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    // Duplicate to high numbers first, since a descriptor of 0 to 2 would be overwritten.
    var raised: [Int32] = []
    defer { for descriptor in raised { close(descriptor) } }
    for (number, descriptor) in descriptors.enumerated() {
      let high = fcntl(descriptor, F_DUPFD_CLOEXEC, 10)
      guard high >= 0 else { return errno }
      raised.append(high)
      posix_spawn_file_actions_adddup2(&actions, high, Int32(number))
    }
    // Libraries open some descriptors without close-on-exec, and other threads may open more meanwhile.
    #if canImport(Glibc)
      let refusal = bd_spawn_close_from(&actions, 3)
      guard refusal == 0 else { return refusal }
    #endif
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var none = sigset_t()
    sigemptyset(&none)
    posix_spawnattr_setsigmask(&attributes, &none)
    var usual = sigset_t()
    sigemptyset(&usual)
    // This program ignores them, and the child would inherit that.
    sigaddset(&usual, SIGPIPE)
    sigaddset(&usual, SIGXFSZ)
    posix_spawnattr_setsigdefault(&attributes, &usual)
    posix_spawnattr_setpgroup(&attributes, 0)
    var flags = Int32(POSIX_SPAWN_SETPGROUP) | Int32(POSIX_SPAWN_SETSIGMASK) | Int32(POSIX_SPAWN_SETSIGDEF)
    #if canImport(Darwin)
      flags |= Int32(POSIX_SPAWN_CLOEXEC_DEFAULT)
    #endif
    posix_spawnattr_setflags(&attributes, Int16(flags))
    func list(_ words: [String]) -> [UnsafeMutablePointer<CChar>?] {
      words.map { word in FilePath.withBytes(word) { strdup($0) } } + [nil]
    }
    var (arguments, variables) = (list(words), list(environment ?? []))
    defer { for word in arguments + variables { free(word) } }
    return starting.withLock { _ in
      FilePath.withBytes(path) { path in
        environment == nil
          ? posix_spawn(&started, path, &actions, &attributes, &arguments, environ)
          : posix_spawn(&started, path, &actions, &attributes, &arguments, &variables)
      }
    }
  }

  /// Its exit status, or 128 plus the number of the signal that ended it; `nil` while it runs.
  package var status: Int32? { reap(WNOHANG) }

  /// Waits for its end; returns its exit status as in ``status``. Read its output first: a full pipe blocks it.
  @discardableResult package func wait() -> Int32 { reap(0) ?? 0 }

  /// Detaches it: a thread waits for its end and collects its status.
  package func runOn() {
    // Without a thread the system keeps its status until this program ends.
    do throws(BackdropError) { try DetachedThread.start { self.wait() } } catch {}
  }

  private func reap(_ options: Int32) -> Int32? {
    exitStatus.withLock { exitStatus in
      if let exitStatus { return exitStatus }
      var raw: Int32 = 0
      var found: pid_t
      repeat { found = waitpid(identifier, &raw, options) } while found < 0 && errno == EINTR
      guard found != 0 else { return nil }
      // The low seven bits are the signal's number, the next byte is the exit status (wait(2)).
      let status = found < 0 ? 127 : raw & 0x7F == 0 ? (raw >> 8) & 0xFF : 128 + (raw & 0x7F)
      exitStatus = status
      return status
    }
  }

  package func terminate() { send(SIGTERM) }

  /// Sends it a signal, unless it has ended.
  package func send(_ signal: Int32) {
    // After its status is collected, its number may belong to another process.
    exitStatus.withLock { if $0 == nil { kill(identifier, signal) } }
  }

  package func readOutput() -> [UInt8] { Self.readAll(output) }

  package func readErrors() -> [UInt8] { Self.readAll(errors) }

  private static func readAll(_ descriptor: Int32) -> [UInt8] {
    var result: [UInt8] = []
    var part = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = read(descriptor, &part, part.count)
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { return result }
      result += part[..<count]
    }
  }

  /// The path of a program in the absolute folders of `PATH`; `nil` if none of them has it.
  package static func find(_ name: String) -> String? {
    let folders = (ProcessEnvironment["PATH"] ?? "/usr/local/bin:/usr/bin:/bin").split(separator: ":")
    return folders.lazy.filter { $0.hasPrefix("/") }.map { "\($0)/\(name)" }.first { FileCalls.mayRun($0) }
  }
}
