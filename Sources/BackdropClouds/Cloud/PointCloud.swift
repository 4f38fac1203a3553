import BackdropDepth
import BackdropImaging

/// The points in space of a depth map's pixels, with optional colours and normals.
///
/// Coordinates are the camera's, in metres: x right, y down, z forward. A pixel in column u and row v, whose centre is at
/// u + ½ and v + ½ (as in ``/BackdropDepth/Intrinsics``), is at x = (u + ½ − cx) · z / fx, y = (v + ½ − cy) · z / fy. Points are
/// in the order of the pixels; holes are left out.
///
///     let cloud = try PointCloud(frame.depth, picture: frame.image)
///     try OutputFile("room.ply", overwrite: false).write(cloud.ply().span)
package struct PointCloud: Sendable {
  package struct Options: Sendable {
    /// Whether to drop flying pixels, which sensors report between two surfaces at the edges of objects.
    package var removesFlyingPixels = true
    package var estimatesNormals = false
    /// Neighbours are separate surfaces if their depths differ by more than this fraction of the distance z…
    package var jump = 0.02
    /// …and more than this times z², in metres: three times the noise of a difference.
    package var noise = 0.006

    package init() {}
  }

  package internal(set) var count = 0
  /// The camera, for a picture of its reference size.
  package internal(set) var camera: Intrinsics
  package internal(set) var hasColors = false, hasNormals = false
  /// Rows x, y, z, and the normals' rows if present; only the first ``count`` columns are valid.
  var numbers = Plane<Float>(uninitializedWidth: 0, height: 0)
  /// R, G, B, A in memory.
  var colors = Plane<UInt32>(uninitializedWidth: 0, height: 0)
  /// The map's pixel of each point, if requested.
  var pixels: Plane<UInt32>?

  /// The maximum number of pixels in a map; a point takes up to 28 bytes.
  package static let maximumPixels = 64_000_000

  /// The points of a map.
  ///
  /// - Parameter picture: the source of colours; it has the map's view, at any size. It is ignored if the map is not registered.
  /// - Throws: `wrongArgument` if the map has no intrinsics or impossible ones, `badData` if all pixels are holes, `overLimit` beyond
  ///   ``maximumPixels``.
  package init(_ map: DepthMap, picture: Image? = nil, options: Options = Options()) throws(BackdropError) {
    try self.init(map, picture: picture, options: options, keepsPixels: false)
  }

  init(
    _ map: DepthMap, picture: Image?, options: Options, keepsPixels: Bool, level: CPULevel = .current
  ) throws(BackdropError) {
    camera = try Self.camera(of: map)
    try fill(map, picture, options, keepsPixels: keepsPixels, level)
    guard count > 0 else {
      throw map.isEmpty
        ? BackdropError(
          .badData, "the depth (\(map.width)×\(map.height)) has no values, only holes", hint: "check the input")
        : BackdropError(.badData, "all points of the depth lie at edges, so none is left", hint: .keepEdges)
    }
  }

  /// The point at an index, in metres.
  package func position(_ index: Int) -> SIMD3<Float> {
    precondition(index >= 0 && index < count, "no such point")
    return SIMD3(numbers[index, 0], numbers[index, 1], numbers[index, 2])
  }

  /// The point's normal, of length 1 and towards the camera; `nil` without normals.
  package func normal(_ index: Int) -> SIMD3<Float>? {
    precondition(index >= 0 && index < count, "no such point")
    return hasNormals ? SIMD3(numbers[index, 3], numbers[index, 4], numbers[index, 5]) : nil
  }

  /// The point's colour; `nil` without colours.
  package func color(_ index: Int) -> (red: UInt8, green: UInt8, blue: UInt8)? {
    precondition(index >= 0 && index < count, "no such point")
    guard hasColors else { return nil }
    let bits = UInt32(littleEndian: colors[index, 0])
    return (UInt8(bits & 255), UInt8(bits >> 8 & 255), UInt8(bits >> 16 & 255))
  }

  /// The bounding box of all points.
  package var bounds: (low: SIMD3<Float>, high: SIMD3<Float>) {
    var (low, high) = (SIMD3<Float>(repeating: .infinity), SIMD3<Float>(repeating: -.infinity))
    for axis in 0..<3 {
      let row = numbers.row(axis)
      for index in 0..<count {
        low[axis] = min(low[axis], row[index])
        high[axis] = max(high[axis], row[index])
      }
    }
    return (low, high)
  }

  private static func camera(of map: DepthMap) throws(BackdropError) -> Intrinsics {
    guard map.width > 0 && map.height > 0, map.width * map.height <= maximumPixels else {
      throw BackdropError(
        .overLimit,
        "the depth map (\(map.width)×\(map.height)) has too many pixels for a point cloud; the limit is \(maximumPixels)",
        hint: "scale it down first")
    }
    guard let known = map.intrinsics else {
      throw BackdropError(
        .wrongArgument, "the depth has no camera intrinsics, so Backdrop cannot place its points in space",
        hint: .giveIntrinsics)
    }
    guard known.isPossible else {
      throw BackdropError(
        .wrongArgument,
        "these intrinsics fit no camera: fx \(known.fx), fy \(known.fy), cx \(known.cx), cy \(known.cy) at \(known.width)×\(known.height)",
        hint: .correctIntrinsics)
    }
    return known.scaled(toWidth: map.width, height: map.height)
  }
}
