import BackdropImaging
import Foundation
import Synchronization

/// Simulates usbmuxd and phones on which Record3D streams, while the object exists: a Unix socket, and threads that answer each connection.
/// `IPhoneClientTests` confirm its behaviour with the public client of Record3D.
public final class StandInPhone: Sendable {
  /// A phone.
  public struct Phone: Sendable {
    /// The entry in usbmuxd's list.
    public var number = 7, serial = "00008030-001A2B3C4D5E6F70", product = 0x12A8
    /// The kind of connection.
    public var connection = "USB"
    /// Whether the phone trusts this computer.
    public var isPaired = true
    /// Whether the app listens.
    public var isStreaming = true

    /// Creates a phone that streams.
    public init() {}
  }

  /// The way of sending frames.
  public enum Sending: Sendable {
    /// In order, at this many frames a second, starting again after the last.
    case rate(Double)
    /// As fast as the client reads them.
    case flood
    /// Each once; then the phone closes the connection.
    case once
    /// No frames.
    case silence
  }

  /// The state, which tests can change at any time.
  public struct State: Sendable {
    /// The connected phones.
    public var phones = [Phone()]
    /// Messages, with their PeerTalk heads.
    public var messages: [[UInt8]] = []
    /// The way of sending them.
    public var sending = Sending.rate(30)
    /// An answer to every request; `nil` for correct answers.
    public var answer: [UInt8]?
    /// The number of connections to the app.
    public var connections = 0
    /// The number of messages sent completely.
    public var sent = 0
  }

  /// The state, which tests can change at any time.
  public let state = Mutex(State())
  /// The value of `USBMUXD_SOCKET_ADDRESS` for finding it.
  public var address: String { "UNIX:" + path }
  private let path: String
  private let listener: Int32
  private let streams = Mutex<Set<Int32>>([])

