/// A picture that shows the steps to each result. Each row has a frame, its depth in colour if any frame has depth, the matte and the
/// result.
package struct ContactSheet {
  private var rows: [[Image]] = []
  private var hasDepth = false
  /// The width of each picture in a row, and the space round it.
  private let tileWidth = 480, gap = 8

  package init() {}

  /// Adds a row. If other frames have depth, a frame without depth gets a black picture instead.
  ///
  /// - Throws: `overLimit` for frames so wide that a tile would have no rows.
  package mutating func add(_ frame: Scene, matte: Matte, result: Image) throws(BackdropError) {
    if frame.depth != nil { hasDepth = true }
    let tileHeight = max(1, tileWidth * frame.image.height / frame.image.width)
    let images = [frame.image, frame.depth?.colorized(near: 0.4, far: 3), matte.image, result]
    rows.append(
      try images.map { image throws(BackdropError) in
        guard let image else { return Image(.rgba8, width: tileWidth, height: tileHeight, color: .jpeg) }
        return try image.converted(to: .rgba8, color: .jpeg).scaled(toWidth: tileWidth, height: tileHeight)
      })
  }

  /// Writes the sheet as a picture.
  package func save(to file: OutputFile) throws(BackdropError) {
    guard !rows.isEmpty else {
      throw BackdropError(.wrongArgument, "a contact sheet needs at least one frame", path: file.path)
    }
    let height = rows.reduce(gap) { $0 + $1[0].height + gap }
    let columns = hasDepth ? [0, 1, 2, 3] : [0, 2, 3]
    var sheet = Image(.rgba8, width: columns.count * (tileWidth + gap) + gap, height: height, color: .jpeg)
    sheet.fill(.white)
    var y = gap
    for tiles in rows {
      for (index, column) in columns.enumerated() {
        sheet.paste(tiles[column], x: gap + index * (tileWidth + gap), y: y)
      }
      y += tiles[0].height + gap
    }
    try Picture.save(sheet, to: file)
  }
}
