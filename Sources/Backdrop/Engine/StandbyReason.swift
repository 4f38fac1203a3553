import BackdropImaging

/// Why viewers see the standby frame.
public enum StandbyReason: Sendable, Equatable {
  /// Somebody asked for it.
  case requested
  /// No scene has come yet.
  case starting
  /// The look shows the real background, and that was not allowed.
  case backgroundIsPrivate
  /// The subject is lost, and the look shows the real background.
  case subjectLost
  /// In so much of the picture, 0…1, the real background would be seen where nobody is.
  case backgroundExposed(Double)
  /// The real background is blurred so little that it is legible, and that was not allowed.
  case backgroundIsLegible(LegibleBlur)
  /// The last matte is older, in seconds, than a matte may be.
  case matteTooOld(Double)
  /// Something failed.
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
      // Without the part, which differs from frame to frame: what is wrong is the same.
      BackdropError(
        .badData, "the picture would show the room in an empty place",
        hint: "lower the cutoff or the margin, narrow the matte, or move back from the camera")
    case .backgroundIsLegible(let blur): blur.error
    case .matteTooOld: BackdropError(.badData, "the last matte is too old to use")
    case .fault(let error): error
    }
  }
}
