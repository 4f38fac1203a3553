import Backdrop
import BackdropLive
import Dispatch
import Synchronization

/// Sends previews of the live session to the pages. It encodes a picture only when a page can receive it, and only once for all
/// pages.
///
/// The session only stores its newest picture here. A separate thread encodes it as soon as a page is ready, so pictures that are
/// replaced before then cost nothing.
final class PreviewEncoder: PreviewSink {
  let name = "the page"
  private let hub: Hub
  private let state = Mutex(State())
  private let wake = DispatchSemaphore(value: 0)

  private struct State {
    var picture: Preview?
    var number: UInt32 = 0
    var isClosed = false
    var pace = Pace()
  }

  static let depthColumns = 320
  private static let thumbnailWidth = 224
  private static let thumbnailPeriod = 0.2

  init(_ hub: Hub) { self.hub = hub }

  var isWatched: Bool { hub.tabs.contains { $0.subscription.wantsPictures } }

  var wantsMatte: Bool { hub.tabs.contains { $0.subscription.thumbnails || $0.subscription.views.contains(.matte) } }

  func show(_ picture: Preview) throws(BackdropError) {
    state.withLock { state in
      state.picture = picture
      state.number &+= 1
    }
    wake.signal()
  }

  func close() {
    state.withLock { $0.isClosed = true }
    wake.signal()
  }

  /// Wakes the encoder, because a page can receive more or has changed its subscription.
  func wakeUp() { wake.signal() }

  /// Adapts the picture rate to the camera's state, several times a second: pages wait while the camera loses frames.
  func adapt(_ status: LiveStatus) {
    let pages = hub.tabs.count { $0.subscription.wantsPictures }
    state.withLock {
      $0.pace.update(framesIn: status.isCameraOn ? status.framesIn : 0, rate: status.cameraRate, pages: pages)
    }
    // Pictures held back earlier may be due.
    wakeUp()
  }

  var picture: Preview? { state.withLock { $0.picture } }

  func start() throws(BackdropError) {
    try DetachedThread.start { self.serve() }
  }

  /// The last picture that a page received, and when the next is due.
  private struct Served {
    var number: UInt32?
    var subscription: ViewSubscription?
    var due = -Double.infinity
    var thumbnails = -Double.infinity
  }

  private func serve() {
    var served: [Int: Served] = [:]
    var encoder = PartEncoder()
    while true {
      wake.wait()
      // One pass handles all pending signals.
      while wake.wait(timeout: .now()) == .success {}
      let (picture, number, isClosed, interval) = state.withLock {
        ($0.picture, $0.number, $0.isClosed, $0.pace.interval)
      }
      if isClosed { return }
      guard let picture else { continue }
      let tabs = hub.tabs
      served = served.filter { known in tabs.contains { $0.number == known.key } }
      encoder.begin(picture, number)
      for tab in tabs where tab.isReady {
        let subscription = tab.subscription
        var known = served[tab.number] ?? Served()
        guard known.number != number || known.subscription != subscription else { continue }
        let now = MonotonicClock.seconds
        guard now >= known.due || known.subscription != subscription else { continue }
        // The average interval stays right even though pictures come at irregular times.
        known.due = max(known.due, now - interval) + interval
        var bundle = PictureBundle(
          number: number, isStandby: picture.rendering.isStandby, seconds: picture.rendering.time,
          age: max(0, now - picture.rendering.time))
        for view in subscription.views { encoder.add(view, width: subscription.width, to: &bundle) }
        if subscription.cloud { encoder.addDepth(filtered: subscription.filtered, to: &bundle) }
        if subscription.thumbnails
          && (now - known.thumbnails >= Self.thumbnailPeriod || known.subscription != subscription)
        {
          for view in ViewSubscription.View.allCases {
            encoder.add(view, width: Self.thumbnailWidth, isSmall: true, to: &bundle)
          }
          known.thumbnails = now
        }
        (known.number, known.subscription) = (number, subscription)
        served[tab.number] = known
        tab.offer(bundle.bytes)
      }
    }
  }
}

/// Encodes the pictures of one moment, each once.
private struct PartEncoder {
  private var picture: Preview?
  private var number: UInt32?
  private var parts: [String: PicturePart?] = [:]
  private var colorizer = DepthColorizer()
  private let filter = DepthFilter(.filtered)

  mutating func begin(_ picture: Preview, _ number: UInt32) {
    guard number != self.number else { return }
    (self.picture, self.number) = (picture, number)
    parts.removeAll(keepingCapacity: true)
  }

  mutating func add(_ view: ViewSubscription.View, width: Int, isSmall: Bool = false, to bundle: inout PictureBundle) {
    add(view.code + (isSmall ? 10 : 0), "\(view) \(width) \(isSmall)", to: &bundle) { encoder throws(BackdropError) in
      try encoder.image(view).map { image throws(BackdropError) in
        try PicturePart(image, width: width, quality: isSmall ? 75 : 82)
      }
    }
  }

  mutating func addDepth(filtered: Bool, to bundle: inout PictureBundle) {
    add(20, "distances \(filtered)", to: &bundle) { encoder throws(BackdropError) in
      guard let frame = encoder.picture?.scene, let depth = frame.depth, !depth.isEmpty else { return nil }
      var small = depth.thinned(toWidth: PreviewEncoder.depthColumns)
      if filtered { encoder.filter.apply(&small, guide: frame.image) }
      return PicturePart(small)
    }
  }

  /// Adds a part, or omits it if it fails; the next picture may succeed.
  private mutating func add(
    _ kind: UInt8, _ key: String, to bundle: inout PictureBundle,
    _ make: (inout PartEncoder) throws(BackdropError) -> PicturePart?
  ) {
    let part = if let known = parts[key] { known } else { try? make(&self) }
    parts[key] = .some(part)
    if let part { bundle.add(kind: kind, part) }
  }

  private mutating func image(_ view: ViewSubscription.View) throws(BackdropError) -> Image? {
    switch view {
    case .result: return picture?.rendering.image
    case .input: return picture?.scene?.flattened
    case .matte: return picture?.matte?.image
    case .depth:
      guard let depth = picture?.scene?.depth, !depth.isEmpty else { return nil }
      return colorizer.colors(for: depth).image(of: depth)
    }
  }
}
