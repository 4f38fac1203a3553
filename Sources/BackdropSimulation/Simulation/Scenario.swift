package enum Scenario: String, Sendable, CaseIterable {
  /// A person talks in a living room.
  case talking
  /// The same with the light off: the picture is black, but the depth is that of ``talking``.
  case dark
  /// The same person holds a mug towards the camera, which blocks much of the depth sensor's projector.
  case mug
  /// The same person in a sunny park: the background has no depth, and the sun removes much of the hair's depth.
  case outdoor
  case twoPeople = "two-people"

  package var summary: String {
    switch self {
    case .talking: "someone talks in a living room"
    case .dark: "the same in the dark: a black picture, with depth"
    case .mug: "someone holds a mug towards the camera"
    case .outdoor: "someone in a sunny park: no depth behind, holes in the hair"
    case .twoPeople: "two people side by side"
    }
  }
}
