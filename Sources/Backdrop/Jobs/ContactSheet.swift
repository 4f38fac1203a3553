import BackdropCodecs
import BackdropDepth
import BackdropImaging

/// A picture that shows how results came about: in each row a frame, its depth in colour, the matte and the result.
public struct ContactSheet {
  private let tileWidth: Int
  private var rows: [[Image]] = []
  private static let gap = 8

  /// An empty sheet.
  ///
  /// - Parameter tileWidth: width of each of the four pictures in a row.
  public init(tileWidth: Int = 480) { self.tileWidth = tileWidth }

  /// Adds a row; a frame without depth has a black picture in its place.
  ///
  /// - Throws: `overLimit` for frames so wide that a tile would have no rows.
  public mutating func add(_ frame: Scene, matte: Matte, result: Image) throws(BackdropError) {
    let tileHeight = max(1, tileWidth * frame.image.height / frame.image.width)
    var tiles: [Image] = []
    for tile in [frame.image, frame.depth?.colorized(near: 0.4, far: 3), matte.image, result] {
      guard let tile else {
        tiles.append(Image(.rgba8, width: tileWidth, height: tileHeight, color: .jpeg))
        continue
      }
      tiles.append(try tile.converted(to: .rgba8, color: .jpeg).scaled(toWidth: tileWidth, height: tileHeight))
    }
    rows.append(tiles)
  }

  /// Writes the sheet as a picture.
  ///
  /// - Throws: `wrongArgument` if it is empty; what writing throws.
  public func save(to file: OutputFile) throws(BackdropError) {
    guard !rows.isEmpty else { throw BackdropError(.wrongArgument, "a contact sheet without a frame", path: file.path) }
    let gap = Self.gap
    let height = rows.reduce(gap) { $0 + $1[0].height + gap }
    var sheet = Image(.rgba8, width: 4 * tileWidth + 5 * gap, height: height, color: .jpeg)
    sheet.fill(.white)
    var y = gap
    for tiles in rows {
      for (column, tile) in tiles.enumerated() { sheet.draw(tile, x: gap + column * (tileWidth + gap), y: y) }
      y += tiles[0].height + gap
    }
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
