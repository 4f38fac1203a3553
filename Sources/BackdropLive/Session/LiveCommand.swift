import BackdropImaging

/// Something that a live session is asked to do while it runs, from keys, a socket or a page.
///
/// Written as JSON with the field `do` and what belongs to it: `{"do": "background", "value": "scene:dunes"}`,
/// `{"do": "set", "name": "radius", "value": 8}`. Pages and the control socket write it in the same way.
public enum LiveCommand: Sendable, Equatable {
  /// Shows another background.
  case background(String)
  /// The next of the list, or the one before it.
  case nextBackground, previousBackground
  /// Adds one to the list and shows it.
  case addBackground(String)
  /// Takes one out of the list; where it is shown, the next one is.
  case removeBackground(String)
  /// Another look, its parameters at their defaults.
  case look(String)
  /// The next look, or the one before it.
  case nextLook, previousLook
  /// Sets a parameter of the look, or of the session.
  case set(String, ParameterValue)
  /// Puts a parameter back.
  case reset(String)
  /// Swaps left and right; `nil` for the other way than now.
  case mirror(Bool?)
  /// Holds the picture that is shown.
  case freeze(Bool?)
  /// Shows the standby frame at once, until it is taken back.
  case standby(Bool?)
  /// Lets looks that are made to show the real background show it to others.
  case showRealBackground(Bool?)
  /// Stops the camera, and shows the standby frame.
  case pause(Bool?)
  /// Another camera.
  case camera(String)
  /// Writes what the camera sees now, as a photo with depth, matte and calibration.
  case snapshot(String)
  /// Starts to write a video; the camera's frames with depth too where the second is given.
  case record(String, raw: String?)
  /// Ends the video.
  case stopRecording
  /// Nothing; the answer has the state.
  case status
  /// Ends the session.
  case quit
}
