import Backdrop
import BackdropLooks
import TestSupport
import Testing

@Suite struct EdgeShiftTests {
  /// Each pixel outwards keeps more of the frame, each inwards less; 0 is as it was.
  @Test func movesTheEdge() throws {
    let stage = LookStage()
    let coverages = try [-6, -3, 0, 3, 6].map { shift in
      try stage.draw(.backdrop, drawing: { $0.edgeShift = shift }).matte.coverage
    }
    #expect(zip(coverages, coverages.dropFirst()).allSatisfy { $0 + 0.005 < $1 }, "\(coverages)")
    #expect(try stage.draw(.backdrop).matte.coverage == coverages[2])
  }
}
