import BackdropImaging
import CSandbox
import Libc
import Synchronization

/// A sandboxed process that decodes, one call at a time.
final class DecoderProcess: Sendable {
  private let process: ChildProcess
  private let connection: Int32
  private let options: DecoderSandbox.Options
  private let state: Mutex<State>
  private let pool = MemoryPool()

  private struct State {
    var isReady = false
    var isOver = false
    var watch: bd_watch
    var input: SharedMemory?
    var slots: UInt32 = 0
    /// The bytes of all memory that the process ever got. It could keep what it should forget.
    var given = 0
  }

  /// Memory for answers.
  private final class MemoryPool: Sendable {
    /// Idle memory, the smallest first.
    private let state = Mutex<(idle: [SharedMemory], lent: Int)>(([], 0))

    /// The bytes of memory in which pictures of this program lie.
    var lent: Int { state.withLock { $0.lent } }

    func give(_ memory: SharedMemory) {
      state.withLock { state in
        state.idle.append(memory)
        state.idle.sort { $0.byteCount < $1.byteCount }
      }
    }

    func removeLargest() -> SharedMemory? { state.withLock { $0.idle.popLast() } }

    /// Takes the smallest memory if there are four or more.
    func removeExcess() -> SharedMemory? { state.withLock { $0.idle.count < 4 ? nil : $0.idle.removeFirst() } }

    func lend(_ byteCount: Int) { state.withLock { $0.lent += byteCount } }
  }

  /// Keeps the memory of an answer in use as long as pictures lie in it.
  private final class Loan: Sendable {
    let memory: SharedMemory
    private let pool: MemoryPool

    init(_ memory: SharedMemory, of pool: MemoryPool) {
      (self.memory, self.pool) = (memory, pool)
      pool.lend(memory.byteCount)
    }

    deinit {
      pool.lend(-memory.byteCount)
      pool.give(memory)
    }
  }

  /// Takes over a started process at the other end of a connection.
  init(_ options: DecoderSandbox.Options, _ library: DecoderLibrary, _ connection: Int32, _ process: ChildProcess) {
    (self.options, self.connection, self.process) = (options, connection, process)
    // A limit bounds private memory. The tables of its pages have none, so both are measured, with a little for stack and usual tables.
    let watch = bd_watch_begin(
      process.identifier, UInt32(DecoderSandbox.threads), UInt64(options.memory + options.memory / 32))
    state = Mutex(State(watch: watch))
    let start = bd_message(
      DecoderMessage.start, slot: UInt32(library.rawValue), options.memory, DecoderSandbox.processorSeconds,
      DecoderSandbox.threads)
    // Without the message, the process would wait forever. If it is killed, the first call throws the error.
    if !start.send(to: connection) { process.send(SIGKILL) }
  }

  /// Starts a process and returns the connection to it.
  ///
  /// - Throws: `system` if it cannot be started.
  static func start(
    _ options: DecoderSandbox.Options
  ) throws(BackdropError) -> (connection: Int32, process: ChildProcess) {
    let ends = try makeConnection()
    defer { close(ends.theirs) }
    do throws(BackdropError) {
      let process = try ChildProcess(
        options.command[0], Array(options.command.dropFirst()), environment: environment, input: .file(ends.theirs))
      return (ends.ours, process)
    } catch {
      close(ends.ours)
      throw error
    }
  }

  /// Makes both ends of a connection.
  ///
  /// - Throws: `system` if that fails.
  static func makeConnection() throws(BackdropError) -> (ours: Int32, theirs: Int32) {
    var ends: [Int32] = [-1, -1]
    guard bd_connection(&ends) else {
      throw BackdropError(.system, "Backdrop cannot start its decoder (\(systemReason()))")
    }
    return (ends[0], ends[1])
  }

  deinit {
    close(connection)
    state.withLock { bd_watch_end(&$0.watch) }
    process.send(SIGKILL)
    process.wait()
  }

  /// The environment of the process: only variables that tell where libraries are, since others may be secret. Swift
  /// must not start a program that prints a backtrace after a crash.
  private static var environment: [String] {
    ["SWIFT_BACKTRACE=enable=no"]
      + ["LD_LIBRARY_PATH", "LD_PRELOAD", "BACKDROP_CPU_LEVEL"].compactMap { name in
        ProcessEnvironment[name].map { "\(name)=\($0)" }
      }
  }

