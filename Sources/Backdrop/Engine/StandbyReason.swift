/// The reason that viewers see the standby frame.
public enum StandbyReason: Sendable, Equatable {
  case requested
  /// No scene has arrived yet.
  case starting
  /// The look shows the real background, which is not allowed.
  case backgroundIsPrivate
  /// The subject is lost, and the look shows the real background.
  case subjectLost
  /// This fraction of the picture, 0…1, would show the real background beside people.
  case backgroundExposed(Double)
  /// The blur of the real background is too weak to hide writing, which is not allowed.
  case backgroundIsLegible(LegibleBlur)
  /// The last matte is older than allowed; its age in seconds.
  case matteTooOld(Double)
  case fault(BackdropError)

  /// The failure; `nil` if nothing failed.
  public var error: BackdropError? {
    switch self {
    case .requested, .starting: nil
    case .backgroundIsPrivate:
      BackdropError(
        .unsupported, "this look shows the room", hint: "allow the room to show, or choose a look that hides it")
    case .subjectLost: BackdropError(.badData, "the picture shows nobody, and this look would show the room")
    case .backgroundExposed:
      // Leave out the fraction: it differs from frame to frame, and the error should stay the same.
      BackdropError(
        .badData, "the picture would show the room in an empty place",
        hint: "lower the cutoff or the margin, narrow the matte, or move back from the camera")
    case .backgroundIsLegible(let blur): blur.error
    case .matteTooOld: BackdropError(.badData, "the last matte is too old to use")
    case .fault(let error): error
    }
  }
}
