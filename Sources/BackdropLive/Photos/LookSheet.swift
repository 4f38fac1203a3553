import BackdropCodecs
import BackdropImaging
import BackdropLooks
import BackdropPhotos

/// All looks of a photo on one page, each with its name.
public struct LookSheet {
  /// A picture and what is written below it.
  struct Tile {
    var name: String
    var image: Image
  }

  /// What could not be drawn, and why.
  public private(set) var warnings: [String] = []
  private let page: Image

  /// Draws every look that photos can have, with what the picture is about in focus.
  ///
  /// - Parameters:
  ///   - tileSide: the longer side of each picture.
  ///   - background: what is behind, for looks that have something behind.
  ///   - isInterrupted: asked before each look.
  /// - Throws: what reading the photo throws, and `interrupted`.
  public init(
    _ photo: DepthPhoto, options: LookScene.Options = LookScene.Options(), tileSide: Int = 560,
    background: String? = nil, threads: Int? = nil, isInterrupted: () -> Bool = { false }
  ) throws(BackdropError) {
    let workers = WorkerPool(threads: threads)
    let scene = try LookScene(photo, options: options, workers: workers)
    // Found in the whole picture, then drawn small.
    let focus = try scene.subjectFocus()
    let drawing = LookDrawing(
      scene: try scene.reduced(to: tileSide), workers: workers,
      background: background ?? "scene:\(Scenery.allCases[0].rawValue)")
    var tiles = [Tile(name: "original", image: drawing.scene.image)]
    for look in Look.builtIn where look.id == Look.backdrop.id || look.matteSource != .depth {
      if isInterrupted() { throw BackdropError(.interrupted, "interrupted") }
      do throws(BackdropError) {
        var wishes: [String: Double] = [:]
        if let name = look.focusParameter { wishes[name] = focus }
        tiles.append(Tile(name: look.id, image: try drawing.draw(look, look.settings(wishes))))
      } catch {
        warnings.append("\(look.id) is not on the page: \(error.description)")
      }
    }
    page = try Self.page(tiles, columns: scene.image.width > scene.image.height ? 4 : 6)
  }

  /// Writes the page as a picture.
  public func save(to file: OutputFile) throws(BackdropError) { try Picture.save(page, to: file) }

  /// Pictures in rows, each as large as the first, with their names below them.
  static func page(_ tiles: [Tile], columns: Int) throws(BackdropError) -> Image {
    guard let first = tiles.first?.image else { throw BackdropError(.badData, "there is nothing to show") }
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
      let image =
        tile.image.width == width && tile.image.height == height
        ? tile.image : try tile.image.fitting(width: width, height: height, bars: .white)
      page.draw(image.converted(to: .rgb8, color: .jpeg), x: x, y: y)
      Lettering.draw(tile.name, x: x, y: y + height + 8, scale: 2, into: &page)
    }
    return page
  }
}

extension Image {
  /// Copies another `rgb8` image into this one, which must have room for it.
  fileprivate mutating func draw(_ image: Image, x: Int, y: Int) {
    for row in 0..<image.height {
      let from = image.row(row)
      var to = mutableRow(y + row)
      for i in from.indices { to[3 * x + i] = from[i] }
    }
  }
}

extension LookScene {
  /// Nearness of what the picture is about: the median where the subject is.
  func subjectFocus() throws(BackdropError) -> Double { try nearness().median(under: subject()) }
}
