import BackdropImaging
import CBackdropKernels

extension DepthFilterKind {
  /// Fills holes and smooths by the guide's colours: a mean over areas of one colour and one depth. It leaves no hole if the map has any
  /// value.
  public static let guided = Self(GuidedFilter.self)
}

/// The `guided` step: every pixel becomes a mean of the pixels reachable without a step of colour or of depth.
///
/// It is the recursive filter of Gastal and Oliveira ("Domain Transform for Edge-Aware Image and Video Processing", SIGGRAPH 2011, section
/// 4.1 and equation 14) as a normalised convolution: holes have no weight, so their surroundings fill them, at any size. Its two rounds
/// process rows first, both in one pass over memory. Means are of 1/depth, in which flat surfaces are linear, with weights that grow with
/// the third power of depth: most holes are shadows of near things on far ones.
struct GuidedFilter: DepthFilterStage {
  static let name = "guided"
  static let parameters: [Parameter] = [
    .number("strength", "strength of the smoothing; 0 only fills holes", in: 0...1, default: 1)
  ]
  static let traits: DepthFilterTraits = [.needsMetres, .needsHoles, .fillsHoles, .smooths]

  private let strength: Float
  private var value, weight, across, down, scratch: FilterPlane?
  private var guide = ScaledGuide()
  private var black: [UInt32] = []

  /// The range of means without changes, in pixels of a map 640 wide (standard deviation).
  private static let reach = 100.0
  /// The difference of colours, summed over three channels, and of depth (as a part), that counts as much as a distance of ``reach``.
  private static let color = 0.1
  private static let depth = 0.1

  init(_ step: DepthFilterStep) { strength = step.value(0) }

  mutating func apply(to frame: inout FilterFrame) {
    let (plane, kernels) = (frame.plane, frame.guideKernels)
    let (width, height) = (plane.width, plane.height)
    let across = FilterPlane.fitting(&across, width, height)
    let down = FilterPlane.fitting(&down, width, height)
    var isGuided = false
    if let picture = frame.guide {
      isGuided = guide.withPixels(of: picture, width: width, height: height, kernels) { pixels, stride in
        Self.link(plane, pixels, stride, (across, down), kernels)
      }
    }
    if !isGuided {
      if black.count != width { black = [UInt32](repeating: 0, count: width) }
      black.withUnsafeBufferPointer { row in
        if let row = row.baseAddress { Self.link(plane, row, 0, (across, down), kernels) }
      }
    }
    let value = FilterPlane.fitting(&value, width, height)
    let weight = FilterPlane.fitting(&weight, width, height)
    let strip = Int(BD_FILTER_STRIP)
    let memory = FilterPlane.fitting(&scratch, value.paddedWidth, 3 * strip)
    for y in Swift.stride(from: 0, to: height, by: strip) {
      kernels.spread_rows(
        plane.row(y), across.row(y), value.row(y), weight.row(y), value.stride, Int32(min(strip, height - y)),
        value.paddedWidth, memory.base)
    }
    spreadDown(value, weight, down, isSquared: false, kernels)
    spreadDown(value, weight, down, isSquared: true, kernels)
    for y in 0..<height { kernels.resolve(value.row(y), weight.row(y), plane.paddedWidth, strength, plane.row(y)) }
    // Fills pixels that no value reaches, like the holes of a map without a guide.
    FillFilter.fill(plane, .farthest, farIsGreat: true, frame.kernels)
  }

  /// Computes the links between neighbours for the first round.
  private static func link(
    _ plane: FilterPlane, _ pixels: UnsafePointer<UInt32>, _ stride: Int,
    _ links: (across: FilterPlane, down: FilterPlane), _ kernels: bd_guide_kernels
  ) {
    let reach = max(reach * Double(plane.width) / 640, 1)
    // Equation 14: the reach of the first of N rounds; the second has half of it, so its links are the squares.
    let first = reach * 3.0.squareRoot() * 2 / 15.0.squareRoot()
    // a = exp(-sqrt(2) / first), as a power of 2.
    let near = 2.0.squareRoot() / first * 1.442_695_040_888_963
    var falloff = bd_guide_falloff(
      near: Float(near), color: Float(near * reach / (255 * color)), depth: Float(near * reach / depth))
    let width = plane.width
    for y in 0..<plane.height {
      let (row, colors) = (plane.row(y), pixels + y * stride)
      // Nothing comes from beyond the left edge.
      links.across.row(y)[0] = 0
      kernels.links(colors + 1, colors, row + 1, row, width - 1, &falloff, links.across.row(y) + 1)
      if y > 0 { kernels.links(colors, colors - stride, row, plane.row(y - 1), width, &falloff, links.down.row(y)) }
    }
  }

  private func spreadDown(
    _ value: FilterPlane, _ weight: FilterPlane, _ down: FilterPlane, isSquared: Bool, _ kernels: bd_guide_kernels
  ) {
    let squared: Int32 = isSquared ? 1 : 0
    for y in 1..<max(value.height, 1) {
      kernels.spread_across(
        value.row(y), weight.row(y), value.row(y - 1), weight.row(y - 1), down.row(y), value.paddedWidth, squared)
    }
    for y in Swift.stride(from: value.height - 2, through: 0, by: -1) {
      kernels.spread_across(
        value.row(y), weight.row(y), value.row(y + 1), weight.row(y + 1), down.row(y + 1), value.paddedWidth, squared)
    }
  }
}
