import ArgumentParser
import Backdrop
import BackdropTerminal

struct PointcloudCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "pointcloud", abstract: "Turn depth into a point cloud or a mesh, and render it from any side.",
    discussion: """
      OUTPUT is .ply, .pcd, .xyz or .glb. For a stream it holds the first frame, or all frames with numbered names \
      (out/%05d.ply). Coordinates are metres from the camera: x right, y down, z forward (.glb: y up, z backward). Backdrop \
      leaves out pixels between two surfaces. --render draws a picture, or a video in which the camera sways from side to side.
      """)

  @OptionGroup var source: DepthInputOptions
  @OptionGroup var camera: CameraOptions
  @Option(name: [.short, .long], help: "Where to write the point cloud: .ply, .pcd, .xyz or .glb.") var output: String?
  @Option(help: "Where to write a picture or video of the cloud.") var render: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "The view for --render: degrees to the right, up and clockwise, and a zoom factor.",
      valueName: "yaw,pitch,roll,zoom"))
  var view: String?

  @Option(
    help: ArgumentHelp("Size of the rendered picture. Default: 960 on the longer side.", valueName: "WIDTHxHEIGHT"))
  var size: String?

  @Option(parsing: .unconditional, help: "Length of the rendered video in seconds.") var seconds = 6.0
  @Flag(help: "Write a mesh, cut at depth edges, with the picture as its texture (.glb).") var mesh = false
  @Flag(help: "Keep pixels between two surfaces.") var keepEdges = false

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Leave out pixels with a lower confidence, 0…1, from the sensor (.r3d) or an estimate.", valueName: "confidence"))
  var minConfidence = 0.0

  @Flag(inversion: .prefixedNo, help: "Estimate a normal for each point.") var normals = true
  @OptionGroup var writing: ParameterFlags<StreamOutput.Options>
  @OptionGroup var report: ReportOptions

  func run() throws {
    guard output != nil || render != nil else {
      throw BackdropError(
        .wrongArgument, "--output is missing",
        hint: "write a point cloud with -o FILE.ply, or a picture with --render FILE.png")
    }
    var plan = CloudJob.Plan()
    (plan.output, plan.render, plan.mesh, plan.seconds) = (output, render, mesh, seconds)
    plan.points.removesFlyingPixels = !keepEdges
    plan.minimumConfidence = minConfidence
    plan.points.estimatesNormals = normals && output != nil
    plan.view = try view.map { text throws(BackdropError) in try CloudView(text) }
    plan.size = try size.map { text throws(BackdropError) in try Self.size(text) }
    plan.options.overwrite = report.force
    plan.limits = try source.limiting.prepare()
    try writing.apply(to: &plan.options)
    let input = try source.open(camera: try camera.camera(), estimatesConfidence: minConfidence > 0)
    let job = try CloudJob(input, plan)
    let summary = try report.withProgress(of: input.isStill ? 1 : input.frameCount, job.run)
    if !report.quiet { Terminal.warn(summary.warnings) }
    var what = summary.clouds == 1 ? "\(summary.points) points" : "\(summary.clouds) clouds"
    if summary.triangles > 0 { what += ", \(summary.triangles) triangles" }
    if summary.pictures > 1 { what += ", \(summary.pictures) pictures" }
    try report.print(summary, toStandardError: render == "-", "\(summary.outputs.joined(separator: ", ")): \(what)")
  }

  private static func size(_ text: String) throws(BackdropError) -> (width: Int, height: Int) {
    let sides = text.split(separator: "x", omittingEmptySubsequences: false).map { Int($0) ?? 0 }
    guard sides.count == 2, sides.allSatisfy({ (16...8192).contains($0) }) else {
      throw BackdropError(.wrongArgument, "'\(text)' is not a size", hint: "write it like 1280x720, each side 16…8192")
    }
    return (sides[0], sides[1])
  }
}
