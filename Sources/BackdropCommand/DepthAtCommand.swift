import ArgumentParser
import Backdrop
import BackdropTerminal

struct DepthAtCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "at", abstract: "Print the distance at a pixel, with its expected error.",
    discussion: """
      X,Y are pixels of the upright picture, or of the depth map if it comes alone, counted from the upper left corner. The \
      error is a standard deviation that grows with the square of the distance: 1.4 mm at 1 m, as for a Kinect \
      (Khoshelham and Oude Elberink 2012), or your camera's with --baseline. At a hole it exits with 1.
      """)

  @OptionGroup var source: DepthInputOptions
  @Argument(help: ArgumentHelp("The pixel's position.", valueName: "x,y")) var point: String
  @OptionGroup var frames: FrameOptions
  @OptionGroup var camera: CameraOptions

  @Option(
    parsing: .unconditional,
    help:
      "Distance in metres between the camera's two lenses, or lens and projector, to compute this camera's error (needs the focal length)."
  )
  var baseline: Double?

  @Option(parsing: .unconditional, help: "Standard deviation of the disparity in pixels, for --baseline. Default: 0.1.")
  var subpixel = 0.1

  @Flag(help: "Print JSON.") var json = false

  /// The answer, as `--json` prints it.
  struct Answer: Encodable {
    var x: Int, y: Int
    /// Metres; `nil` for a hole.
    var metres: Double?
    /// The expected standard deviation, in metres.
    var expectedErrorMetres: Double?
    /// For a hole, the nearest value and its position.
    var nearestX: Int?, nearestY: Int?, nearestMetres: Double?
    /// Whether the distances are absolute, not only ordered.
    var isAbsolute: Bool
  }

  func run() throws {
    let numbers = point.split(separator: ",", omittingEmptySubsequences: false).map { Int($0.filter { $0 != " " }) }
    guard numbers.count == 2, let x = numbers[0], let y = numbers[1] else {
      throw BackdropError(.wrongArgument, "'\(point)' is not the position of a pixel", hint: "write it like 320,240")
    }
    let input = try source.open(camera: try camera.camera())
    let view = try frames.view(of: input)
    let map = view.depth
    let (width, height) = (view.image?.width ?? map.width, view.image?.height ?? map.height)
    guard x >= 0 && x < width && y >= 0 && y < height else {
      throw BackdropError(
        .wrongArgument, "the pixel \(x),\(y) is outside the picture (\(width)×\(height))",
        hint: "count pixels from 0,0 at the upper left")
    }
    let position = map.coordinates(ofX: Double(x) + 0.5, y: Double(y) + 0.5, inPictureWidth: width, height: height)
    let (column, row) = (min(map.width - 1, Int(position.x)), min(map.height - 1, Int(position.y)))
    guard let nearest = map.nearestValid(x: column, y: row) else {
      throw BackdropError(.badData, "the depth has no values, only holes", path: input.name, hint: "check the input")
    }
    let isHole = nearest.x != column || nearest.y != row
    var answer = Answer(x: x, y: y, isAbsolute: input.isAbsolute)
    let distance = Double(nearest.metres)
    let error = try model(map).expected(atMetres: distance)
    let step = (input.stepErrorAtOneMetre ?? 0) * distance * distance
    if isHole {
      answer.nearestX = Int((Double(nearest.x) + 0.5) / Double(map.width) * Double(width))
      answer.nearestY = Int((Double(nearest.y) + 0.5) / Double(map.height) * Double(height))
      answer.nearestMetres = distance
    } else {
      answer.metres = distance
      answer.expectedErrorMetres = max(error, step)
    }
    if !input.isAbsolute { Terminal.warn("this depth is relative: it shows which point is nearer, not true metres") }
    Terminal.warn(input.warnings)
    if json {
      try printJSON(answer)
    } else if let found = answer.metres, let expected = answer.expectedErrorMetres {
      // Relative distances have no error in millimetres.
      try Terminal.print(
        answer.isAbsolute
          ? "\(metres(found, within: expected)) ± \(metres(expected))" : "about \(metres(found, within: 0.01))")
    } else {
      try Terminal.print(
        "a hole; the nearest value is \(metres(distance)) at \(answer.nearestX ?? 0),\(answer.nearestY ?? 0)")
    }
    if isHole { throw ExitCode(1) }
  }

  private func model(_ map: DepthMap) throws(BackdropError) -> DepthErrorModel {
    guard let baseline else { return .structuredLight }
    guard let camera = map.intrinsics?.scaled(toWidth: map.width, height: map.height) else {
      throw BackdropError(
        .wrongArgument, "--baseline needs the camera's intrinsics, and this depth has none",
        hint: "give --fov DEGREES (across the picture), or --intrinsics fx,fy,cx,cy")
    }
    return try DepthErrorModel(focalPixels: camera.fx, baselineMetres: baseline, disparityError: subpixel)
  }
}
