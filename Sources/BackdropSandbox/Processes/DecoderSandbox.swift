import BackdropImaging
import Synchronization

/// Decodes untrusted files in separate processes that can do nothing else: they have no network, cannot open files or start
/// programs, and have limits of memory and time.
///
/// Bytes, and the resulting pixels and metadata, go through shared memory; this process checks all results. The sandbox uses
/// seccomp and resource limits (setrlimit(2)), and where the kernel allows, Landlock and namespaces. Without one of the first two,
/// nothing is decoded. While this process waits for an answer, it also bounds the decoder's threads and page tables.
///
///     let sandbox = try DecoderSandbox(.init(program: "/usr/bin/backdrop"))
///     let picture = try sandbox.run { try DepthPhoto.read("upload.jpg").image() }
///
/// One process decodes all files of a sandbox, so make a sandbox for each client. Processes start at the first file, or come from
/// ``DecoderReserve``; they end with the sandbox.
package final class DecoderSandbox: IsolatedDecoder {
  package struct Options: Sendable {
    /// The program and the arguments that start a process of ``DecodeWorker``.
    package var command: [String]
    /// The maximum memory of a process, and of an answer, in bytes.
    package var memory: Int
    /// The maximum time for a picture, in seconds.
    package var seconds = 120.0

    /// `program` is the path of the command `backdrop`.
    package init(program: String, limits: ImageLimits = .standard) {
      command = [program, DecodeWorker.argument]
      memory = limits.memory + 500_000_000
    }
  }

  /// The maximum processor time of a process; it may decode many files of a batch.
  static let processorSeconds = 4 * 3600
  /// The most threads of a process at a time. Each decoder starts one for each processor, and a file has a few decoders.
  static let threads = 32 + 2 * min(WorkerPool.processorCount, 64)

  private let options: Options
  private let reserve: DecoderReserve?
  private let state = Mutex(State())

  private struct State {
    var processes: [DecoderLibrary: DecoderProcess] = [:]
    /// The processes that read a file each.
    var readers: [WeakReader] = []
    var isStopped = false
  }

  private struct WeakReader: Sendable { weak let process: DecoderProcess? }

  /// Creates a sandbox and starts its first process.
  ///
  /// - Throws: `unsupported` if the sandbox cannot be set up, `system` if no process can be started.
  package convenience init(_ options: Options) throws(BackdropError) {
    self.init(options, reserve: nil)
    try process(.none).waitUntilReady()
  }

  init(_ options: Options, reserve: DecoderReserve?) { (self.options, self.reserve) = (options, reserve) }

  /// Makes this program decode all files in a sandbox from now on. It keeps the sandbox that it has.
  package static func useEverywhere(_ options: Options) throws(BackdropError) {
    try DecoderIsolation.use { () throws(BackdropError) in try DecoderSandbox(options) }
  }

  /// Runs `body`; all files that it decodes on this thread are decoded in this sandbox.
  package func run<Result>(_ body: () throws(BackdropError) -> Result) throws(BackdropError) -> Result {
    try DecoderIsolation.with(self, body)
  }

  package func call(_ function: some IsolatedFunction, _ bytes: Span<UInt8>) throws(BackdropError) -> WireReader {
    try process(type(of: function).library).call(function, bytes)
  }

  package func decoder(reading descriptor: Int32) throws(BackdropError) -> any IsolatedDecoder {
    let process = try add(.ffmpeg) { state, process in
      state.readers.removeAll { $0.process == nil }
      state.readers.append(WeakReader(process: process))
    }
    try process.give(descriptor)
    return process
  }

  /// The process with a library; a new one if the last has ended.
  func process(_ library: DecoderLibrary) throws(BackdropError) -> DecoderProcess {
    if let found = state.withLock({ $0.processes[library] }), !found.isOver { return found }
    return try add(library) { state, process in state.processes[library] = process }
  }

  /// Starts a process and keeps it.
  private func add(
    _ library: DecoderLibrary, _ keep: (inout State, DecoderProcess) -> Void
  ) throws(BackdropError) -> DecoderProcess {
    let made: DecoderProcess
    if let reserve {
      made = try reserve.makeProcess(library)
    } else {
      let (connection, process) = try DecoderProcess.start(options)
      made = DecoderProcess(options, library, connection, process)
    }
    let isStopped = state.withLock { state in
      keep(&state, made)
      return state.isStopped
    }
    guard !isStopped else { throw BackdropError(.interrupted, "interrupted") }
    return made
  }

  /// Ends all processes at once, from any thread. What they decode fails, and nothing is decoded after that.
  package func stop() {
    let processes = state.withLock { state in
      state.isStopped = true
      return Array(state.processes.values) + state.readers.compactMap(\.process)
    }
    for process in processes { process.stop() }
  }

  static func unavailable(_ part: String, _ reason: String) -> BackdropError {
    BackdropError(
      .unsupported, "Backdrop cannot put its decoders into a sandbox here: \(part) failed (\(reason))",
      hint: .leaveSandboxOut)
  }
}

extension DecoderSandbox? {
  /// Runs a function whose decoding happens in the sandbox, or in this process without one.
  package func decoding<Result>(_ body: () throws(BackdropError) -> Result) throws(BackdropError) -> Result {
    guard let self else { return try body() }
    return try self.run(body)
  }
}
