import BackdropImaging
import BackdropMatting

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

extension Compositor {
  /// Takes pictures apart for other viewpoints, and knows which one it took apart last.
  final class Viewer {
    let synthesizer: ViewSynthesizer
    private var image: PixelStorage?, nearness: PixelStorage?

    init(workers: WorkerPool, cpu: CPULevel) { synthesizer = ViewSynthesizer(workers: workers, cpu: cpu) }

    func prepare(_ image: Image, _ nearness: Plane<Float>) throws(BackdropError) {
      guard self.image !== image.storage || self.nearness !== nearness.storage else { return }
      try synthesizer.prepare(image, nearness: nearness)
      (self.image, self.nearness) = (image.storage, nearness.storage)
    }
  }

  /// A picture from another viewpoint, or from two in one.
  func seen(
    _ view: Look.View, _ picture: Picture, _ isBottom: Bool, _ scene: Scene, into output: inout Image
  ) throws(BackdropError) -> Picture {
    guard let nearness = scene.nearness else { return picture }
    let source: Image
    var mayUseOutput = isBottom
    switch picture {
    case .row: return picture
    case .frame: source = scene.frame
    case .output: (source, mayUseOutput) = (output, false)
    case .image(let image): source = image
    }
    try viewer.prepare(source, nearness)
    let viewer = viewer.synthesizer
    switch view {
    case .orbit(let shift, let phase, let zero):
      let angle = 2 * Double.pi * settings[phase]
      let (x, y) = (settings[shift] * cos(angle), settings[shift] * sin(angle) / 2)
      let plane = settings[zero]
      return try make(mayUseOutput, scene, into: &output) { (target) throws(BackdropError) in
        try viewer.render(x: Self.possible(x), y: Self.possible(y), zeroPlane: plane, into: &target)
      }
    case .anaglyph(let shift, let zero), .sideBySide(let shift, let zero):
      let (x, plane) = (Self.possible(settings[shift] / 2), settings[zero])
      var left = Image(format, width: width, height: height, color: color)
      try viewer.render(x: x, y: 0, zeroPlane: plane, into: &left)
      return try make(mayUseOutput, scene, into: &output) { (target) throws(BackdropError) in
        try viewer.render(x: -x, y: 0, zeroPlane: plane, into: &target)
        target.takeRed(from: left)
      }
    }
  }

  /// The two views of the only layer, the left eye's at the left.
  func drawSideBySide(_ scene: Scene, into output: inout Image) throws(BackdropError) {
    guard case .sideBySide(let shift, let zero) = layers.first?.view, let nearness = scene.nearness else { return }
    if output.width != 2 * width || output.height != height || output.format != format {
      output = Image(format, width: 2 * width, height: height, color: color)
    }
    output.color = scene.frame.color
    output.alpha = scene.frame.alpha
    output.orientation = .up
    try viewer.prepare(scene.frame, nearness)
    for (index, sign) in [1.0, -1].enumerated() {
      var view = takeSpare(like: scene.frame)
      try viewer.synthesizer.render(
        x: sign * Self.possible(settings[shift] / 2), y: 0, zeroPlane: settings[zero], into: &view)
      output.copy(view, toColumn: index * width)
      spare = view
    }
  }

  private static func possible(_ move: Double) -> Double {
    min(max(move, ViewSynthesizer.moves.lowerBound), ViewSynthesizer.moves.upperBound)
  }
}

extension Image {
  /// Takes over red from an image of the same interleaved format and size.
  fileprivate mutating func takeRed(from other: Image) {
    let step = format == .rgb8 ? 3 : 4
    let red = format == .bgra8 ? 2 : 0
    let (stride, width, height) = (layouts[0].bytesPerRow, width, height)
    other.withUnsafeBytes(plane: 0) { source in
      withUnsafeMutableBytes(plane: 0) { target in
        for y in 0..<height {
          let from = (source + y * stride).assumingMemoryBound(to: UInt8.self)
          let to = (target + y * stride).assumingMemoryBound(to: UInt8.self)
          for x in 0..<width { to[step * x + red] = from[step * x + red] }
        }
      }
    }
  }

  /// Copies a narrower image of the same interleaved format and height.
  fileprivate mutating func copy(_ other: Image, toColumn column: Int) {
    let step = format == .rgb8 ? 3 : 4
    let (from, to) = (other.layouts[0], layouts[0])
    other.withUnsafeBytes(plane: 0) { source in
      withUnsafeMutableBytes(plane: 0) { target in
        for y in 0..<from.rows {
          (target + y * to.bytesPerRow + column * step)
            .copyMemory(from: source + y * from.bytesPerRow, byteCount: from.rowBytes)
        }
      }
    }
  }
}
