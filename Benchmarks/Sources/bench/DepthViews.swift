import ArgumentParser
import BackdropClouds
import BackdropDepth
import BackdropImaging
import Foundation

extension Workload {
  /// Draws 640×480 depth in colours and converts it to points: a_jet and b_pointcloud in `w4_depth_tools.py`. One thread; compare the
  /// minimum of many rounds.
  static let views = Workload(
    name: "w4-views",
    variants: ["spectrum", "turbo", "points", "points-color", "points-color-edges", "points-color-edges-normals"],
    sizes: [Size(width: 640, height: 480)]
  ) { inputs, variant, size, _ in
    // The peers' camera uses coordinates relative to pixel centres.
    let camera = Intrinsics(fx: 600, fy: 600, cx: 320, cy: 240, width: 640, height: 480)
    let depth = DepthMap(
      metres: Plane(try inputs.floats("depth_640x480.f32"), width: 640, height: 480), intrinsics: camera)
    if variant == "spectrum" || variant == "turbo" {
      let colors = DepthColors(variant == "turbo" ? .turbo : .spectrum, range: 0.3...3)
      var output = Image(.rgba8, width: 640, height: 480)
      return Job(byteCount: 640 * 480 * 4, run: { colors.draw(depth, into: &output) }, output: { output.packedBytes })
    }
    let packed = try inputs.bytes("rgb_640x480.bgr")
    var picture = Image(.rgba8, width: 640, height: 480, color: .jpeg)
    for y in 0..<480 {
      var row = picture.mutableRow(y)
      for x in 0..<640 {
        for channel in 0..<3 { row[4 * x + channel] = packed[3 * (y * 640 + x) + 2 - channel] }
        row[4 * x + 3] = 255
      }
    }
    var options = PointCloud.Options()
    options.removesFlyingPixels = variant.contains("edges")
    options.estimatesNormals = variant.contains("normals")
    let image = variant == "points" ? nil : picture
    var cloud = try PointCloud(depth, picture: image, options: options)
    return Job(
      byteCount: cloud.count * (image == nil ? 12 : 16),
      run: {
        do {
          cloud = try PointCloud(depth, picture: image, options: options)
        } catch {
          preconditionFailure("\(error)")
        }
      },
      output: { cloud.ply() })
  }
}