  /// Creates a socket in its own folder, and listens.
  public init() {
    let folder = NSTemporaryDirectory() + "phone-" + UUID().uuidString
    precondition(mkdir(folder, 0o700) == 0, "no folder")
    path = folder + "/muxd"
    listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let bytes = Array(path.utf8)
    precondition(bytes.count < MemoryLayout.size(ofValue: address.sun_path), "the folder's name is too long: \(folder)")
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
    let descriptor = listener
    let isBound = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
      }
    }
    precondition(isBound && listen(descriptor, 64) == 0, "nobody can connect")
    Thread.detachNewThread { [weak self] in
      while true {
        let client = accept(descriptor, nil, nil)
        guard client >= 0, let phone = self else {
          if client >= 0 { close(client) }
          break
        }
        Thread.detachNewThread {
          phone.serve(client)
          close(client)
        }
      }
      close(descriptor)
    }
  }

  deinit {
    shutdown(listener, Int32(SHUT_RDWR))
    try? FileManager.default.removeItem(atPath: (path as NSString).deletingLastPathComponent)
  }

  /// Replaces the connected phones; an empty list also ends all streams.
  public func plug(_ phones: [Phone]) {
    state.withLock { $0.phones = phones }
    guard phones.isEmpty else { return }
    streams.withLock { for stream in $0 { shutdown(stream, Int32(SHUT_RDWR)) } }
  }

  // MARK: - usbmuxd

  private func serve(_ client: Int32) {
    while let head = Self.read(client, 16) {
      let count = Int(Self.word(head, 0))
      guard count > 16, count < 1 << 20, let body = Self.read(client, count - 16) else { return }
      let request =
        (try? PropertyListSerialization.propertyList(from: Data(body), format: nil)) as? [String: Any] ?? [:]
      if let answer = state.withLock({ $0.answer }) {
        _ = Self.write(answer, to: client)
        return
      }
      let (answer, opens) = answer(to: request)
      let file = (try? PropertyListSerialization.data(fromPropertyList: answer, format: .xml, options: 0)) ?? Data()
      guard Self.write(Self.packet(Array(file), tag: Self.word(head, 12)), to: client) else { return }
      if opens { return stream(to: client) }
    }
  }

  /// Wraps an answer in a packet of usbmuxd.
  public static func packet(_ body: [UInt8], tag: UInt32 = 1) -> [UInt8] {
    [UInt32(16 + body.count), 1, 8, tag].flatMap { MadeArchive.word(Int($0), 4) } + body
  }

  private func answer(to request: [String: Any]) -> (answer: [String: Any], opens: Bool) {
    let phones = state.withLock { $0.phones }
    func result(_ number: Int) -> [String: Any] { ["MessageType": "Result", "Number": number] }
    switch request["MessageType"] as? String {
    case "ListDevices":
      let list = phones.map { phone in
        [
          "MessageType": "Attached", "DeviceID": phone.number,
          "Properties": [
            "ConnectionType": phone.connection, "DeviceID": phone.number, "LocationID": 1, "ProductID": phone.product,
            "SerialNumber": phone.serial, "UDID": phone.serial,
          ],
        ] as [String: Any]
      }
      return (["DeviceList": list], false)
    case "ReadPairRecord":
      let isPaired = phones.contains { $0.serial == request["PairRecordID"] as? String && $0.isPaired }
      return (isPaired ? ["PairRecordData": Data("paired".utf8)] : result(2), false)
    case "Connect":
      guard let phone = phones.first(where: { $0.number == request["DeviceID"] as? Int }) else {
        return (result(2), false)
      }
      // 1337 in network byte order.
      let isOpen = phone.isStreaming && request["PortNumber"] as? Int == 0x3905
      return (result(isOpen ? 0 : 3), isOpen)
    default: return (result(1), false)
    }
  }

  // MARK: - The app

  private func stream(to client: Int32) {
    streams.withLock { _ = $0.insert(client) }
    defer { streams.withLock { _ = $0.remove(client) } }
    state.withLock { $0.connections += 1 }
    var index = 0
    var due = ContinuousClock.now
    while true {
      let (message, sending, isThere) = state.withLock { state in
        (
          state.messages.isEmpty ? nil : state.messages[index % state.messages.count], state.sending,
          !state.phones.isEmpty
        )
      }
      guard isThere else { return }
      switch sending {
      case .silence:
        usleep(10_000)
        // Reading detects a closed connection.
        var byte: UInt8 = 0
        if recv(client, &byte, 1, Int32(MSG_DONTWAIT)) == 0 { return }
        continue
      case .rate(let rate):
        due = due.advanced(by: .seconds(1 / rate))
        let wait = (due - ContinuousClock.now) / .microseconds(1)
        if wait > 0 { usleep(UInt32(wait)) }
      case .once where index >= state.withLock({ $0.messages.count }): return
      case .once, .flood: break
      }
      guard let message, Self.write(message, to: client) else { return }
      index += 1
      state.withLock { $0.sent += 1 }
    }
  }

  /// The header of a frame of the stream; sizes of parts are calculated from the parts.
  public struct Head: Sendable {
    /// Sizes in pixels.
    public var color = (width: 64, height: 48), depth = (width: 32, height: 24), confidence = (width: 32, height: 24)
    /// fx, fy, cx, cy of the colour picture.
    public var camera: (Float, Float, Float, Float) = (60, 60, 32, 24)
    /// 0 for TrueDepth, 1 for LiDAR.
    public var sensor = 0
    /// 11 words and pose, 7 words and pose, or 7 words: apps from 1.10, 1.7.2 and 1.6.
    public var words = 11, hasPose = true

    /// Creates the header of a small frame of the current app.
    public init() {}
  }

  /// The body of a frame.
  public static func body(
    _ head: Head = Head(), jpeg: [UInt8], depth: [UInt8], confidence: [UInt8] = [], more: [UInt8] = []
  ) -> [UInt8] {
    var words = [head.color.width, head.color.height, head.depth.width, head.depth.height]
    if head.words == 11 { words += [head.confidence.width, head.confidence.height] }
    words += [jpeg.count, depth.count]
    if head.words == 11 { words += [confidence.count, more.count] }
    words.append(head.sensor)
    let numbers =
      [head.camera.0, head.camera.1, head.camera.2, head.camera.3] + (head.hasPose ? [0, 0, 0, 1, 0, 0, 0] : [])
    return (words + numbers.map { Int($0.bitPattern) }).flatMap { MadeArchive.word($0, 4) } + jpeg + depth
      + (head.words == 11 ? confidence + more : [])
  }

  /// Wraps a body in a PeerTalk message; its header may declare another length.
  public static func message(_ body: [UInt8], length: UInt32? = nil) -> [UInt8] {
    [1, 101, 0, length ?? UInt32(body.count)].flatMap { MadeArchive.word(Int($0.byteSwapped), 4) } + body
  }

  // MARK: - Bytes

  private static func word(_ bytes: [UInt8], _ at: Int) -> UInt32 {
    (0..<4).reduce(0) { $0 | UInt32(bytes[at + $1]) << (8 * UInt32($1)) }
  }

  private static func read(_ descriptor: Int32, _ count: Int) -> [UInt8]? {
    var result: [UInt8] = []
    while result.count < count {
      var buffer = [UInt8](repeating: 0, count: count - result.count)
      let got = recv(descriptor, &buffer, buffer.count, 0)
      if got < 0 && errno == EINTR { continue }
      guard got > 0 else { return nil }
      result += buffer[..<got]
    }
    return result
  }

  private static func write(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
    var start = 0
    while start < bytes.count {
      let count = bytes.withUnsafeBytes {
        Foundation.send(descriptor, $0.baseAddress! + start, $0.count - start, Int32(MSG_NOSIGNAL))
      }
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { return false }
      start += count
    }
    return true
  }
}
