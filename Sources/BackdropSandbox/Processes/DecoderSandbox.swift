import BackdropImaging
import Synchronization

/// Decodes files from strangers in processes of their own, which can do nothing else: they have no network, open no file, start no
/// program, and take so much memory and time at most.
///
/// Bytes go there, and pixels and metadata come back, through shared memory; all of it is checked here. Walls are seccomp, limits of
/// resources (setrlimit(2)), and Landlock where the kernel has it. Where the first two cannot be put up nothing is decoded.
///
///     let sandbox = try DecoderSandbox(.init(program: "/usr/bin/backdrop"))
///     let picture = try sandbox.run { try DepthPhoto.read("upload.jpg").image() }
///
/// A process decodes all files of a sandbox: make one for each stranger. Processes start at the first file, or are taken from
/// ``DecoderReserve``; they end with the sandbox.
public final class DecoderSandbox: IsolatedDecoder {
  /// How processes are started, and what they may take.
  public struct Options: Sendable {
    /// The program and its arguments, by which a process of ``DecodeWorker`` starts.
    public var command: [String]
    /// Most bytes of memory of a process, and of an answer.
    public var memory: Int
    /// Longest time of a picture, in seconds.
    public var seconds = 120.0

    /// - Parameters:
    ///   - program: the path of the command `backdrop`.
    ///   - limits: the largest pictures.
    public init(program: String, limits: ImageLimits = .standard) {
      command = [program, DecodeWorker.argument]
      memory = limits.memory + 500_000_000
    }
  }

  /// A process decodes many files of a batch, but not for ever.
  static let processorSeconds = 4 * 3600

  private let options: Options
  private let reserve: DecoderReserve?
  private let processes = Mutex<[DecoderLibrary: DecoderProcess]>([:])

  /// Starts a process.
  ///
  /// - Throws: `unsupported` where the walls cannot be put up, `system` where no process can be started.
  public convenience init(_ options: Options) throws(BackdropError) {
    self.init(options, reserve: nil)
    try process(.none).waitUntilReady()
  }

  init(_ options: Options, reserve: DecoderReserve?) { (self.options, self.reserve) = (options, reserve) }

  /// Has all files that this program decodes from now on be decoded in this sandbox.
  public func useEverywhere() { DecoderIsolation.use(self) }

  /// Has what `body` decodes on this thread be decoded in this sandbox.
  ///
  /// - Throws: what `body` throws.
  public func run<Result>(_ body: () throws(BackdropError) -> Result) throws(BackdropError) -> Result {
    try DecoderIsolation.with(self, body)
  }

  package func call(_ function: some IsolatedFunction, _ bytes: Span<UInt8>) throws(BackdropError) -> WireReader {
    try process(type(of: function).library).call(function, name: type(of: function).name, bytes)
  }

  package func decoder(reading descriptor: Int32) throws(BackdropError) -> any IsolatedDecoder {
    let process =
      if let reserve { try reserve.take(.ffmpeg) } else { try DecoderProcess(options, .ffmpeg) }
    try process.give(descriptor)
    return FileDecoder(process: process)
  }

  /// The process with these libraries; another one where the last has ended.
  private func process(_ library: DecoderLibrary) throws(BackdropError) -> DecoderProcess {
    let outcome: Result<DecoderProcess, BackdropError> = processes.withLock { processes in
      if let found = processes[library], !found.isOver { return .success(found) }
      do throws(BackdropError) {
        let made =
          if let reserve { try reserve.take(library) } else { try DecoderProcess(options, library) }
        processes[library] = made
        return .success(made)
      } catch { return .failure(error) }
    }
    return try outcome.get()
  }

  static func noWalls(_ wall: String, _ reason: String) -> BackdropError {
    BackdropError(
      .unsupported, "Backdrop cannot put its decoders into a sandbox here: \(wall) failed (\(reason))",
      hint: .leaveSandboxOut)
  }
}

extension DecoderSandbox? {
  /// Runs a function whose decoding happens in the sandbox, or in this process without one.
  ///
  /// - Throws: the errors of the function.
  package func decoding<Result>(_ body: () throws(BackdropError) -> Result) throws(BackdropError) -> Result {
    guard let self else { return try body() }
    return try self.run(body)
  }
}

/// A process that decodes one file.
private final class FileDecoder: IsolatedDecoder {
  private let process: DecoderProcess

  init(process: DecoderProcess) { self.process = process }

  func call(_ function: some IsolatedFunction, _ bytes: Span<UInt8>) throws(BackdropError) -> WireReader {
    try process.call(function, name: type(of: function).name, bytes)
  }

  func decoder(reading descriptor: Int32) throws(BackdropError) -> any IsolatedDecoder {
    throw BackdropError(.wrongArgument, "a process that decodes a file has no others")
  }
}
