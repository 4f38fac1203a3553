import BackdropImaging
import CSandbox
import Libc
import Synchronization

/// A process behind walls that decodes, one call at a time.
final class DecoderProcess: Sendable {
  private let process: ChildProcess
  private let connection: Int32
  private let options: DecoderSandbox.Options
  private let state: Mutex<State>
  private let pool = MemoryPool()

  private struct State {
    var isReady = false
    var isOver = false
    var input: SharedMemory?
    var slots: UInt32 = 0
  }

  /// Memory for answers that nobody uses.
  private final class MemoryPool: Sendable {
    private let memories = Mutex<[SharedMemory]>([])

    func give(_ memory: SharedMemory) { memories.withLock { $0.append(memory) } }

    func takeLargest() -> SharedMemory? {
      memories.withLock { all in
        all.indices.max { all[$0].byteCount < all[$1].byteCount }.map { all.remove(at: $0) }
      }
    }

    /// The smallest one where there are many.
    func takeExcess() -> SharedMemory? {
      memories.withLock { all in
        guard all.count >= 4 else { return nil }
        return all.indices.min { all[$0].byteCount < all[$1].byteCount }.map { all.remove(at: $0) }
      }
    }
  }

  /// Memory of an answer for as long as pictures lie in it.
  private final class Loan: Sendable {
    let memory: SharedMemory
    private let pool: MemoryPool

    init(_ memory: SharedMemory, of pool: MemoryPool) { (self.memory, self.pool) = (memory, pool) }

    deinit { pool.give(memory) }
  }

  /// Starts it; it goes behind the walls by itself.
  ///
  /// - Throws: `system` if it cannot be started.
  convenience init(_ options: DecoderSandbox.Options, _ library: DecoderLibrary) throws(BackdropError) {
    let (connection, process) = try Self.start(options)
    self.init(options, library, connection, process)
  }

  /// Takes over one that was started, at the other end of a connection.
  init(_ options: DecoderSandbox.Options, _ library: DecoderLibrary, _ connection: Int32, _ process: ChildProcess) {
    (self.options, self.connection, self.process) = (options, connection, process)
    state = Mutex(State())
    var start = bd_message(
      DecoderMessage.start, slot: UInt32(library.rawValue), options.memory, DecoderSandbox.processorSeconds)
    // Without the message it would wait for one: its end is the error of the first call.
    if !bd_send(connection, &start, -1) { process.send(SIGKILL) }
  }

  /// A connection, and the process at its other end.
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

  /// Both ends of a connection.
  ///
  /// - Throws: `system` if there is none.
  static func makeConnection() throws(BackdropError) -> (ours: Int32, theirs: Int32) {
    var ends: [Int32] = [-1, -1]
    guard bd_connection(&ends) else {
      throw BackdropError(.system, "Backdrop cannot start its decoder (\(String(cString: strerror(errno))))")
    }
    return (ends[0], ends[1])
  }

  deinit {
    close(connection)
    process.send(SIGKILL)
    process.wait()
  }

  /// What says where libraries are, and nothing else: the rest may be secret. Nobody is to start a debugger for a crash.
  private static var environment: [String] {
    ["SWIFT_BACKTRACE=enable=no"]
      + ["LD_LIBRARY_PATH", "LD_PRELOAD", "BACKDROP_CPU_LEVEL"].compactMap { name in
        ProcessEnvironment[name].map { "\(name)=\($0)" }
      }
  }

  /// Whether it can take no more calls.
  var isOver: Bool { state.withLock { $0.isOver } }

  /// Waits until the walls are up.
  ///
  /// - Throws: `unsupported` where they cannot be put up.
  func waitUntilReady() throws(BackdropError) { try locked { state throws(BackdropError) in try ready(&state) } }

  /// Gives it an open file to read.
  func give(_ descriptor: Int32) throws(BackdropError) {
    try locked { state throws(BackdropError) in
      try ready(&state)
      var message = bd_message(DecoderMessage.file)
      try send(&message, descriptor)
    }
  }

  /// Has a function run.
  ///
  /// - Throws: `badData` where it made the process crash or answer nonsense, `overLimit` where it took too long.
  func call(_ function: some IsolatedFunction, name: String, _ bytes: Span<UInt8>) throws(BackdropError) -> WireReader {
    var writer = WireWriter()
    writer.write(name)
    writer.write(function)
    let arguments = writer.bytes
    return try locked { state throws(BackdropError) in
      try ready(&state)
      try fill(&state, arguments, bytes)
      var memory = pool.takeLargest()
      var message = bd_message(
        DecoderMessage.call, slot: memory?.slot ?? DecoderMessage.none, arguments.count, bytes.count,
        Int(options.seconds.rounded(.up)))
      try send(&message)
      var answer = try receive()
      if answer.kind == DecoderMessage.needs {
        if let memory { pool.give(memory) }
        memory = try enlarge(&state, to: answer.values.0)
        answer = try receive()
      }
      guard answer.kind == DecoderMessage.done, let memory else { throw WireReader.damaged }
      return try read(answer, Loan(memory, of: pool), limits: function.limits)
    }
  }

