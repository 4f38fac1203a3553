package struct LiveSample: Sendable {
  package enum Content: Sendable {
    case picture(Image)
    case depth(DepthMap)
    /// The picture and everything else of one moment.
    case frame(Scene)
  }

  package var content: Content
  /// The time of capture, in seconds of the monotonic clock.
  package var seconds: Double

  package init(_ content: Content, seconds: Double) {
    (self.content, self.seconds) = (content, seconds)
  }
}

/// An open camera or a substitute for it: the source of frames for live sessions and ``Camera``. One thread uses it at a time. Releasing
/// it closes it.
package protocol LiveSource: AnyObject {
  /// Its name in messages.
  var name: String { get }
  /// A description of the mode for display: `1280×720 yuyv, 30/s`.
  var modeText: String { get }
  var hasDepth: Bool { get }
  /// Frames per second.
  var rate: Double { get }
  /// What a user does when it sends nothing.
  var silenceHint: String { get }

  /// Waits for the next sample.
  ///
  /// - Parameter seconds: the longest wait.
  /// - Returns: `nil` if no sample came in that time.
  /// - Throws: `system` when the camera is lost (the caller then opens it again), `badData` for an unreadable sample.
  func next(within seconds: Double) throws(BackdropError) -> LiveSample?
}

extension LiveSource {
  /// For a camera with a plug.
  package var silenceHint: String { "unplug it and plug it in again" }
}
