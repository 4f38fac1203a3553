import CScenery

/// Background pictures inside the program, so that a demo needs no picture file. The middle, where a person sits in a video call, is calm.
public enum Scenery: String, CaseIterable, Sendable {
  /// Sand dunes and hazy mountain ridges at sunset.
  case dunes
  /// A brick-walled room in the evening, out of focus, with lamps and the lights of a city in the window.
  case loft
  /// The northern lights over a lake and mountains.
  case northern

  /// One sentence for a list.
  public var summary: String {
    switch self {
    case .dunes: "Sand dunes and hazy mountain ridges at sunset."
    case .loft: "A loft in the evening, out of focus, with lamps and a city in the window."
    case .northern: "The northern lights over a lake and mountains."
    }
  }

  /// The picture: 3840×2160 pixels, opaque `rgba8` in sRGB. Each call decodes it.
  ///
  /// - Throws: `unsupported` if libavif has no AV1 decoder.
  public func image() throws(BackdropError) -> Image {
    let file =
      switch self {
      case .dunes: scenery_dunes()
      case .loft: scenery_loft()
      case .northern: scenery_northern()
      }
    let bytes = UnsafeBufferPointer(start: file.bytes, count: file.count)
    // The bytes are the program's own, so that no sandbox needs to decode them.
    return try AVIF.pixels(of: bytes.span, as: nil, mapsTones: false, limits: .standard)
  }
}
