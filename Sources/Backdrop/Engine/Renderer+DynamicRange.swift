/// Pictures of a high dynamic range in addition to the 8-bit ones.
///
/// The renderer converts the drawn picture to the high range (BT.2408: its white is 203 cd/m²), and likewise the scene's picture, which
/// tone mapping made from the scene's deep frame. The deep frame minus the converted scene is the light that tone mapping removed. The
/// renderer adds it back through the matte, so that the frame comes out exactly, and the white of the background stays at 203 cd/m².
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
