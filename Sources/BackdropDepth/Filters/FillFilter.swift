import BackdropImaging
import CBackdropKernels

extension DepthFilterKind {
  /// Fills holes from their neighbours.
  public static let fill = Self(FillFilter.self)
}

struct FillFilter: DepthFilterStage {
  static let name = "fill"
  static let parameters = [
    Parameter(
      "mode", "the value that fills a hole",
      .choice([
        .init("left", "the value to its left"), .init("farthest", "the farthest value beside it"),
        .init("nearest", "the nearest value beside it"),
      ]), default: "farthest", group: .depth)
  ]
  static let traits: DepthFilterTraits = [.needsHoles, .fillsHoles]

  /// How neighbours fill a hole, in the order of the parameter's choices.
  enum Mode: Int {
    case left, farthest, nearest
  }

  private let mode: Mode

  init(_ step: DepthFilterStep) { mode = Mode(rawValue: step.whole(0)) ?? .farthest }

  func apply(to frame: inout FilterFrame) {
    Self.fill(frame.plane, mode, farIsGreat: frame.disparityFactor == nil, frame.kernels)
  }

  /// Fills as librealsense does, which leaves the first and last rows and the first column unchanged; then fills those from their
  /// neighbours.
  static func fill(_ plane: FilterPlane, _ mode: Mode, farIsGreat: Bool, _ kernels: bd_filter_kernels) {
    let usesLeast = (mode == .nearest) == farIsGreat
    for y in 0..<plane.height {
      if mode == .left {
        kernels.fill_left(plane.row(y), plane.width)
      } else if y > 0 && y < plane.height - 1 {
        kernels.fill_around(plane.row(y), plane.row(y - 1), plane.row(y + 1), plane.width, usesLeast ? 1 : 0)
      }
    }
    var known: Int?
    for y in 0..<plane.height {
      let row = plane.row(y)
      kernels.stretch(row, plane.width, Int32(clamping: plane.width))
      // At this point a row has either no hole, or only holes.
      if row[0] > 0 {
        if known == nil { for above in 0..<y { plane.row(above).update(from: row, count: plane.width) } }
        known = y
      } else if let known {
        row.update(from: plane.row(known), count: plane.width)
      }
    }
  }
}
