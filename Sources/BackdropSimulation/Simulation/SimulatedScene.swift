/// A scene of a ``SimulatedCamera``.
public struct SimulatedScene: Sendable, Codable, Hashable {
  /// The scenes by name.
  public enum Name: String, Sendable, Codable, CaseIterable {
    /// Someone talks in a living room.
    case talking
    /// The same with the light off: the picture is black, the depth is that of ``talking``.
    case dark
    /// The same person holds a mug towards the camera, which hides much of the scene from the depth sensor's projector.
    case mug
    /// The same person in a sunny park: nothing behind has depth, and the sun takes much of the hair's.
    case outdoor
    /// Two people side by side.
    case twoPeople = "two-people"
  }

  /// Which one.
  public var name: Name

  /// Makes the scene called `name`.
  public init(_ name: Name) { self.name = name }

  /// One sentence about the scene.
  public var summary: String {
    switch name {
    case .talking: "someone talks in a living room"
    case .dark: "the same in the dark: a black picture, with depth"
    case .mug: "someone holds a mug towards the camera"
    case .outdoor: "someone in a sunny park: no depth behind, holes in the hair"
    case .twoPeople: "two people side by side"
    }
  }
}
