/// Makes point clouds or meshes from depth, and writes them to files or draws them from a moving camera.
package struct CloudJob {
  package struct Plan: Sendable {
    /// The file of the cloud, or numbered files for all frames of a stream (`out/%05d.ply`); `nil` for none.
    package var output: String?
    /// The file of a picture or video of the clouds; `nil` for none.
    package var render: String?
    package var mesh = false
    /// The pixels that become points.
    package var points = PointCloud.Options()
    /// The minimum confidence of a pixel that becomes a point, 0…1; 0 takes all. The input must have been opened with confidence.
    package var minimumConfidence = 0.0
    /// The viewpoint; `nil` for a camera that sways about the sensor's view.
    package var view: CloudView?
    /// The size of the picture or video; `nil` for that of the input's pictures, at most 960 pixels.
    package var size: (width: Int, height: Int)?
    /// The length of one orbit of the camera, in seconds.
    package var seconds = 6.0
    /// JPEG quality of a mesh's texture.
    package var textureQuality = 90
    package var options = StreamOutput.Options()
    /// The limit of memory. Clouds take up to 100 bytes per point and meshes 180, in addition to the input's memory.
    package var limits = ImageLimits.standard

    /// A plan for an input; at least one of ``output`` and ``render`` must be set.
    package init() {}
  }

  package struct Summary: Sendable, Encodable {
    package var outputs: [String] = []
    /// The number of clouds made, and of frames left out for lack of depth.
    package var clouds = 0, leftOut = 0
    /// The points (of a mesh: vertices) and triangles of the last one.
    package var points = 0, triangles = 0
    /// The box round the last one: minimum and maximum x, y, z in metres.
    package var least: [Float] = [], greatest: [Float] = []
    package var pictures = 0
    package var warnings: [Warning] = []
  }

  private let input: DepthInput
  private let plan: Plan
  private let kind: PointCloud.FileKind?

  /// The allowed lengths of an orbit.
  private static let roundSeconds = 0.1...120.0

  /// Checks the plan, without reading or writing anything.
  package init(_ input: DepthInput, _ plan: Plan) throws(BackdropError) {
    (self.input, self.plan) = (input, plan)
    guard plan.output != nil || plan.render != nil else {
      throw BackdropError(.wrongArgument, "you named no output", hint: "name a point cloud, or a picture of it")
    }
    guard plan.minimumConfidence >= 0 && plan.minimumConfidence <= 1 else {
      throw BackdropError(
        .wrongArgument, "a confidence of \(plan.minimumConfidence) is out of range: 0…1", hint: "0.5 is a good start")
    }
    guard Self.roundSeconds.contains(plan.seconds) else {
      throw BackdropError(
        .wrongArgument, "\(plan.seconds) seconds are out of range: 0.1…120", hint: "6 is a good start")
    }
    guard let output = plan.output else {
      kind = nil
      return
    }
    let fileExtension = FileName(output).fileExtension
    guard let kind = PointCloud.FileKind(rawValue: fileExtension) else {
      throw BackdropError(
        .wrongArgument, "Backdrop does not write point clouds to this kind of file", path: output,
        hint: "end the name in .ply, .pcd, .xyz or .glb")
    }
    guard !plan.mesh || kind == .glb else {
      throw BackdropError(
        .wrongArgument, "Backdrop writes a mesh as .glb only", path: output, hint: "end the name in .glb")
    }
    self.kind = kind
  }

  /// Makes all clouds and writes the outputs.
  package func run(
    progress: (Int) -> Void = { _ in }, isInterrupted: () -> Bool = { false }
  ) throws(BackdropError) -> Summary {
    var summary = Summary()
    let files = try plan.output.map { output throws(BackdropError) in
      let isSeries = PictureSequence.isPattern(output)
      return try StagedFiles(
        isSeries ? .numbered(try PictureSequence(pattern: output)) : .one(output), overwrite: plan.options.overwrite)
    }
    var film: CloudFilm?
    var failure: BackdropError?
    while files?.isFull == false || (plan.render != nil && film?.isFull != true) {
      if isInterrupted() { throw BackdropError(.interrupted, "interrupted") }
      guard var view = try input.next() else { break }
      if plan.minimumConfidence > 0 { view.depth = view.depth.confident(atLeast: plan.minimumConfidence) }
      let count = view.depth.width * view.depth.height
      do throws(BackdropError) {
        try plan.limits.check(
          memory: ImageLimits.memoryNeeded(forPixels: 0) + (plan.mesh ? 180 : 100) * count,
          for: "a \(plan.mesh ? "mesh" : "cloud") of \(view.depth.width)×\(view.depth.height) points")
      } catch {
        throw error.at(input.name)
      }
      let model: CloudModel
      do throws(BackdropError) {
        model = try CloudModel(view, plan)
      } catch {
        // Any other error would recur for every frame.
        guard error.kind == .badData else { throw error.at(input.name) }
        failure = failure ?? view.fault ?? error
        summary.leftOut += 1
        continue
      }
      summary.note(model, isRegistered: view.depth.isRegistered)
      if let files, let kind, !files.isFull { try files.add(try model.file(kind, quality: plan.textureQuality)) }
      if let path = plan.render {
        if film == nil { film = try CloudFilm(path, input, plan, model) }
        if let film, !film.isFull {
          try film.add(model, at: view, isInterrupted)
          summary.pictures = film.count
        }
      }
      progress(summary.clouds)
    }
    guard summary.clouds > 0 else { throw failure?.at(input.name) ?? .noFrame(in: input.name) }
    summary.warnings += input.warnings
    if !input.isAbsolute { summary.warnings.append("this depth is relative, so shapes and sizes are not true") }
    if summary.leftOut > 0 { summary.warnings.append("\(summary.leftOut) frames without depth were left out") }
    if let files, files.isFull && !input.isStill {
      summary.warnings.append(
        "Backdrop wrote only the first frame's point cloud; for all frames, name the output out/%05d.\(kind?.rawValue ?? "ply")"
      )
    }
    try film?.complete()
    try files?.commit()
    try film?.commit()
    summary.outputs = [plan.output, plan.render].compactMap { $0 }
    return summary
  }
}

