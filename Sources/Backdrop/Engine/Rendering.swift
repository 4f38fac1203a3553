/// A picture that others may see. Only a ``Renderer`` makes one.
///
/// A rendering gives no access to the camera's own picture. A virtual camera gets only renderings, and so cannot show the real background
/// by mistake.
public struct Rendering: Sendable {
  /// Whether the picture shows the scene.
  public enum Standing: Sendable, Equatable {
    case shown
    case standby(StandbyReason)
  }

  /// The picture.
  public let image: Image
  /// The same picture in a high dynamic range, if ``Renderer/Options/dynamicRange`` requests it.
  package let deep: DeepFrame?
  /// Whether the picture shows the scene.
  public let standing: Standing
  /// The scene's time, in seconds of its stream.
  public let time: Double
  /// The age of the subject's matte when it was used, in seconds with movement; at most `Renderer.maximumMatteAge`.
  public let matteAge: Double
  /// The fraction of the picture, 0…1, that shows the real background through a look that should hide it, beyond people and the look's rim;
  /// see ``showsRealBackground``.
  public let exposedBackground: Double

  fileprivate init(
    _ image: Image, _ deep: DeepFrame?, _ standing: Standing, time: Double, matteAge: Double, exposedBackground: Double
  ) {
    (self.image, self.deep, self.standing, self.time, self.matteAge) = (image, deep, standing, time, matteAge)
    self.exposedBackground = exposedBackground
  }

  /// Whether so much of the real background is visible that others would see the standby frame (``Renderer/Options/failsClosed``).
  public var showsRealBackground: Bool { exposedBackground > PrivacyGuard.maximumExposedBackground }

  /// Whether the picture is the standby frame.
  public var isStandby: Bool { standing != .shown }

  /// The same picture at a later time, for held pictures and for readers that need times that never go back.
  public func held(until time: Double) -> Rendering {
    Rendering(
      image, deep, standing, time: max(time, self.time), matteAge: matteAge, exposedBackground: exposedBackground)
  }
}

extension Renderer {
  /// The only function that makes a rendering.
  func seal(
    _ image: Image, deep: DeepFrame? = nil, _ standing: Rendering.Standing, time: Double, matteAge: Double = 0,
    exposedBackground: Double = 0
  ) -> Rendering {
    // A picture without a deep frame keeps the brightness that it has on other screens.
    let deep = options.dynamicRange == nil ? nil : deep ?? expanded(image)
    return Rendering(image, deep, standing, time: time, matteAge: matteAge, exposedBackground: exposedBackground)
  }
}
