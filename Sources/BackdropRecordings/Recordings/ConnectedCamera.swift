import BackdropImaging

package struct ConnectedCamera: Sendable {
  /// The address for opening it: `iphone:UDID`, `realsense:SERIAL`.
  package var address: String
  /// Its kind, for display.
  package var name: String
  /// Why it is unusable; `nil` if no fault is known.
  package var fault: BackdropError?
}
