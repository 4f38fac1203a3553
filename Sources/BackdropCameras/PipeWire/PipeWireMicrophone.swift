import BackdropImaging
import CPipeWire
import Libc

/// The desktop's default microphone, through PipeWire. It records from ``open(heard:)`` until it is released, and follows changes of the
/// default.
package final class PipeWireMicrophone: @unchecked Sendable {  // Changes need the connection's lock.
  /// Receives samples of one channel, −1…1, with their rate per second and the age of the first in seconds.
  package typealias Listener = @Sendable (_ samples: [Float], _ rate: Double, _ age: Double) -> Void

  private let connection: PipeWireConnection
  private let stream: PipeWireStream

  private static let timeout = 5.0
  /// The preferred chunk of samples: 20 ms.
  private static let latency = "960/48000"
  /// The maximum number of samples in a chunk; longer ones are cut.
  private static let longest = 96_000

  deinit {
    connection.stop()
    stream.destroy()
    connection.disconnect()
  }

  package static var isThere: Bool {
    do throws(BackdropError) { return try PipeWireConnection.ask(hasSource) } catch { return false }
  }

  private static func hasSource(_ connection: PipeWireConnection) -> Bool {
    connection.globals.values.contains {
      guard $0.kind.hasSuffix(":Node"), let kind = $0.properties["media.class"] else { return false }
      return kind.hasPrefix("Audio/Source") || kind.hasPrefix("Audio/Duplex")
    }
  }

  /// Starts recording.
  ///
  /// - Parameter heard: called on one of PipeWire's threads, which it must not block.
  /// - Throws: `unsupported` if PipeWire is not installed, `system` if it is not running, there is no microphone, or the desktop refuses
  ///   it.
  package static func open(heard: @escaping Listener) throws(BackdropError) -> PipeWireMicrophone {
    try PipeWireConnection.open { connection throws(BackdropError) in try PipeWireMicrophone(connection, heard) }
  }

  private init(_ connection: PipeWireConnection, _ heard: @escaping Listener) throws(BackdropError) {
    try connection.synchronise()
    guard Self.hasSource(connection) else {
      throw BackdropError(
        .system, "no microphone is connected", hint: "plug one in, or turn it on in the sound settings")
    }
    let stream = try PipeWireStream(
      connection,
      properties: [
        "node.name": "backdrop-microphone", "media.name": "Backdrop", "media.type": "Audio",
        "media.category": "Capture", "media.role": "Production", "node.latency": Self.latency,
      ], direction: BD_PW_INPUT, flags: BD_PW_AUTOCONNECT | BD_PW_MAP_BUFFERS,
      formats: [PipeWireSound(rate: 48_000).request]
    ) { stream in Self.receive(stream, connection, heard) }
    let isThere = connection.wait(Self.timeout) {
      connection.failure != nil || stream.state == Int32(BD_PW_ERROR) || stream.hasOddFormat
        || (stream.sound != nil && stream.state >= Int32(BD_PW_STREAMING))
    }
    guard isThere, stream.sound != nil, stream.state >= Int32(BD_PW_STREAMING), connection.failure == nil else {
      let reason = connection.failure?.message ?? stream.complaint ?? "the two sides agree on no format"
      stream.destroy()
      throw BackdropError(.system, "the microphone did not start (\(reason))", hint: .examineMachine)
    }
    // Nothing fails from here on, as `deinit` may not run with the lock held.
    (self.connection, self.stream) = (connection, stream)
  }

  /// Passes on all new samples; on PipeWire's thread.
  private static func receive(_ stream: PipeWireStream, _ connection: PipeWireConnection, _ heard: Listener) {
    let functions = connection.functions
    var samples: [Float] = []
    // If several chunks come together, the clock refers to the newest.
    var earlier = 0
    while let buffer = functions.pw_stream_dequeue_buffer(stream.pointer) {
      earlier = samples.count
      append(buffer, to: &samples)
      _ = functions.pw_stream_queue_buffer(stream.pointer, buffer)
    }
    guard !samples.isEmpty, let rate = stream.sound.map({ Double($0.rate) }) else { return }
    var time = bd_pw_time()
    let now = MonotonicClock.seconds
    var age = Double(samples.count) / rate
    if functions.pw_stream_get_time(stream.pointer, &time) >= 0, time.now > 0, time.rate_denominator > 0 {
      // A sample reaches its cycle after `delay`.
      let delay = Double(time.delay) * Double(time.rate_numerator) / Double(time.rate_denominator)
      let told = now - Double(time.now) / 1e9 + delay + Double(earlier) / rate
      if (0...1).contains(told) { age = told }
    }
    heard(samples, rate, age)
  }

  private static func append(_ buffer: UnsafeMutablePointer<bd_pw_buffer>, to samples: inout [Float]) {
    guard let inner = buffer.pointee.buffer, inner.pointee.data_count > 0, let data = inner.pointee.datas?.pointee,
      let chunk = data.chunk?.pointee, let base = data.data, chunk.flags & Int32(BD_PW_CHUNK_CORRUPTED) == 0,
      Int(chunk.offset) <= Int(data.max_size), Int(chunk.size) <= Int(data.max_size) - Int(chunk.offset)
    else { return }
    let count = min(Int(chunk.size) / MemoryLayout<Float>.size, longest - samples.count)
    let bytes = UnsafeRawBufferPointer(start: base + Int(chunk.offset), count: max(0, count) * MemoryLayout<Float>.size)
    for offset in stride(from: 0, to: bytes.count, by: MemoryLayout<Float>.size) {
      let sample = bytes.loadUnaligned(fromByteOffset: offset, as: Float.self)
      samples.append(sample.isFinite ? min(max(sample, -1), 1) : 0)
    }
  }
}
