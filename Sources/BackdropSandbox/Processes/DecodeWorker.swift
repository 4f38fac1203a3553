import BackdropCodecs
import BackdropFFmpeg
import BackdropImaging
import BackdropPhotos
import BackdropVideo
import CSandbox
import Libc

/// The other side of ``DecoderSandbox``: a process that enters the sandbox and answers calls to decoders until its connection closes.
///
/// A program that starts itself for this first checks ``isRequested(_:)``, and calls ``run()`` if it is true, before it does anything
/// else.
package enum DecodeWorker {
  /// The argument that starts such a process.
  package static let argument = "decode-worker"

  /// The functions that such a process can run.
  private static let functions: [any IsolatedFunction.Type] = [
    PictureHeading.self, PictureDecoding.self, Inflating.self, ChunkUnpacking.self, HEICDecoding.self, TIFFHeading.self,
    TIFFDecoding.self, XMLReading.self, ICCReading.self, TableConversion.self, VideoOpening.self, FrameReading.self,
    RecordingOpening.self, RecordingReading.self,
  ]
  /// The descriptor of its connection: standard input.
  private static let connection: Int32 = 0

  /// Whether the program was started as such a process: with the single argument ``argument``, and a socket as standard input.
  package static func isRequested(_ arguments: [String]) -> Bool {
    var info = stat()
    return arguments == [argument] && fstat(connection, &info) == 0 && info.st_mode & S_IFMT == S_IFSOCK
  }

  /// Answers calls that come through standard input until it is closed.
  package static func run() -> Never {
    guard let first = receive() else { exit(2) }
    prepare(DecoderLibrary(rawValue: Int(first.message.slot)) ?? .none)
    bd_sandbox_separate()
    switch first.message.kind {
    case DecoderMessage.start: decode(behind: first.message)
    case DecoderMessage.prepare: makeCopies()
    default: exit(2)
    }
  }

  /// Enters the sandbox and answers calls.
  private static func decode(behind start: bd_message) -> Never {
    var landlock: Int32 = 0
    let limits = bd_sandbox_limits(memory: start.values.0, seconds: start.values.1, threads: start.values.2)
    let fault = bd_sandbox_enter(limits, connection, &landlock)
    guard fault == bd_sandbox_whole else {
      send(bd_message(DecoderMessage.failed, slot: fault.rawValue, Int(errno)))
      exit(2)
    }
    send(bd_message(DecoderMessage.ready, Int(landlock)))
    var worker = Worker()
    while let (message, descriptor) = receive() { worker.handle(message, descriptor) }
    exit(0)
  }

  /// Forks this process for each connection that it receives, so that the copies need not open libraries. This process decodes nothing,
  /// so it has only one thread, and no file can have taken it over.
  private static func makeCopies() -> Never {
    while let (message, descriptor) = receive() {
      guard message.kind == DecoderMessage.fork, descriptor >= 0 else { exit(2) }
      let copy = bd_fork_sibling()
      guard copy == 0 else {
        close(descriptor)
        send(bd_message(DecoderMessage.forked, Int(copy)))
        continue
      }
      dup2(descriptor, connection)
      guard let start = receive(), start.message.kind == DecoderMessage.start else { exit(2) }
      decode(behind: start.message)
    }
    exit(0)
  }

  /// Opens libraries that decoders would otherwise open at their first use.
  private static func prepare(_ library: DecoderLibrary) {
    switch library {
    case .none: break
    case .packing: ChunkUnpacking.openLibraries()
    case .tiff: TIFFPicture.openLibrary()
    case .ffmpeg: FFmpegLibraries.open()
    }
  }

  private static func receive() -> (message: bd_message, descriptor: Int32)? {
    var message = bd_message()
    var descriptor: Int32 = -1
    guard bd_receive(connection, nil, &message, &descriptor, -1) == 1 else { return nil }
    return (message, descriptor)
  }

  private static func send(_ message: bd_message) { if !message.send(to: connection) { exit(2) } }

  /// A mapping of shared memory that the other process made.
  private struct Mapped {
    let base: UnsafeMutableRawPointer
    let byteCount: Int

    init?(_ descriptor: Int32, _ byteCount: UInt64) {
      defer { close(descriptor) }
      guard let base = mmap(nil, Int(byteCount), PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0), base != MAP_FAILED
      else { return nil }
      (self.base, self.byteCount) = (base, Int(byteCount))
    }

    func unmap() { munmap(base, byteCount) }
  }

  private struct Worker {
    private var input: Mapped?
    private var outputs: [UInt32: Mapped] = [:]
    private var file: DecodedFile?

    mutating func handle(_ message: bd_message, _ descriptor: Int32) {
      switch message.kind {
      case DecoderMessage.input:
        input?.unmap()
        input = Mapped(descriptor, message.values.0)
      case DecoderMessage.output: outputs[message.slot] = Mapped(descriptor, message.values.0)
      case DecoderMessage.file: file = DecodedFile(descriptor: descriptor)
      case DecoderMessage.forget: outputs.removeValue(forKey: message.slot)?.unmap()
      case DecoderMessage.call: answer(message)
      default: exit(2)
      }
    }

    private mutating func answer(_ call: bd_message) {
      guard let input else { exit(2) }
      // The alarm stops a decoder that hangs even if the other process has ended.
      alarm(UInt32(call.values.2))
      let count = Int(call.values.0)
      let start = UnsafeRawPointer(input.base + DecoderMessage.next(count)).assumingMemoryBound(to: UInt8.self)
      let bytes = Span(_unsafeStart: start, count: Int(call.values.1))
      let result = DecodeWorker.answer(
        [UInt8](UnsafeRawBufferPointer(start: input.base, count: count)), bytes, of: file)
      let pixels = result.images.isEmpty ? 0 : PixelBlock.byteCount(of: result.images)
      let offset = DecoderMessage.next(result.bytes.count)
      let output = room(for: offset + pixels, call.slot)
      result.bytes.withUnsafeBytes { bytes in
        if let start = bytes.baseAddress { output.copyMemory(from: start, byteCount: bytes.count) }
      }
      PixelBlock.write(result.images, to: output + offset)
      alarm(0)
      DecodeWorker.send(bd_message(DecoderMessage.done, result.bytes.count, pixels))
    }

    /// The memory for an answer; it requests more if the memory of the call is too small.
    private mutating func room(for needed: Int, _ slot: UInt32) -> UnsafeMutableRawPointer {
      if let output = outputs[slot], output.byteCount >= needed { return output.base }
      DecodeWorker.send(bd_message(DecoderMessage.needs, needed))
      while let (message, descriptor) = DecodeWorker.receive() {
        handle(message, descriptor)
        guard message.kind == DecoderMessage.output else { continue }
        if let output = outputs[message.slot], output.byteCount >= needed { return output.base }
        exit(2)
      }
      exit(0)
    }
  }

  private static func answer(_ arguments: [UInt8], _ bytes: Span<UInt8>, of file: DecodedFile?) -> WireWriter {
    var reader = WireReader(arguments)
    do throws(BackdropError) {
      let name = try reader.read(String.self)
      guard let function = functions.first(where: { $0.name == name }) else { throw WireReader.damaged }
      return try function.answer(reading: &reader, bytes, of: file)
    } catch {
      var writer = WireWriter()
      writer.write(false)
      writer.write(error)
      return writer
    }
  }
}

extension IsolatedFunction {
  fileprivate static func answer(
    reading wire: inout WireReader, _ bytes: Span<UInt8>, of file: DecodedFile?
  ) throws(BackdropError) -> WireWriter {
    try wire.read(Self.self).answer(bytes, of: file)
  }
}
