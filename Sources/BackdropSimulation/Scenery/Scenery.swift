import BackdropImaging

/// Computed background pictures, so that a demo needs no picture file.
///
/// Each scene is computed in units of the picture's height: it is sharp from thumbnails to 4K, and a wider picture
/// shows more at the sides. The middle, where a person sits in a video call, is calm.
///
///     let background = Scenery.dunes.image(width: 1920, height: 1080)
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

  /// The scene as an opaque `rgba8` picture in sRGB.
  ///
  /// Repeated calls give identical bytes; nothing is random. Another mathematics library may round a sample differently
  /// by one. Different sizes agree except for a fine grain, which hides steps in the gradients. One core draws
  /// 1920×1080 in less than half a second: make the picture once and keep it.
  ///
  /// - Parameters:
  ///   - width: pixels in a row, at least 1. More than four times `height` shows a horizontal strip of the scene.
  ///   - height: rows of pixels, at least 1.
  ///   - workers: the threads that share the rows; `nil` for the caller's alone.
  public func image(width: Int, height: Int, workers: WorkerPool? = nil) -> Image {
    let view = SceneryView(width: width, height: height)
    let painter: any SceneryPainter =
      switch self {
      case .dunes: Dunes(view)
      case .loft: Loft(view)
      case .northern: Northern(view)
      }
    return Film.developed(painter, view, workers ?? WorkerPool(threads: 1))
  }
}

/// A scene that is painted row by row, by several threads at once.
protocol SceneryPainter: Sendable {
  /// Writes the linear light of each pixel of row `y`; `row` is as long as the view is wide.
  func paint(_ y: Int, into row: inout [SceneryLight])
}
