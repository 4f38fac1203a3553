/// A camera of this computer, a network camera, the simulated camera, or a file that plays in a loop.
///
///     for try await scene in try Camera("/dev/video0").scenes { print(scene.time) }
///
/// Asking for the first scene switches the camera on. The end of the loop, for any reason, switches it off.
public struct Camera: Sendable {
  /// Its address, as `LiveInputs.open(_:request:)` reads it.
  public let address: String
  /// The wanted size, rate and format; the camera chooses the nearest it supports.
  public let request: CameraRequest
  /// The handling of scenes that the reader does not take in time.
  public let delivery: SceneStream.Delivery
  private let inputs: LiveInputs

  /// Makes a camera without switching it on. `Cameras.list()` lists the cameras.
  ///
  /// - Parameters:
  ///   - address: `auto` for the first camera, `/dev/video0`, `pipewire:NAME`, `rtsp://…`, `http://…`, `openni:`, `iphone:`, `sim:talking`,
  ///     or a file.
  ///   - request: size and rate, and whether to deliver distances.
  ///   - delivery: the handling of scenes that the reader does not take in time; by default the newest stays.
  /// - Throws: `wrongArgument` for an address that can never become a camera: a simulated scene or a file that does not exist.
  public init(
    _ address: String = "auto", request: CameraRequest = CameraRequest(), delivery: SceneStream.Delivery = .newest
  ) throws(BackdropError) {
    try self.init(address, request: request, delivery: delivery, inputs: LiveInputs())
  }

  package init(
    _ address: String, request: CameraRequest = CameraRequest(), delivery: SceneStream.Delivery = .newest,
    inputs: LiveInputs
  ) throws(BackdropError) {
    try LiveInputs.check(address)
    (self.address, self.request, self.delivery, self.inputs) = (address, request, delivery, inputs)
  }

  /// The camera's scenes, picture and distances joined, in the camera's own pixel format; ``/BackdropDepth/Scene/time`` counts from the
  /// first scene. Each loop opens the camera again.
  ///
  /// The stream skips a single unreadable picture. It throws `system` when the camera cannot be opened or is lost.
  public var scenes: SceneStream {
    SceneStream(delivery) { [self] () throws(BackdropError) in try feed() }
  }

  /// Opens the camera to read it on a thread of your own.
  package func feed() throws(BackdropError) -> any SceneFeed {
    CameraFeed(reader: SceneReader(try inputs.open(address, request: request)))
  }

  private struct CameraFeed: SceneFeed {
    var reader: SceneReader
    var first: Double?
    /// The longest wait for a sample, in seconds; it bounds the time that a cancelled stream takes to end.
    static let maximumWait = 0.1

    mutating func next() throws(BackdropError) -> SceneStep {
      do throws(BackdropError) {
        if let sample = try reader.wait(within: Self.maximumWait) { reader.join(sample) }
      } catch  where reader.passesOver(error) {
        return .nothing
      }
      guard var scene = reader.next(at: MonotonicClock.seconds) else { return .nothing }
      let start = first ?? scene.time
      first = start
      scene.time -= start
      return .scene(scene)
    }
  }
}
