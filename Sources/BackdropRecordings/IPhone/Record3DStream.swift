import BackdropImaging
import Dispatch
import Synchronization

/// Record3D's live stream from a phone, through usbmuxd.
///
/// A separate thread reads continuously, so that no frame waits in the phone and a slow reader gets recent frames. Newer frames replace
/// unread ones. Frames are PeerTalk messages (github.com/rsms/peertalk): four big-endian words, the last of which is the body's length.
final class Record3DStream: Sendable {
  /// A frame's body.
  struct Message: Sendable {
    var body: [UInt8]
    var arrival: SuspendingClock.Instant
  }

  /// Frames that arrived and are not read yet.
  struct Mailbox {
    private var messages: [Message] = []
    private(set) var byteCount = 0
    private(set) var overtaken = 0
    var failure: BackdropError?
    var readerWaits = false

    /// Adds a frame, and drops the oldest ones beyond the limit.
    mutating func receive(_ message: Message, isNewestOnly: Bool) {
      messages.append(message)
      byteCount += message.body.count
      while messages.count > 1 && (isNewestOnly || byteCount > Record3DStream.waitingLimit) {
        byteCount -= messages.removeFirst().body.count
        overtaken += 1
      }
    }

    mutating func next() -> Message? {
      guard !messages.isEmpty else { return nil }
      let message = messages.removeFirst()
      byteCount -= message.body.count
      return message
    }
  }

  static let port: UInt16 = 1337
  /// The longest time that a phone may stay silent.
  static let timeout = Duration.seconds(3)
  /// The maximum size of a message in bytes: a picture of 1440×1920 and 640×480 of depth take less than 4 MB.
  static let byteLimit = 32 << 20
  /// The maximum size of all waiting messages in bytes.
  private static let waitingLimit = 128 << 20

  private let socket: UsbmuxSocket
  /// The wanted frames per second: only the newest unread one is kept. `nil` keeps all, up to a limit in bytes.
  private let rate: Double?
  private let mailbox = Mutex(Mailbox())
  private let arrival = DispatchSemaphore(value: 0)

  /// A stream that reads the connection between ``start()`` and ``stop()``.
  init(_ socket: UsbmuxSocket, rate: Double?) { (self.socket, self.rate) = (socket, rate) }

  func start() throws(BackdropError) { try DetachedThread.start { [self] in run() } }

  func stop() { socket.shutdown() }

  /// The number of frames dropped unread.
  var overtaken: Int { mailbox.withLock { $0.overtaken } }

  private func run() {
    var nextWanted = SuspendingClock.now
    do throws(BackdropError) {
      while true {
        let message = try receive()
        if let rate {
          guard message.arrival >= nextWanted else { continue }
          // Frames arrive a little early or late; half of the interval leaves room for that.
          nextWanted = message.arrival + .seconds(0.5 / max(1, min(rate, 1000)))
        }
        deliver { [rate] in $0.receive(message, isNewestOnly: rate != nil) }
      }
    } catch {
      deliver { $0.failure = error }
    }
  }

  private func receive() throws(BackdropError) -> Message {
    let deadline = SuspendingClock.now + Self.timeout
    do throws(BackdropError) {
      guard let head = try socket.receive(16, until: deadline) else { throw Self.ended }
      let count = Int(head.word32(12).byteSwapped)
      guard count <= Self.byteLimit else {
        throw BackdropError(
          .overLimit, "the phone sent a message of \(count) bytes that is not a Record3D frame",
          hint: Record3DFrame.updateApp)
      }
      guard let body = try socket.receive(count, until: deadline) else { throw Self.ended }
      return Message(body: body, arrival: .now)
    } catch  where error.kind == .system && error != Self.ended {
      throw Self.silent
    }
  }

  private static let ended = BackdropError(
    .system, "the phone ended its stream", hint: "keep Record3D open on the phone, and press its red button again")
  static let silent = BackdropError(
    .system, "the phone sends no frames", hint: "unlock it, open Record3D, and press its red button")

  /// Changes the mailbox and wakes the reader.
  private func deliver(_ change: (inout sending Mailbox) -> Void) {
    let wakes = mailbox.withLock { mailbox in
      change(&mailbox)
      defer { mailbox.readerWaits = false }
      return mailbox.readerWaits
    }
    if wakes { arrival.signal() }
  }

  /// Waits for the next frame; `nil` if none came in that time.
  func next(within seconds: Double) throws(BackdropError) -> Message? {
    let end = DispatchTime.now() + min(max(seconds, 0), 3600)
    var isLate = false
    while true {
      let (message, failure) = mailbox.withLock { mailbox in
        let message = mailbox.next()
        mailbox.readerWaits = message == nil && mailbox.failure == nil && !isLate
        return (message, mailbox.failure)
      }
      if let message { return message }
      if let failure { throw failure }
      if isLate { return nil }
      // A late signal meant for an earlier call costs only one more iteration.
      isLate = arrival.wait(timeout: end) == .timedOut
    }
  }
}
