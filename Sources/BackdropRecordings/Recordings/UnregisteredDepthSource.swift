import BackdropDepth
import BackdropImaging

/// A source whose depth may come from a separate camera beside the colour camera.
package protocol UnregisteredDepthSource: SceneSource {
  /// Both cameras, if depth is not registered and the recording describes them; ``AlignedSource`` uses them.
  var cameras: CameraPair? { get }
}

extension PictureFolderRecording: UnregisteredDepthSource {}
