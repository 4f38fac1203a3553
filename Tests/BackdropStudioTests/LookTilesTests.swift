import BackdropCodecs
import BackdropImaging
import BackdropLooks
import Testing

@testable import BackdropStudio

@Suite struct LookTilesTests {
  /// The mean difference of red and blue in a tile, from 0 for a grey picture.
  private func color(_ tile: Image) -> Double {
    var sum = 0
    for y in 0..<tile.height {
      let row = tile.row(y)
      for x in 0..<tile.width { sum += abs(Int(row[3 * x]) - Int(row[3 * x + 2])) }
    }
    return Double(sum) / Double(tile.width * tile.height)
  }

  /// Each look has its picture before the camera shows anything, and no other name has one.
  @Test func everyLookOfTheCameraHasATile() async throws {
    let harness = try await StudioHarness.start()
    var tiles: [String: Image] = [:]
    for look in Look.builtIn {
      let reply = try await harness.request("GET", "/api/looks/\(look.id)")
      #expect(reply.status == 200, "\(look.id): \(reply.text)")
      tiles[look.id] = try JPEG.decode(reply.body, as: .rgb8)
    }
    #expect(tiles.values.allSatisfy { max($0.width, $0.height) <= 480 })
    let noir = try #require(tiles["noir"]), backdrop = try #require(tiles["backdrop"])
    // JPEG rounds the colours of a grey picture.
    #expect(color(noir) < 2 && color(backdrop) > 10, "\(color(noir)), \(color(backdrop))")
    for bad in ["constructor", "noir.jpg", "..", "%2Fetc%2Fpasswd", ""] {
      #expect(try await harness.request("GET", "/api/looks/\(bad)").status == 404, "\(bad)")
    }
    try await harness.stop()
  }
}
