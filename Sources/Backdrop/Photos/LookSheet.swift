/// All looks of a photo on one page, with their names.
package struct LookSheet {
  struct Tile {
    var name: String
    var image: Image
  }

  /// Looks that failed, with the reason.
  package private(set) var warnings: [String] = []
  private let page: Image
  /// The longer side of each picture.
  private static let tileSide = 560

  /// Draws every look, with the subject in focus. It calls `isInterrupted` before each.
  package init(
    _ source: PhotoSource, options: AnalyzerOptions, background: BackgroundChoice?, drawing: Renderer.Options,
    threads: Int?, isInterrupted: () -> Bool
  ) throws(BackdropError) {
    let workers = WorkerPool(threads: threads)
    // Find the subject in the full-size picture, then draw small.
    let photo = try PhotoScene(source.scene(), options: options, workers: workers, networks: ModelCache())
    let preview = try LookPreview(
      photo, side: Self.tileSide, background: background ?? .scenery(Scenery.allCases[0]), drawing: drawing,
      workers: workers)
    var tiles = [Tile(name: "original", image: preview.image)]
    for look in Look.builtIn {
      if isInterrupted() { throw BackdropError(.interrupted, "interrupted") }
      do throws(BackdropError) {
        tiles.append(Tile(name: look.id, image: try preview.draw(look, [:])))
      } catch {
        warnings.append("the page lacks \(look.id): \(error.description)")
      }
    }
    guard tiles.count > 1 else {
      throw (photo.fault ?? BackdropError(.badData, "Backdrop could draw none of the looks")).at(source.name)
    }
    page = try Self.page(tiles, columns: photo.scene.image.width > photo.scene.image.height ? 5 : 7)
  }

  package func write(to target: OutputTarget, options: StreamOutput.Options) throws(BackdropError) {
    _ = try Self.write(page, to: target, options)
  }

  /// Writes a page; returns the output, which is complete.
  static func write(
    _ page: Image, to target: OutputTarget, _ options: StreamOutput.Options
  ) throws(BackdropError) -> StreamOutput {
    var stream = StreamOutput.Stream(width: page.width, height: page.height, frameRate: Rational(1, 1))
    (stream.color, stream.format) = (page.color, page.format)
    let output = try StreamOutput(target, for: stream, options: options)
    try output.write(page, time: 0, duration: 1)
    try output.commit()
    return output
  }

  /// Pictures in rows, each as large as the first, with their names below them.
  static func page(_ tiles: [Tile], columns: Int) throws(BackdropError) -> Image {
    guard let first = tiles.first?.image else { throw BackdropError(.badData, "you chose nothing to show") }
    let (gap, caption) = (12, 34)
    let (width, height) = (first.width, first.height)
    let columns = max(1, min(columns, tiles.count))
    let rows = (tiles.count + columns - 1) / columns
    let (pageWidth, pageHeight) = (columns * (width + gap) + gap, rows * (height + caption) + gap)
    try ImageLimits.standard.check(width: pageWidth, height: pageHeight)
    var page = Image(.rgb8, width: pageWidth, height: pageHeight, color: .jpeg)
    page.fill(.white)
    for (index, tile) in tiles.enumerated() {
      let (x, y) = (gap + index % columns * (width + gap), gap + index / columns * (height + caption))
      var image = tile.image
      if (image.width, image.height) != (width, height) {
        image = try image.fitting(width: width, height: height, bars: .white)
      }
      page.paste(image.converted(to: .rgb8, color: .jpeg), x: x, y: y)
      BitmapFont.draw(tile.name, at: (x, y + height + 8), scale: 2, into: &page)
    }
    return page
  }
}
