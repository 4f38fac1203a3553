import BackdropDepth
import BackdropImaging

/// How to fit a coarse matte to the edges of its picture. Using it clamps values to their ranges.
package struct MatteRefinement: Sendable, Equatable {
  /// The picture's influence, 0…1; at 0 the matte is only scaled and sharpened.
  package var strength = 1.0
  /// Half the side of the windows in which opacity is assumed to be a linear function of colour, in samples of the working size; 1…16.
  package var radius = 4
  /// The variance (with samples in 0…1) below which colours do not decide; above 0.
  package var epsilon = 1e-4
  /// How much of the background's own texture may show in the matte (standard deviation of opacity, above 0). If the picture's colours
  /// would print this much, they and the matte count half each.
  package var textureTolerance = 0.2
  /// Whether the variance of colours within a sample of the working size counts too. Means of large samples hide a picture's stripes. In
  /// small samples strands of hair vary as much, and should be drawn.
  package var seesPixels = true
  /// The slope of the matte's own opacity round one half if it replaces the picture's colours, before ``sharpness``: more than 1 for
  /// networks with softer edges than the picture, 1 for a matte with fine edges; above 0.
  package var ownSlope = 1.5
  /// The slope of opacity round ``threshold``: 1 leaves it, more hardens the edge that the filter softened.
  package var sharpness = 1.75
  /// The opacity that becomes one half, 0…1.
  package var threshold = 0.5
  /// The longer side of the working size in samples; `nil` works at the size of the matte, divided by ``reduction``.
  package var workingSide: Int?
  /// The matte's size divided by the working size, without ``workingSide``; 1…8.
  package var reduction = 1

  /// For every frame of a video: at half the size of the network's output, at a quarter of the cost. The weights lose little sharpness,
  /// because each is a mean over a window.
  package static let live = MatteRefinement(radius: 2, sharpness: 1.9, reduction: 2)
  /// As ``live``, for the mean of several results for a frame. Their disagreement makes it soft where it may be wrong, and it stays soft
  /// there.
  package static let liveOfMany = MatteRefinement(radius: 2, sharpness: 1.7, reduction: 2)
  /// For pictures: finer, and most variation beside an edge counts as hair.
  package static let best = MatteRefinement(textureTolerance: 0.4, seesPixels: false, sharpness: 1.5, workingSide: 640)
  /// As ``best``, for a network's matte of a picture, which has softer edges.
  package static let bestOfNetworks = MatteRefinement(
    textureTolerance: 0.4, seesPixels: false, sharpness: 1.75, workingSide: 640)
}

extension Matte {
  /// Hardens edges round the threshold like a refinement, without fitting them to a picture; `output` is reused if it has this matte's
  /// size.
  package func sharpen(_ settings: MatteRefinement, into output: inout Matte) {
    output.q15.fit(width, height)
    let slope = Float(min(max(settings.sharpness, 0.1), 100))
    let middle = Float(min(max(settings.threshold, 0.01), 0.99)) * 32768
    let (stride, outputStride, width, height) = (q15.stride, output.q15.stride, width, height)
    q15.withUnsafePointer { source in
      output.q15.withUnsafeMutablePointer { target in
        for y in 0..<height {
          let (from, to) = (source + y * stride, target + y * outputStride)
          for x in 0..<width {
            let value = (Float(min(from[x], Matte.one)) - middle) * slope + 16384
            let clamped: Float = value > 0 ? (value < 32768 ? value : 32768) : 0
            // Adding 2²³ leaves the rounded integer in the low bits: a conversion that vectorizes.
            to[x] = UInt16(truncatingIfNeeded: (clamped + 8_388_608).bitPattern)
          }
        }
      }
    }
  }
}
