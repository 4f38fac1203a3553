import BackdropDepth
import BackdropImaging
import BackdropLooks

/// The original of an edit: a ``Photo`` or a ``Video``. An edit never changes it.
public protocol Original: Sendable {
  /// The name that it was opened by.
  var path: String { get }
  /// The largest pictures that are read, its own and those of backgrounds.
  var limits: ImageLimits { get }

  /// Opens it anew, at its beginning.
  ///
  /// - Throws: errors in the file, or with the depth that was given with it.
  func open() throws(BackdropError) -> any SceneSource
}

extension Original {
  /// The people in front of another background.
  ///
  /// What stands in front is found as ``SceneAnalyzer`` does: by the matte in the photo, by depth and the person network, or by the
  /// network alone. Nothing is read or drawn before the edit is written.
  public func replacingBackground(with background: BackgroundChoice) -> Edit<Self> {
    applying(.backdrop, background: background)
  }

  /// The original, drawn with a look.
  ///
  /// - Parameters:
  ///   - look: a built-in one such as `.portrait`, or ``/BackdropLooks/Look/load(_:)`` for one of your own.
  ///   - values: what its parameters are set to; the others have their defaults, or follow the scene. A name or value that the look
  ///     does not have is an error when the edit is written.
  ///   - background: the background, for looks that have one; `nil` is black.
  public func applying(
    _ look: Look, _ values: [String: Double] = [:], background: BackgroundChoice? = nil
  ) -> Edit<Self> {
    var plan = Job.Plan(look)
    plan.values = values
    plan.background = background
    plan.limits = limits
    (plan.isStrict, plan.needsPerson) = (true, true)
    return Edit(self, plan)
  }
}
