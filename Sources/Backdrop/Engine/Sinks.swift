/// Takes the pictures that others see: a virtual camera, a pipe, a recording, a file. It gets only renderings.
package protocol BroadcastSink: AnyObject, Sendable {
  var name: String { get }
  /// Whether anybody is watching; the camera runs only then.
  var isWatched: Bool { get }
  /// Whether other people see it, so that looks that show the real background need permission.
  var isPublic: Bool { get }
  /// Takes a picture. The stream's thread calls it, so it must not block.
  ///
  /// - Throws: an error when it cannot show more pictures; the session then removes it, with a message.
  func show(_ rendering: Rendering) throws(BackdropError)
  /// Drops a picture that it took but has not passed on, because the user has hidden it since. Any thread may call it.
  func withdraw()
  func close()
}

extension BroadcastSink {
  /// Does nothing: most sinks pass each picture on at once.
  package func withdraw() {}
}

/// The pictures for the user at the machine: the rendering, and the scene and matte behind it.
package struct Preview: Sendable {
  package var rendering: Rendering
  /// The camera's picture; `nil` under the standby frame.
  package var scene: Scene?
  /// The subject's matte, only for a sink that wants it.
  package var matte: Matte?

  package init(_ rendering: Rendering, scene: Scene? = nil, matte: Matte? = nil) {
    (self.rendering, self.scene, self.matte) = (rendering, scene, matte)
  }
}

/// Shows the camera's view to the user at the machine. A virtual camera cannot be such a sink, because it takes only renderings.
package protocol PreviewSink: AnyObject, Sendable {
  /// Its name in messages.
  var name: String { get }
  var isWatched: Bool { get }
  /// Whether it shows mattes; keeping one costs a copy each frame.
  var wantsMatte: Bool { get }
  /// Takes a preview. The stream's thread calls it, so it must not block.
  ///
  /// - Throws: an error when it cannot show more pictures; the session then removes it, with a message.
  func show(_ preview: Preview) throws(BackdropError)
  func close()
}
