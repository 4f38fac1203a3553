import BackdropImaging
import Foundation
import TestSupport
import Testing

@testable import BackdropVideo

/// Videos whose frames change their shape.
@Suite struct FrameFittingTests {
  let folder = TemporaryFolder()

  /// Half a second of white frames, as a transport stream.
  func part(_ name: String, _ size: String, _ filter: String = "null") throws -> Data {
    try MediaTool.make(
      "-f lavfi -i color=white:s=\(size):r=10:d=0.5 -vf \(filter) -c:v libx264 -pix_fmt yuv420p", folder.file(name))
    return try Data(contentsOf: URL(fileURLWithPath: folder.file(name)))
  }

  /// The white part of a 128×96 picture must have the frame's shape; its position and size are closed forms.
  @Test(arguments: [
    ("256x192", "null", 0, 0, 128, 96), ("96x96", "null", 16, 0, 96, 96), ("192x96", "null", 0, 16, 128, 64),
    ("64x96", "setsar=2", 0, 0, 128, 96), ("128x96", "setsar=1/2", 32, 0, 64, 96),
  ])
  func shapesStay(size: String, filter: String, x: Int, y: Int, width: Int, height: Int) throws {
    let joined = try part("a.ts", "128x96") + part("b.ts", size, filter)
    try joined.write(to: URL(fileURLWithPath: folder.file("joined.ts")))
    let reader = try VideoReader(path: folder.file("joined.ts"))
    var images: [Image] = []
    while let frame = try reader.next() { images.append(frame.image) }
    #expect(images.count == 10)
    let isSame = size == "128x96" && filter == "null"
    #expect(reader.fittedFrameCount == (isSame ? 0 : 5))
    #expect(images.allSatisfy { $0.width == 128 && $0.height == 96 && $0.format == .i420 })
    let last = try #require(images.last)
    func luma(_ x: Int, _ y: Int) -> Int { Int(last.row(y)[x]) }
    // Scaling blurs by a pixel or two.
    for (column, row) in [(x + 2, y + 2), (x + width - 3, y + height - 3), (64, 48)] {
      #expect(luma(column, row) > 225, "\(column), \(row)")
    }
    for (column, row) in [(x - 3, 48), (x + width + 2, 48), (64, y - 3), (64, y + height + 2)]
    where (0..<128).contains(column) && (0..<96).contains(row) {
      #expect(luma(column, row) == 16, "\(column), \(row)")
    }
    #expect(images.prefix(5).allSatisfy { $0.row(0)[0] > 225 && $0.row(95)[127] > 225 })
  }
}