  /// Holds the process meanwhile, and ends it after an error: nobody knows what it does then.
  private func locked<Result>(
    _ body: (inout State) throws(BackdropError) -> Result
  ) throws(BackdropError) -> Result {
    let outcome: Swift.Result<Result, BackdropError> = state.withLock { state in
      do throws(BackdropError) { return .success(try body(&state)) } catch {
        state.isOver = true
        process.send(SIGKILL)
        return .failure(error)
      }
    }
    return try outcome.get()
  }

  private func ready(_ state: inout State) throws(BackdropError) {
    guard !state.isReady else { return }
    let message = try receive(starts: true)
    if message.kind == DecoderMessage.failed {
      let wall = bd_sandbox_fault(rawValue: message.slot)
      throw DecoderSandbox.noWalls(wall.words, String(cString: strerror(Int32(truncatingIfNeeded: message.values.0))))
    }
    guard message.kind == DecoderMessage.ready else { throw WireReader.damaged }
    state.isReady = true
  }

  /// Puts arguments and the file's bytes where the process reads them.
  private func fill(_ state: inout State, _ arguments: [UInt8], _ bytes: Span<UInt8>) throws(BackdropError) {
    let place = DecoderMessage.next(arguments.count)
    let needed = place + bytes.count
    if (state.input?.byteCount ?? 0) < needed {
      let memory = try SharedMemory(slot: 0, byteCount: max(needed + needed / 4, 1 << 20))
      var message = bd_message(DecoderMessage.input, memory.byteCount)
      try send(&message, memory.descriptor)
      state.input = memory
    }
    guard let base = state.input?.base else { return }
    func copy(_ bytes: UnsafeRawBufferPointer, to place: Int) {
      if let start = bytes.baseAddress { (base + place).copyMemory(from: start, byteCount: bytes.count) }
    }
    arguments.withUnsafeBytes { copy($0, to: 0) }
    bytes.withUnsafeBytes { copy($0, to: place) }
  }

  /// Gives the process memory for an answer of so many bytes.
  private func enlarge(_ state: inout State, to needed: UInt64) throws(BackdropError) -> SharedMemory {
    guard needed <= UInt64(options.memory) else {
      throw BackdropError(
        .overLimit, "the decoder wants more memory for its answer than \(options.memory / 1_000_000) MB",
        hint: .replaceDamagedFile)
    }
    // One that is used over and over grows with the largest picture.
    if let small = pool.takeExcess() {
      var message = bd_message(DecoderMessage.forget, slot: small.slot)
      try send(&message)
    }
    let memory = try SharedMemory(slot: state.slots, byteCount: max(Int(needed), 1 << 20))
    state.slots += 1
    var message = bd_message(DecoderMessage.output, slot: memory.slot, memory.byteCount)
    try send(&message, memory.descriptor)
    return memory
  }

  private func read(_ answer: bd_message, _ loan: Loan, limits: ImageLimits) throws(BackdropError) -> WireReader {
    let size = UInt64(loan.memory.byteCount)
    guard answer.values.0 <= size, answer.values.1 <= size else { throw WireReader.damaged }
    let (count, pixels) = (Int(answer.values.0), Int(answer.values.1))
    let place = DecoderMessage.next(count)
    guard place + pixels <= loan.memory.byteCount else { throw WireReader.damaged }
    let bytes = [UInt8](UnsafeRawBufferPointer(start: loan.memory.base, count: count))
    let block = PixelBlock(loan.memory.base + place, byteCount: pixels, owner: loan)
    return WireReader(bytes, pixels: pixels > 0 ? block : nil, limits: limits)
  }

  // MARK: - Messages

  private func send(_ message: inout bd_message, _ descriptor: Int32 = -1) throws(BackdropError) {
    guard bd_send(connection, &message, descriptor) else { throw ending() }
  }

  private func receive(starts: Bool = false) throws(BackdropError) -> bd_message {
    var message = bd_message()
    // Its own clock ends it first.
    let patience = starts ? 60_000 : Int32(clamping: Int((options.seconds + 2) * 1000))
    switch bd_receive(connection, &message, nil, patience) {
    case 1: return message
    case 0:
      if starts { throw startFailure() }
      throw ending()
    default: throw errno == ETIMEDOUT ? tookTooLong : WireReader.damaged
    }
  }

  private func startFailure() -> BackdropError {
    process.send(SIGKILL)
    let status = process.wait()
    return DecoderSandbox.noWalls("the decoder", "it ended with status \(status)")
  }

  private var tookTooLong: BackdropError {
    BackdropError(
      .overLimit, "decoding took more than \(brief(options.seconds)) s, and Backdrop stopped it",
      hint: .replaceDamagedFile)
  }

  /// Why it ended: whoever only closed its connection is ended now.
  private func ending() -> BackdropError {
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

extension bd_sandbox_fault {
  /// The wall, as in a sentence.
  fileprivate var words: String {
    switch self {
    case bd_sandbox_no_limits: "limits of resources"
    case bd_sandbox_no_privileges: "no new privileges"
    case bd_sandbox_no_landlock: "Landlock"
    default: "seccomp"
    }
  }
}
