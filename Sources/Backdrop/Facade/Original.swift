/// The original of an edit: a ``Photo`` or a ``Video``. An edit never changes it.
public protocol Original: Sendable {
  /// The name by which it was opened.
  var path: String { get }
  /// The largest pictures to read, including backgrounds.
  var limits: ImageLimits { get }

  /// Opens it again, at its start.
  ///
  /// - Throws: errors in the file, or in its separate depth.
  func open() throws(BackdropError) -> SceneInput
}

extension Original {
  /// An edit that shows the people in front of another background.
  ///
  /// `SceneAnalyzer` finds the foreground: by the matte in the photo, by depth and the person network, or by the network alone. Nothing
  /// is read or drawn until the edit is written.
  public func replacingBackground(with background: BackgroundChoice) -> Edit<Self> {
    applying(.backdrop, background: background)
  }

  /// An edit that draws the original with a look.
  ///
  /// - Parameters:
  ///   - look: a built-in one such as `.portrait`, or ``/BackdropLooks/Look/load(_:)`` for one of your own.
  ///   - values: its parameter values; the others have their defaults, or follow the scene. Writing the edit reports a name or value that
  ///     the look does not have.
  ///   - background: the background, for looks that have one; `nil` is black.
  public func applying(
    _ look: Look, _ values: [String: Double] = [:], background: BackgroundChoice? = nil
  ) -> Edit<Self> {
    var plan = Job.Plan(look)
    plan.values = values
    plan.background = background
    plan.limits = limits
    plan.audience = .others
    return Edit(self, plan)
  }
}