  /// Whether the process takes no more calls.
  var isOver: Bool { state.withLock { $0.isOver } }

  /// Ends the process, from any thread; a call that is in progress fails.
  func stop() { process.send(SIGKILL) }

  /// Waits until the sandbox is set up.
  ///
  /// - Throws: `unsupported` if that fails.
  func waitUntilReady() throws(BackdropError) { try locked { state throws(BackdropError) in try ready(&state) } }

  func give(_ descriptor: Int32) throws(BackdropError) {
    try locked { state throws(BackdropError) in
      try ready(&state)
      try send(bd_message(DecoderMessage.file), descriptor)
    }
  }

  /// Runs a function in the process.
  ///
  /// - Throws: `badData` if the process crashes or its answer is invalid, `overLimit` if it takes too long.
  func call(_ function: some IsolatedFunction, _ bytes: Span<UInt8>) throws(BackdropError) -> WireReader {
    var writer = WireWriter()
    writer.write(type(of: function).name, function)
    let arguments = writer.bytes
    return try locked { state throws(BackdropError) in
      try ready(&state)
      try fill(&state, arguments, bytes)
      var memory = pool.removeLargest()
      try send(
        bd_message(
          DecoderMessage.call, slot: memory?.slot ?? DecoderMessage.none, arguments.count, bytes.count,
          Int(options.seconds.rounded(.up))))
      var answer = try receive(&state)
      if answer.kind == DecoderMessage.needs {
        if let memory { pool.give(memory) }
        memory = try enlarge(&state, to: answer.values.0)
        answer = try receive(&state)
      }
      guard answer.kind == DecoderMessage.done, let memory else { throw WireReader.damaged }
      let result = try read(answer, Loan(memory, of: pool), limits: function.limits)
      // Pictures get a new process before this one has got all that it may.
      if state.given - pool.lent > options.memory / 2 { state.isOver = true }
      return result
    }
  }

  /// Runs `body` with exclusive use of the process, and kills the process after an error, because its state is then
  /// unknown.
  private func locked<Result>(_ body: (inout State) throws(BackdropError) -> Result) throws(BackdropError) -> Result {
    try state.withLock { state throws(BackdropError) in
      do throws(BackdropError) { return try body(&state) } catch {
        state.isOver = true
        process.send(SIGKILL)
        throw error
      }
    }
  }

  private func ready(_ state: inout State) throws(BackdropError) {
    guard !state.isReady else { return }
    let message = try receive(&state, starts: true)
    if message.kind == DecoderMessage.failed {
      let part = bd_sandbox_fault(rawValue: message.slot)
      let reason = systemReason(Int32(truncatingIfNeeded: message.values.0))
      throw DecoderSandbox.unavailable(part.words, reason)
    }
    guard message.kind == DecoderMessage.ready else { throw WireReader.damaged }
    state.isReady = true
  }

  /// Copies arguments and the file's bytes to the shared memory.
  private func fill(_ state: inout State, _ arguments: [UInt8], _ bytes: Span<UInt8>) throws(BackdropError) {
    let fileOffset = DecoderMessage.next(arguments.count)
    let needed = fileOffset + bytes.count
    if (state.input?.byteCount ?? 0) < needed {
      let memory = try SharedMemory(slot: 0, byteCount: max(needed + needed / 4, 1 << 20))
      state.given += memory.byteCount
      try send(bd_message(DecoderMessage.input, memory.byteCount), memory.descriptor)
      state.input = memory
    }
    guard let base = state.input?.base else { return }
    func copy(_ bytes: UnsafeRawBufferPointer, to offset: Int) {
      if let start = bytes.baseAddress { (base + offset).copyMemory(from: start, byteCount: bytes.count) }
    }
    arguments.withUnsafeBytes { copy($0, to: 0) }
    bytes.withUnsafeBytes { copy($0, to: fileOffset) }
  }

