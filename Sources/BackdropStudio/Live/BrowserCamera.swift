import Backdrop
import BackdropLive
import Dispatch
import Synchronization

/// Holds the newest picture of a page's webcam.
final class BrowserMailbox: Sendable {
  private let newest = Mutex<(bytes: [UInt8], seconds: Double)?>(nil)
  private let arrived = DispatchSemaphore(value: 0)

  /// - Parameter age: seconds since the picture was taken.
  func put(_ bytes: [UInt8], age: Double) {
    let replaced = newest.withLock { exchange(&$0, with: (bytes, MonotonicClock.seconds - age)) }
    if replaced == nil { arrived.signal() }
  }

  func next(within seconds: Double) -> (bytes: [UInt8], seconds: Double)? {
    guard arrived.wait(timeout: .now() + seconds) == .success else { return nil }
    return newest.withLock { $0.take() }
  }
}

/// Makes a browser's webcam, which the page sends, a source of the live session.
final class BrowserCamera: LiveSource {
  static let address = "browser:"

  let name = "this browser's webcam"
  let hasDepth = false
  let rate = 30.0
  private let mailbox: BrowserMailbox
  private var size: (width: Int, height: Int)?

  private static let limits = ImageLimits(side: 4096, pixels: 4096 * 2304)

  init(_ mailbox: BrowserMailbox) { self.mailbox = mailbox }

  var modeText: String { size.map { "\($0.width)×\($0.height) JPEG" } ?? "JPEG" }

  func next(within seconds: Double) throws(BackdropError) -> LiveSample? {
    guard let (bytes, seconds) = mailbox.next(within: seconds) else { return nil }
    let image = try JPEG.decode(bytes, as: .i420, limits: Self.limits)
    size = (image.width, image.height)
    return LiveSample(.picture(image), seconds: seconds)
  }
}
