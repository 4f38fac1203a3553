import BackdropImaging
import BackdropMatting

extension Compositor {
  /// A picture from another viewpoint, or from two in one.
  func seen(
    _ view: Look.View, _ picture: Picture, _ isBottom: Bool, _ scene: Scene, into output: inout Image
  ) throws(BackdropError) -> Picture {
    throw BackdropError(.unsupported, "other viewpoints are not drawn")
  }

  /// The two views of the only layer, the left eye's at the left.
  func drawSideBySide(_ scene: Scene, into output: inout Image) throws(BackdropError) {
    throw BackdropError(.unsupported, "other viewpoints are not drawn")
  }

  func maskedBlur(
    _ image: Image, mask: Plane<UInt16>, sigma: Double, into output: inout Image
  ) throws(BackdropError) {
    throw BackdropError(.unsupported, "blurs by a mask are not drawn")
  }

  func lensBlur(
    _ image: Image, defocus: Plane<Float>, radius: Double, blades: Int, bloom: Double, into output: inout Image
  ) throws(BackdropError) {
    throw BackdropError(.unsupported, "blurs of a lens are not drawn")
  }
}
