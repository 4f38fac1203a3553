import BackdropImaging

/// Why viewers see the standby frame.
public enum StandbyReason: Sendable, Equatable {
  /// Somebody asked for it.
  case requested
  /// No scene has come yet.
  case starting
  /// The look shows the room, and that was not allowed.
  case roomIsPrivate
  /// The subject is lost, and the look shows the room.
  case subjectLost
  /// So much of the picture would be kept, 0…1, that the room is seen.
  case roomVisible(Double)
  /// The last matte is older, in seconds, than a matte may be.
  case matteTooOld(Double)
  /// Something failed.
  case fault(BackdropError)

  /// What failed, as an error; `nil` where nothing did.
  public var error: BackdropError? {
    switch self {
    case .requested, .starting: nil
    case .roomIsPrivate:
      BackdropError(
        .unsupported, "the look shows the room", hint: "allow it first, or choose a look that hides the room")
    case .subjectLost: BackdropError(.badData, "nobody is seen, and the look shows the room")
    case .roomVisible:
      BackdropError(
        .badData, "the matte keeps nearly the whole picture", hint: "move back from the camera, or lower the cutoff")
    case .matteTooOld: BackdropError(.badData, "the last matte is too old")
    case .fault(let error): error
    }
  }
}