extension CloudJob.Summary {
  fileprivate mutating func note(_ model: CloudModel, isRegistered: Bool) {
    clouds += 1
    points = model.cloud.count
    triangles = (model.mesh?.triangles.count ?? 0) / 3
    let bounds = model.cloud.bounds
    least = (0..<3).map { bounds.low[$0] }
    greatest = (0..<3).map { bounds.high[$0] }
    if clouds == 1 && !isRegistered {
      warnings.append("the depth is not aligned to the picture, so the point cloud has no colours")
    }
  }
}

/// A cloud or a mesh of one frame.
struct CloudModel {
  let cloud: PointCloud
  let mesh: DepthMesh?
  let texture: Image?

  init(_ view: DepthInput.View, _ plan: CloudJob.Plan) throws(BackdropError) {
    guard plan.mesh else {
      cloud = try PointCloud(view.depth, picture: view.image, options: plan.points)
      (mesh, texture) = (nil, nil)
      return
    }
    let mesh = try DepthMesh(view.depth, options: plan.points)
    (self.mesh, cloud) = (mesh, mesh.cloud)
    texture = view.depth.isRegistered ? view.image : nil
  }

  func texture(for view: DepthInput.View) -> Image { texture ?? view.depth.colorized() }

  func file(_ kind: PointCloud.FileKind, quality: Int) throws(BackdropError) -> [UInt8] {
    guard let mesh else { return cloud.file(kind) }
    let picture = try texture.map { image throws(BackdropError) in
      // Many readers refuse larger textures.
      let fitting = try image.reduced(toSide: 8192)
      // Readers assume sRGB and ignore profiles (glTF 2.0, section 3.9.2).
      return try JPEG.encode(fitting.converted(to: .sRGB), quality: quality)
    }
    return try mesh.glb(texture: picture)
  }
}
