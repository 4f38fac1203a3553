import BackdropDepth
import BackdropImaging
import CBackdropKernels
import Libc

/// The differences of a picture from another one, kept as squares.
final class ViewTiles {
  /// A pointer for each square of the other picture, `nil` if both are equal; see `bd_views_layer`.
  let pointers: ZeroedMemory<UnsafePointer<UInt8>?>
  private let columns: Int
  private let width: Int, height: Int, step: Int
  private var owned: [ZeroedMemory<UInt8>] = []

  static let side = Int(BD_VIEWS_TILE)

  init(width: Int, height: Int, step: Int) {
    (self.width, self.height, self.step) = (width, height, step)
    columns = (width - 1) / Self.side + 1
    pointers = ZeroedMemory(count: columns * ((height - 1) / Self.side + 1))
  }

  /// Keeps the squares of one row of squares that visibly differ from the other picture, of which `other` has the same rows. `image` is the
  /// picture from their first pixel row on, with one more row if there is one. `cover` has any size, over the whole picture: squares with 0
  /// are never visible; `nil` if all are.
  func keep(row: Int, of image: Image, unlike other: Image, seenThrough cover: Matte?) {
    let rows = min(Self.side + 1, height - row * Self.side)
    let bytesPerRow = image.layout(0).bytesPerRow
    image.withUnsafeBytes { bytes in
      other.withUnsafeBytes { same in
        for column in 0..<columns {
          let x = column * Self.side
          let pixels = min(Self.side + 1, width - x)
          if let cover, !isSeen(cover, column: column, row: row) { continue }
          guard
            (0..<rows).contains(where: { y in
              memcmp(bytes + y * bytesPerRow + x * step, same + y * bytesPerRow + x * step, pixels * step) != 0
            })
          else { continue }
          let tile = ZeroedMemory<UInt8>(count: (Self.side + 1) * (Self.side + 1) * step)
          for y in 0..<rows {
            UnsafeMutableRawPointer(tile.base + y * (Self.side + 1) * step)
              .copyMemory(from: bytes + y * bytesPerRow + x * step, byteCount: pixels * step)
          }
          owned.append(tile)
          pointers[row * columns + column] = UnsafePointer(tile.base)
        }
      }
    }
  }

  /// Whether a matte is above 0 in a square or within a few samples of it.
  private func isSeen(_ matte: Matte, column: Int, row: Int) -> Bool {
    func range(_ index: Int, _ size: Int, _ samples: Int) -> Range<Int> {
      max(0, index * Self.side * samples / size - 2)..<min(samples, (index + 1) * Self.side * samples / size + 3)
    }
    let columns = range(column, width, matte.width)
    for y in range(row, height, matte.height) {
      let samples = matte.q15.row(y)
      for x in columns where samples[x] > 0 { return true }
    }
    return false
  }
}
