import BackdropDepth
import BackdropImaging

/// A source whose depth may be that of a camera beside the one that takes the pictures.
package protocol TwoCameraSource: SceneSource {
  /// Both cameras, where depth is not registered and the recording tells how it would be: ``AlignedSource`` does it.
  var cameras: CameraPair? { get }
}

extension RGBDRecording: TwoCameraSource {}
