import BackdropDepth
import BackdropImaging
import Libc

extension Compositor {
  /// A picture from another viewpoint, or from two in one.
  func seen(
    _ view: Look.View, _ picture: Picture, _ isBottom: Bool, _ scene: LookInput, into output: inout Image
  ) throws(BackdropError) -> Picture {
    guard let disparity = scene.disparity, let (source, mayUseOutput) = image(of: picture, isBottom, scene, output)
    else { return picture }
    try prepareViews(of: source, disparity, scene)
    let viewer = viewer
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
      return try make(mayUseOutput, scene, into: &output) { (target) throws(BackdropError) in
        try viewer.render(x: x, y: 0, zeroPlane: plane, into: &target)
        try viewer.aim(x: -x, y: 0, zeroPlane: plane)
        var band = Image(self.format, width: self.width, height: min(Self.bandRows, self.height))
        let bytesPerRow = band.layouts[0].bytesPerRow
        for first in stride(from: 0, to: self.height, by: Self.bandRows) {
          let rows = first..<min(first + Self.bandRows, self.height)
          band.withUnsafeMutableBytes { viewer.render(rows: rows, to: $0, bytesPerRow: bytesPerRow) }
          target.copyAllButRed(from: band, rows: rows)
        }
      }
    }
  }

  /// Prepares a picture for other viewpoints, unless it is the last one. Each frame of a stream is prepared anew.
  private func prepareViews(
    of image: Image, _ disparity: NormalizedDisparity, _ scene: LookInput
  ) throws(BackdropError) {
    viewer.savesMemory = isLarge
    let isViewed = viewed.image === image.storage && viewed.disparity === disparity.values.storage
    guard !isStill || !isViewed else { return }
    guard isStill else {
      viewed = (nil, nil)
      return try viewer.prepareFrame(image, disparity: disparity.values, subject: scene.subject)
    }
    try viewer.prepare(image, disparity: disparity.values)
    viewed = (image.storage, disparity.values.storage)
  }

  /// The number of view rows drawn at a time over another view.
  private static let bandRows = 128

  /// The two views of the only layer, the left eye's at the left.
  func drawSideBySide(_ scene: LookInput, into output: inout Image) throws(BackdropError) {
    guard case .sideBySide(let shift, let zero) = layers.first?.view, let disparity = scene.disparity else { return }
    output.fit(format, width: 2 * width, height: height, color: scene.frame.color, alpha: scene.frame.alpha)
    try prepareViews(of: scene.frame, disparity, scene)
    let viewer = viewer
    let (rows, bytesPerRow) = (0..<height, output.layouts[0].bytesPerRow)
    for (index, sign) in [1.0, -1].enumerated() {
      try viewer.aim(x: sign * Self.possible(settings[shift] / 2), y: 0, zeroPlane: settings[zero])
      let start = index * scene.frame.layouts[0].rowBytes
      output.withUnsafeMutableBytes { viewer.render(rows: rows, to: $0 + start, bytesPerRow: bytesPerRow) }
    }
  }

  private static func possible(_ move: Double) -> Double {
    min(max(move, ViewSynthesizer.moves.lowerBound), ViewSynthesizer.moves.upperBound)
  }
}

extension Image {
  /// Copies all channels but red from the first rows of an image of the same interleaved format and width.
  fileprivate mutating func copyAllButRed(from other: Image, rows: Range<Int>) {
    let step = format == .rgb8 ? 3 : 4
    let (first, second) = format == .bgra8 ? (0, 1) : (1, 2)
    let (stride, width) = (layouts[0].bytesPerRow, width)
    other.withUnsafeBytes(plane: 0) { source in
      withUnsafeMutableBytes(plane: 0) { target in
        for y in rows {
          let from = (source + (y - rows.lowerBound) * stride).assumingMemoryBound(to: UInt8.self)
          let to = (target + y * stride).assumingMemoryBound(to: UInt8.self)
          for x in 0..<width {
            to[step * x + first] = from[step * x + first]
            to[step * x + second] = from[step * x + second]
          }
        }
      }
    }
  }
}
