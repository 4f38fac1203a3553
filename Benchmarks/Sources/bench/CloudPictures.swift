import ArgumentParser
import BackdropClouds
import BackdropDepth
import BackdropImaging

extension Workload {
  /// Draws a cloud, and a mesh with its texture, from 640×480 depth at 960×720, with a moving camera.
  static let clouds = Workload(
    name: "clouds", variants: ["points", "mesh"], sizes: [Size(width: 960, height: 720)]
  ) { inputs, variant, size, threads in
    let camera = Intrinsics(fx: 600, fy: 600, cx: 320, cy: 240, width: 640, height: 480)
    let depth = DepthMap(
      metres: Plane(try inputs.floats("depth_640x480.f32"), width: 640, height: 480), intrinsics: camera)
    let bytes = try inputs.bytes("fg_1280x720.bgra")
    let texture = try Image(.bgra8, width: 1280, height: 720, packed: bytes.span).converted(to: .rgba8, color: .jpeg)
    let cloud = try PointCloud(depth, picture: texture.scaled(toWidth: 640, height: 480))
    let mesh = try DepthMesh(depth)
    var renderer = try CloudRenderer(
      width: size.width, height: size.height, workers: WorkerPool(threads: threads))
    var (round, picture) = (0, Image(.rgba8, width: 1, height: 1))
    return Job(
      byteCount: 4 * size.width * size.height,
      run: {
        round = (round + 1) % 90
        let view = CloudView().onOrbit(Double(round) / 90)
        picture =
          variant == "mesh"
          ? renderer.image(of: mesh, texture: texture, from: view) : renderer.image(of: cloud, from: view)
      },
      output: { picture.packedBytes })
  }
}
