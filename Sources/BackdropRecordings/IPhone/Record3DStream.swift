import BackdropImaging
import Dispatch
import Synchronization

/// Record3D's live stream from a phone, through usbmuxd.
///
/// A thread of its own reads without end, so that nothing waits in the phone and a reader who is late gets what is new. What nobody
/// took in time is overtaken. Frames are messages of PeerTalk (github.com/rsms/peertalk): four words, highest byte first, of which the
/// last is the body's length.
final class Record3DStream: Sendable {
  /// A frame's body.
  struct Message: Sendable {
    var body: [UInt8]
    var arrival: SuspendingClock.Instant
  }

  /// What becomes of frames that nobody takes.
  enum Delivery: Sendable {
    /// All are kept for a while.
    case all
    /// The newest is kept; those that come faster than so many a second are passed over.
    case newest(rate: Double)
  }

  /// What has come and was not taken yet.
  struct Mailbox {
    private var messages: [Message] = []
    private(set) var byteCount = 0
    private(set) var overtaken = 0
    var failure: BackdropError?
    var readerWaits = false

    /// Puts a frame in; what waits too long makes room.
    mutating func take(_ message: Message, isNewestOnly: Bool) {
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

  /// The port at which the app listens.
  static let port: UInt16 = 1337
  /// How long a phone may be silent.
  static let timeout = Duration.seconds(3)
  /// Bytes of a message: a picture of 1440×1920 and 640×480 of depth take less than 4 MB.
  static let byteLimit = 32 << 20
  /// Bytes of all that wait.
  private static let waitingLimit = 128 << 20

  private let socket: UsbmuxSocket
  private let delivery: Delivery
  private let mailbox = Mutex(Mailbox())
  private let arrival = DispatchSemaphore(value: 0)

  /// Reads a connection, from now on until ``stop()``.
  init(_ socket: UsbmuxSocket, _ delivery: Delivery) {
    self.socket = socket
    self.delivery = delivery
  }

  func start() { DetachedThread.start { [self] in run() } }

  func stop() { socket.shutdown() }

  /// How many frames nobody took in time.
  var overtaken: Int { mailbox.withLock { $0.overtaken } }

  private func run() {
    var nextWanted = SuspendingClock.now
    do throws(BackdropError) {
      while true {
        let message = try receive()
        if case .newest(let rate) = delivery {
          guard message.arrival >= nextWanted else { continue }
          // Frames come a little early or late: half of their time is left for that.
          nextWanted = message.arrival + .seconds(0.5 / max(1, min(rate, 1000)))
        }
        deliver { $0.take(message, isNewestOnly: isNewestOnly) }
      }
    } catch {
      deliver { $0.failure = error }
    }
  }

  private var isNewestOnly: Bool {
    if case .newest = delivery { true } else { false }
  }

  private func receive() throws(BackdropError) -> Message {
    let deadline = SuspendingClock.now + Self.timeout
    do throws(BackdropError) {
      guard let head = try socket.receive(16, until: deadline) else { throw Self.ended }
      let count = head.withUnsafeBytes { Int(UInt32(bigEndian: $0.loadUnaligned(fromByteOffset: 12, as: UInt32.self))) }
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

  /// Waits for the next frame.
  ///
  /// - Returns: `nil` where none came in that time.
  /// - Throws: `system` if the phone is lost or silent, `overLimit` for something else than frames.
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
      // A signal that came too late for the last call is one turn more.
      isLate = arrival.wait(timeout: end) == .timedOut
    }
  }
}