  /// Gives the process memory for an answer of `needed` bytes.
  private func enlarge(_ state: inout State, to needed: UInt64) throws(BackdropError) -> SharedMemory {
    let room = options.memory - (state.given - pool.lent)
    guard let room = UInt64(exactly: room), needed <= room else {
      throw BackdropError(
        .overLimit, "the decoder wants more memory for its answer than \(options.memory / 1_000_000) MB",
        hint: .replaceDamagedFile)
    }
    // If the pool has many memories, drop the smallest: reused memories should fit the largest picture.
    if let small = pool.removeExcess() { try send(bd_message(DecoderMessage.forget, slot: small.slot)) }
    let memory = try SharedMemory(slot: state.slots, byteCount: max(Int(needed), 1 << 20))
    state.given += memory.byteCount
    state.slots += 1
    try send(bd_message(DecoderMessage.output, slot: memory.slot, memory.byteCount), memory.descriptor)
    return memory
  }

  private func read(_ answer: bd_message, _ loan: Loan, limits: ImageLimits) throws(BackdropError) -> WireReader {
    let size = UInt64(loan.memory.byteCount)
    guard answer.values.0 <= size, answer.values.1 <= size else { throw WireReader.damaged }
    let (count, pixels) = (Int(answer.values.0), Int(answer.values.1))
    let offset = DecoderMessage.next(count)
    guard offset + pixels <= loan.memory.byteCount else { throw WireReader.damaged }
    let bytes = [UInt8](UnsafeRawBufferPointer(start: loan.memory.base, count: count))
    let block = PixelBlock(loan.memory.base + offset, byteCount: pixels, owner: loan)
    return WireReader(bytes, pixels: pixels > 0 ? block : nil, limits: limits)
  }

  // MARK: - Messages

  private func send(_ message: bd_message, _ descriptor: Int32 = -1) throws(BackdropError) {
    guard message.send(to: connection, descriptor) else { throw endFailure() }
  }

  private func receive(_ state: inout State, starts: Bool = false) throws(BackdropError) -> bd_message {
    var message = bd_message()
    // The process's own alarm stops it earlier.
    let timeout = starts ? 60_000 : Int32(clamping: Int((options.seconds + 2) * 1000))
    var descriptor: Int32 = -1
    // Only before it has read a file may it send a descriptor.
    let outcome =
      starts
      ? bd_receive(connection, &state.watch, &message, &descriptor, timeout)
      : bd_receive(connection, &state.watch, &message, nil, timeout)
    if outcome == 1 && message.kind == DecoderMessage.threads && state.watch.listener < 0 && descriptor >= 0 {
      state.watch.listener = descriptor
      return try receive(&state, starts: true)
    }
    switch outcome {
    case 1: return message
    case 0:
      guard starts else { throw endFailure() }
      process.send(SIGKILL)
      throw DecoderSandbox.unavailable("the decoder", "it ended with status \(process.wait())")
    default:
      switch errno {
      case ETIMEDOUT: throw tookTooLong
      case ENOMEM:
        throw BackdropError(
          .overLimit, "decoding took more than \(options.memory / 1_000_000) MB of memory, and Backdrop stopped it",
          hint: .replaceDamagedFile)
      default: throw WireReader.damaged
      }
    }
  }

  private var tookTooLong: BackdropError {
    BackdropError(
      .overLimit, "decoding took more than \(brief(options.seconds)) s, and Backdrop stopped it",
      hint: .replaceDamagedFile)
  }

  /// Kills the process, if it has only closed its connection, and returns the error for its end.
  private func endFailure() -> BackdropError {
    process.send(SIGKILL)
    let status = process.wait()
    switch status - 128 {
    case SIGALRM, SIGXCPU: return tookTooLong
    case SIGSYS:
      return BackdropError(
        .badData, "the decoder tried something that its sandbox forbids, and was stopped", hint: .replaceDamagedFile)
    default:
      let how = status > 128 ? "signal \(status - 128)" : "status \(status)"
      return BackdropError(.badData, "the decoder crashed on this file (\(how))", hint: .replaceDamagedFile)
    }
  }
}

extension DecoderProcess: IsolatedDecoder {
  func decoder(reading descriptor: Int32) throws(BackdropError) -> any IsolatedDecoder {
    throw BackdropError(.wrongArgument, "a process that decodes a file has no others")
  }
}

extension bd_sandbox_fault {
  /// The name of the part of the sandbox, for a sentence.
  fileprivate var words: String {
    switch self {
    case bd_sandbox_no_limits: "limits of resources"
    case bd_sandbox_no_privileges: "no new privileges"
    case bd_sandbox_no_landlock: "Landlock"
    default: "seccomp"
    }
  }
}
