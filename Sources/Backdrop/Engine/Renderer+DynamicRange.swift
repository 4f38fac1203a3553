import BackdropDepth
import BackdropImaging
import BackdropMatting

/// Pictures of a high dynamic range beside the 8-bit ones.
///
/// The drawn picture is converted to the high range (BT.2408: its white is 203 cd/m²), and so is the scene's picture, which tone mapping
/// made from the scene's deep frame. The difference between the two is what tone mapping removed from the frame, and the matte adds it
/// back: the frame comes out exactly, and the background behind it is as bright as white paper in its light.
extension Renderer {
  /// A scene drawn through a matte, in the high dynamic range; `nil` if none is requested, or the scene has none.
  func deepened(_ drawn: Image, _ scene: Scene, _ matte: Matte) -> DeepFrame? {
    guard options.dynamicRange != nil, let source = scene.deep, source.width == drawn.width,
      source.height == drawn.height, let result = expanded(drawn, bits: source.bits),
      let base = expanded(scene.image, bits: source.bits)
    else { return nil }
    let weight = matte.scaled(toWidth: drawn.width, height: drawn.height).q15
    return result.restoring(source, beyond: base, weight: weight)
  }

  /// A picture in the requested high dynamic range; `nil` if its colours cannot be converted.
  func expanded(_ image: Image, bits: Int = 10) -> DeepFrame? {
    guard let color = options.dynamicRange else { return nil }
    if expansion?.source != image.color.space || expansion?.target != color.space {
      expansion = RangeExpansion(from: image.color.space, to: color.space)
    }
    return expansion?.frame(image, bits: bits, color: color)
  }
}
