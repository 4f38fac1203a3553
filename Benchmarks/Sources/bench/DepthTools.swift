import ArgumentParser
import BackdropDepth
import BackdropImaging

/// The state of a job between rounds.
private final class State {
  var output: DepthMap
  var round = 0

  init(_ output: DepthMap) { self.output = output }
}

extension Workload {
  /// Processes 640×480 depth maps: librealsense's chain, the filtered stream, filling guided by a 1280×720 picture, and alignment to a
  /// 1280×720 camera. One thread each.
  static let w4 = Workload(
    name: "w4", variants: ["librealsense", "spatial", "temporal", "fill", "decimate", "guided", "filtered", "align"],
    sizes: [Size(width: 640, height: 480)]
  ) { inputs, variant, size, _ in
    let bytes = try (["depth"] + (0..<4).map { "depth_seq\($0)" }).map { try inputs.bytes("\($0)_\(size).u16") }
    let camera = Intrinsics(fx: 600, fy: 600, cx: 320, cy: 240, width: size.width, height: size.height)
    let maps = bytes.map { bytes in
      let metres = stride(from: 0, to: bytes.count, by: 2).map {
        Float(UInt16(bytes[$0]) | UInt16(bytes[$0 + 1]) << 8) / 1000
      }
      return DepthMap(
        metres: Plane(metres, width: size.width, height: size.height), intrinsics: camera,
        isRegistered: variant != "align")
    }
    let packed = try inputs.bytes("fg_1280x720.bgra")
    let picture = try Image(.bgra8, width: 1280, height: 720, packed: packed.span)
    let state = State(maps[0])
    let step = try step(variant, camera, picture, state)
    return Job(
      byteCount: size.width * size.height * 4,
      run: {
        state.round = (state.round + 1) % maps.count
        step(maps[state.round])
      },
      output: { state.output.metres.samples.withUnsafeBytes { Array($0) } })
  }

  private static func step(
    _ variant: String, _ camera: Intrinsics, _ picture: Image, _ state: State
  ) throws -> (DepthMap) -> Void {
    if variant == "align" {
      let color = Intrinsics(fx: 920, fy: 920, cx: 640, cy: 360, width: 1280, height: 720)
      let aligner = try DepthAligner(
        depth: CameraModel(camera), color: CameraModel(color),
        extrinsics: Extrinsics(rotation: [1, 0, 0, 0, 1, 0, 0, 0, 1], translation: [0.015, 0, 0]))
      return { aligner.align($0, into: &state.output) }
    }
    let filter = DepthFilter(try DepthFilterChain(parsing: variant))
    return { filter.apply($0, guide: picture, into: &state.output) }
  }
}
