import BackdropDepth
import BackdropImaging

/// Takes what others see: a virtual camera, a pipe, a recording, a file. It gets renderings and nothing else.
public protocol BroadcastSink: AnyObject, Sendable {
  /// Its name in messages.
  var name: String { get }
  /// Whether anybody looks; the camera runs only while somebody does.
  var isWatched: Bool { get }
  /// Whether it is for other people's eyes, so that looks that show the real background need permission.
  var isPublic: Bool { get }
  /// Takes a picture; called on the stream's thread, which it must not hold up.
  ///
  /// - Throws: when it cannot show another picture; the session then leaves it out, with a message.
  func show(_ rendering: Rendering) throws(BackdropError)
  /// Ends it.
  func close()
}

/// What the person at the machine may see: the rendering, and the scene and matte that it was made from.
public struct Preview: Sendable {
  /// The picture that others see.
  public var rendering: Rendering
  /// The camera's picture; `nil` under the standby frame.
  public var scene: Scene?
  /// The subject's matte; there only for a sink that wants it.
  public var matte: Matte?

  /// Makes a preview.
  public init(_ rendering: Rendering, scene: Scene? = nil, matte: Matte? = nil) {
    (self.rendering, self.scene, self.matte) = (rendering, scene, matte)
  }
}

/// Shows the person at the machine what the camera sees. No such sink can be a virtual camera: that takes renderings only.
public protocol PreviewSink: AnyObject, Sendable {
  /// Its name in messages.
  var name: String { get }
  /// Whether anybody looks.
  var isWatched: Bool { get }
  /// Whether it shows mattes; to keep one costs a copy of it each frame.
  var wantsMatte: Bool { get }
  /// Takes what there is to see; called on the stream's thread, which it must not hold up.
  ///
  /// - Throws: when it cannot show another picture; the session then leaves it out, with a message.
  func show(_ preview: Preview) throws(BackdropError)
  /// Ends it.
  func close()
}
