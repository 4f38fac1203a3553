import BackdropDepth
import BackdropImaging
import Libc

/// The speed of networks on this machine: measured once, saved in the user's cache (`$XDG_CACHE_HOME/backdrop/speeds.json`).
///
/// Values are valid for one runtime, processor and number of threads. If the cache cannot be read or written, they are measured again.
package struct NetworkSpeeds {
  private let path: String
  private var milliseconds: [String: Double]

  /// Reads this user's cache.
  package init() {
    self.init(path: ProcessEnvironment.baseFolder("XDG_CACHE_HOME", usual: ".cache") + "/backdrop/speeds.json")
  }

  init(path: String) {
    self.path = path
    do {
      let bytes = try InputFile.read(path, limit: 1 << 20)
      milliseconds = try JSONReader.decode([String: Double].self, from: bytes)
        .filter { $0.value > 0 && $0.value.isFinite }
    } catch {
      milliseconds = [:]
    }
  }

  /// The milliseconds of a run; `nil` if not measured yet.
  ///
  /// - Parameter device: the device of a wall-clock time; `nil` for the processor time of each thread.
  package subscript(
    _ network: NetworkDescription, _ size: NetworkDescription.Size, threads threads: Int,
    on device: NetworkDevice? = nil
  ) -> Double? {
    milliseconds[Self.key(network, size, threads, device)]
  }

  /// Saves a measurement, unless an earlier one was faster: the wall-clock time on a device, or the processor time of each thread if `nil`.
  mutating func keep(
    _ time: Double, of network: NetworkDescription, _ size: NetworkDescription.Size, threads: Int,
    on device: NetworkDevice? = nil
  ) {
    guard time > 0 && time.isFinite else { return }
    let key = Self.key(network, size, threads, device)
    // Other programs can only lengthen it.
    milliseconds[key] = min(time, milliseconds[key] ?? .infinity)
    do {
      let bytes = try JSONWriter(isPretty: true).encode(milliseconds)
      _ = FileCalls.makeFolder(FileName(path).folder)
      try OutputFile(path, overwrite: true).write(bytes.span)
    } catch {
      // A later run measures it again.
    }
  }

  /// The largest size of the picture's shape at which a run is fast enough (`limit` is in milliseconds), or the smallest if none is, and
  /// the time of a run. Unknown speeds are measured with the picture. This clears the network's memory, and limits it to that size.
  ///
  /// - Throws: errors of the network.
  package mutating func choose(
    for network: PersonNetwork, _ picture: Image, within limit: Double
  ) throws(BackdropError) -> (size: NetworkDescription.Size, milliseconds: Double) {
    network.maximumPixels = nil
    while true {
      let size = network.description.size(for: (picture.width, picture.height), maximumPixels: network.maximumPixels)
      let time: Double
      if network.isOnProcessor, let known = self[network.description, size, threads: network.threads] {
        time = known
      } else {
        time = try measure(network, picture)
      }
      let next = network.description.size(for: (picture.width, picture.height), maximumPixels: size.pixels - 1)
      guard time > limit && next.pixels < size.pixels else {
        network.reset()
        return (size, time)
      }
      network.maximumPixels = next.pixels
    }
  }

  /// Measures a network at the size that it uses for a picture, and keeps the result.
  ///
  /// - Returns: the milliseconds of the fastest of a few runs. On the processor this is the processor time of each thread, which other
  ///   programs hardly lengthen. On other devices it is wall-clock time, which is not saved.
  /// - Throws: errors of the network.
  package mutating func measure(_ network: PersonNetwork, _ picture: Image) throws(BackdropError) -> Double {
    var matte = Matte(constant: 0, width: 1, height: 1)
    var best = Double.infinity
    try network.load(picture)
    // The first run compiles.
    try network.run(into: &matte)
    let clock = network.isOnProcessor ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC
    let workers = network.isOnProcessor ? max(1, network.threads) : 1
    // The fastest counts, because other programs can only slow one down.
    for _ in 0..<6 {
      let start = StageClock.seconds(of: clock)
      try network.run(into: &matte)
      best = min(best, (StageClock.seconds(of: clock) - start) * 1000 / Double(workers))
    }
    if network.isOnProcessor { keep(best, of: network.description, network.size, threads: network.threads) }
    return best
  }

  private static func key(
    _ network: NetworkDescription, _ size: NetworkDescription.Size, _ threads: Int, _ device: NetworkDevice?
  ) -> String {
    "\(network.file) \(size.width)×\(size.height) \(network.precision.rawValue) \(threads) threads, OpenVINO "
      + "\(NetworkRuntime.version), \(processor)" + (device.map { ", elapsed on \($0)" } ?? "")
  }

  /// The kernel's name for the processor.
  static let processor: String = {
    guard let bytes = try? InputFile.read("/proc/cpuinfo", limit: 1 << 22) else { return "unknown" }
    let line = String(decoding: bytes, as: UTF8.self).split(separator: "\n").first { $0.hasPrefix("model name") }
    return line?.split(separator: ":").last?.trimmed ?? "unknown"
  }()
}
