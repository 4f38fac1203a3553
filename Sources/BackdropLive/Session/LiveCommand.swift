import BackdropImaging

/// A command to a running live session, from keys, a socket or a page.
///
/// Its JSON has the field `do` and the command's fields: `{"do": "background", "value": "scene:dunes"}`,
/// `{"do": "set", "name": "radius", "value": 8}`. Pages and the control socket use the same form.
package enum LiveCommand: Sendable, Equatable {
  case background(String)
  case nextBackground, previousBackground
  case addBackground(String)
  /// Removes a background from the list; if it is visible, the next one takes its place.
  case removeBackground(String)
  /// Changes the look, with its parameters at their defaults.
  case look(String)
  case nextLook, previousLook
  case set(String, ParameterValue)
  case reset(String)
  /// Swaps left and right; `nil` toggles.
  case mirror(Bool?)
  case freeze(Bool?)
  /// Shows the standby frame at once, until switched off.
  case standby(Bool?)
  /// Lets looks show the real background to others, if they do so by design.
  case showRealBackground(Bool?)
  case pause(Bool?)
  case camera(String)
  case snapshot(String)
  /// Starts recording a video, and with the second name also the camera's frames with depth.
  case record(String, raw: String?)
  case stopRecording
  /// Changes nothing; the answer has the status.
  case status
  case quit
}
