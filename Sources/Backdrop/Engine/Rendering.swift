import BackdropDepth
import BackdropImaging

/// A picture that may be shown to others, made by a ``Renderer`` and by nothing else.
///
/// There is no way from a rendering to the camera's own picture: whoever gets renderings only, as a virtual camera does, cannot
/// show the real background by mistake.
public struct Rendering: Sendable {
  /// Whether it shows the scene.
  public enum Standing: Sendable, Equatable {
    /// The scene, drawn as the look says.
    case shown
    /// The standby frame, in place of a scene.
    case standby(StandbyReason)
  }

  /// The picture.
  public let image: Image
  /// The same with samples of a high dynamic range, where ``Renderer/Options/dynamicRange`` asks for it.
  public let deep: DeepFrame?
  /// Whether it shows the scene.
  public let standing: Standing
  /// When the scene was taken, in seconds of its stream.
  public let time: Double
  /// How old the subject's matte was when it was drawn through, in seconds in which something moved; at most
  /// ``Renderer/maximumMatteAge``.
  public let matteAge: Double
  /// The part of the picture, 0…1, in which the real background is seen through a look that is to hide it, where nobody
  /// is and beyond the look's rim; see ``showsRealBackground``.
  public let exposedBackground: Double

  fileprivate init(
    _ image: Image, _ deep: DeepFrame?, _ standing: Standing, time: Double, matteAge: Double, exposedBackground: Double
  ) {
    (self.image, self.deep, self.standing, self.time, self.matteAge) = (image, deep, standing, time, matteAge)
    self.exposedBackground = exposedBackground
  }

  /// Whether so much of the real background is seen that others would be shown the standby frame
  /// (``Renderer/Options/failsClosed``).
  public var showsRealBackground: Bool { exposedBackground > PrivacyGuard.maximumExposedBackground }

  /// Whether it is the standby frame.
  public var isStandby: Bool { standing != .shown }

  /// The same picture at a later time: what is held, and frames that come to readers who want times that never go back.
  public func held(until time: Double) -> Rendering {
    Rendering(
      image, deep, standing, time: max(time, self.time), matteAge: matteAge, exposedBackground: exposedBackground)
  }
}

extension Renderer {
  /// The only place where a rendering is made.
  func seal(
    _ image: Image, deep: DeepFrame? = nil, _ standing: Rendering.Standing, time: Double, matteAge: Double = 0,
    exposedBackground: Double = 0
  ) -> Rendering {
    // What has none of its own is shown as bright as it is on other screens.
    let deep = options.dynamicRange == nil ? nil : deep ?? expanded(image)
    return Rendering(image, deep, standing, time: time, matteAge: matteAge, exposedBackground: exposedBackground)
  }
}
