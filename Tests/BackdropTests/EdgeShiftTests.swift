import Backdrop
import BackdropDepth
import BackdropLooks
import TestSupport
import Testing

@Suite struct EdgeShiftTests {
  /// Pixels of the frame by which the edge is moved move the person's outermost points by so many.
  @Test(arguments: [-6.0, -3, 3, 6]) func movesTheEdge(_ shift: Double) throws {
    let stage = LookStage()
    let (still, moved) = try (
      Extent(try stage.draw(.backdrop).matte),
      Extent(try stage.draw(.backdrop, drawing: { $0.edgeShift = shift }).matte)
    )
    let pixels = Double(stage.width) / Double(still.width)
    let (up, right) = (Double(still.top - moved.top) * pixels, Double(moved.right - still.right) * pixels)
    // The head's top is broad, and so is a shoulder: a disc moves both by its radius. Inwards what is narrow goes altogether.
    let tolerance = shift > 0 ? pixels : 3 * pixels
    #expect(abs(up - shift) <= tolerance && abs(right - shift) <= tolerance, "\(up) \(right)")
  }

  @Test func nothingMovesByNothing() throws {
    let stage = LookStage()
    let matte = try stage.draw(.backdrop).matte
    #expect(try stage.draw(.backdrop, drawing: { $0.edgeShift = 0 }).matte.q15 == matte.q15)
  }

  /// The outermost samples that are more person than not.
  private struct Extent {
    let width: Int
    var top = Int.max, right = 0

    init(_ matte: Matte) throws {
      width = matte.width
      for y in 0..<matte.height {
        for x in 0..<matte.width where matte[x, y] > 0.5 { (top, right) = (min(top, y), max(right, x)) }
      }
      try #require(top > 8 && right < matte.width - 8, "the person touches the frame's edge")
    }
  }
}
