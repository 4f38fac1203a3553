import BackdropCodecs
import BackdropDepth
import BackdropImaging
import BackdropLooks
import BackdropMatting

/// A picture that shows how a result came about: for each frame, side by side, the frame, its depth in colour, the matte
/// and the result.
public struct ContactSheet {
  private let sheet: Image

  /// Draws the sheet for some frames of the simulated camera.
  ///
  /// - Parameter tileWidth: width of each of the four pictures in a row.
  public init(
    _ address: String, frames: [Int], background: String, look: Look = .backdrop, tileWidth: Int = 480
  ) throws(BackdropError) {
    let camera = try SimulatedCamera(address: address)
    let gap = 8
    let tileHeight = max(1, tileWidth * camera.height / camera.width)
    var sheet = Image(
      .rgba8, width: 4 * tileWidth + 5 * gap, height: frames.count * tileHeight + (frames.count + 1) * gap, color: .jpeg
    )
    sheet.fill(.white)
    let workers = WorkerPool()
    let maker = DepthMatteMaker(look.recipe(try look.settings()), workers: workers)
    let compositor = try Compositor(
      look, width: camera.width, height: camera.height, format: .bgra8, workers: workers)
    let choice = try JobBackground(background, width: camera.width, height: camera.height)
    try compositor.setBackground(choice.initial)
    for (row, index) in frames.enumerated() {
      let frame = camera.frame(index).frame
      let matte = try maker.makeMatte(of: frame)
      var result = Image(.bgra8, width: 1, height: 1)
      try compositor.render(frame.image, matte: matte, into: &result)
      // The simulated camera always has depth.
      let depth = frame.depth!.colorized(near: 0.4, far: 3)
      for (column, tile) in [frame.image, depth, matte.image, result].enumerated() {
        let small = try tile.converted(to: .rgba8, color: .jpeg).scaled(toWidth: tileWidth, height: tileHeight)
        sheet.draw(small, x: gap + column * (tileWidth + gap), y: gap + row * (tileHeight + gap))
      }
    }
    self.sheet = sheet
  }

  /// Writes the sheet as a picture.
  public func save(to file: OutputFile) throws(BackdropError) {
    try Picture.save(sheet, to: file)
  }
}

extension Image {
  /// Copies another `rgba8` image into this one, which must have room for it.
  fileprivate mutating func draw(_ image: Image, x: Int, y: Int) {
    for row in 0..<image.height {
      let from = image.row(row)
      var to = mutableRow(y + row)
      for i in from.indices { to[4 * x + i] = from[i] }
    }
  }
}
