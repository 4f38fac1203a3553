import BackdropDepth
import BackdropImaging
import BackdropMatting

/// Pictures of a high dynamic range beside those that are drawn with 8 bits.
///
/// What is drawn is brought into the high range (BT.2408: its white is 203 cd/m²), and so is the scene's picture, which was made
/// from the scene's deep frame by tone mapping. What that took from the frame, the difference of the two, is given back where the
/// matte shows it: there the frame comes out exactly, and behind it the background as bright as white paper in its light.
extension Renderer {
  /// What was drawn of a scene through a matte, in the high dynamic range; `nil` where none is asked for, or the scene has none.
  func deepened(_ drawn: Image, _ scene: Scene, _ matte: Matte) -> DeepFrame? {
    guard options.dynamicRange != nil, let source = scene.deep, source.width == drawn.width,
      source.height == drawn.height, let result = expanded(drawn, bits: source.bits),
      let base = expanded(scene.image, bits: source.bits)
    else { return nil }
    let weight = matte.scaled(toWidth: drawn.width, height: drawn.height).q15
    return result.restoring(source, beyond: base, weight: weight)
  }

  /// A picture in the high dynamic range that is asked for; `nil` if its colours cannot be brought there.
  func expanded(_ image: Image, bits: Int = 10) -> DeepFrame? {
    guard let color = options.dynamicRange else { return nil }
    if expansion?.source != image.color.space || expansion?.target != color.space {
      expansion = RangeExpansion(from: image.color.space, to: color.space)
    }
    return expansion?.frame(image, bits: bits, color: color)
  }
}
