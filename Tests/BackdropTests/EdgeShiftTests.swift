import Backdrop
import BackdropDepth
import BackdropLooks
import TestSupport
import Testing

@Suite struct EdgeShiftTests {
  /// To within a sample, areas nearer to the person than the shift become 1 and areas farther away do not. An inward shift does the same
  /// for the background.
  @Test(arguments: [-6.0, -3, 3, 6]) func movesTheEdge(_ shift: Double) throws {
    let stage = LookStage()
    let still = try stage.draw(.backdrop).matte
    let moved = try stage.draw(.backdrop, drawing: { $0.edgeShift = shift }).matte
    try #require(moved.width == still.width && moved.height == still.height)
    let radius = abs(shift) * Double(still.width) / Double(stage.width)
    /// Whether a sample belongs to the growing area.
    func grows(_ matte: Matte, _ x: Int, _ y: Int) -> Bool { (matte[x, y] > 0.5) == (shift > 0) }
    let reach = Int(radius) + 2
    var (nearIsNot, farIs) = (0, 0)
    for (y, x) in product(reach..<(still.height - reach), reach..<(still.width - reach)) {
      var nearest = Double.infinity
      for (v, u) in product(-reach...reach, -reach...reach) where grows(still, x + u, y + v) {
        nearest = min(nearest, Double(u * u + v * v).squareRoot())
      }
      let isIn = grows(moved, x, y)
      if nearest <= radius - 1 && !isIn { nearIsNot += 1 }
      if nearest > radius + 1 && isIn { farIs += 1 }
    }
    #expect(nearIsNot == 0 && farIs == 0, "\(nearIsNot) \(farIs)")
  }

  @Test func nothingMovesByNothing() throws {
    let stage = LookStage()
    let matte = try stage.draw(.backdrop).matte
    #expect(try stage.draw(.backdrop, drawing: { $0.edgeShift = 0 }).matte.q15 == matte.q15)
  }
}
