import BackdropImaging
import CBackdropKernels

/// A picture that differs from another in some places, kept as squares of it where it does.
final class ViewTiles {
  /// One for each square of the other picture, `nil` where both are the same; see `bd_views_layer`.
  let pointers: UnsafeMutablePointer<UnsafePointer<UInt8>?>
  private let columns: Int, count: Int
  private let width: Int, height: Int, step: Int
  private var owned: [UnsafeMutablePointer<UInt8>] = []

  static let side = Int(BD_VIEWS_TILE)

  init(width: Int, height: Int, step: Int) {
    (self.width, self.height, self.step) = (width, height, step)
    columns = (width - 1) / Self.side + 1
    count = columns * ((height - 1) / Self.side + 1)
    pointers = .allocate(capacity: count)
    pointers.initialize(repeating: nil, count: count)
  }

  deinit {
    for tile in owned { tile.deallocate() }
    pointers.deallocate()
  }

  /// Keeps the squares of one row of them, where `mask` is not 0.
  ///
  /// - Parameters:
  ///   - row: which row of squares.
  ///   - image: the picture from the first row of pixels of them on, with one more row where there is one.
  ///   - mask: of the size of `image`.
  func keep(row: Int, of image: Image, where mask: Plane<UInt16>) {
    let rows = min(Self.side + 1, height - row * Self.side)
    let bytesPerRow = image.layout(0).bytesPerRow
    image.withUnsafeBytes { bytes in
      for column in 0..<columns {
        let x = column * Self.side
        let pixels = min(Self.side + 1, width - x)
        guard isAnywhere(mask, x..<x + pixels, rows) else { continue }
        let tile = UnsafeMutablePointer<UInt8>.allocate(capacity: (Self.side + 1) * (Self.side + 1) * step)
        for y in 0..<rows {
          UnsafeMutableRawPointer(tile + y * (Self.side + 1) * step)
            .copyMemory(from: bytes + y * bytesPerRow + x * step, byteCount: pixels * step)
        }
        owned.append(tile)
        pointers[row * columns + column] = UnsafePointer(tile)
      }
    }
  }

  private func isAnywhere(_ mask: Plane<UInt16>, _ columns: Range<Int>, _ rows: Int) -> Bool {
    for y in 0..<rows {
      let row = mask.row(y)
      for x in columns where row[x] > 0 { return true }
    }
    return false
  }
}
