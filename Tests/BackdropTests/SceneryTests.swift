import Backdrop
import BackdropImaging
import TestSupport
import Testing

@Suite("Scenery")
struct SceneryTests {
  @Test("A scene is an opaque sRGB picture for the largest screens", arguments: Scenery.allCases)
  func form(_ scenery: Scenery) throws {
    let image = try scenery.image()
    #expect(image.format == .rgba8 && image.width == 3840 && image.height == 2160)
    #expect(image.color.space == .sRGB && image.alpha == .opaque && image.orientation == .up)
  }

  /// The limit is a hundred times the variance of noise with a standard deviation of 1.3 levels.
  @Test("A scene is more than a flat field, and scenes differ", arguments: Scenery.allCases)
  func varied(_ scenery: Scenery) throws {
    let bytes = try Self.samples(scenery)
    let mean = bytes.reduce(0, +) / Double(bytes.count)
    let variance = bytes.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(bytes.count)
    #expect(variance > 100 * 1.3 * 1.3)
    for other in Scenery.allCases where other != scenery {
      let differences = zip(bytes, try Self.samples(other)).map { abs($0 - $1) }
      #expect(differences.reduce(0, +) / Double(differences.count) > 10, "\(scenery) and \(other)")
    }
  }

  /// Compression leaves no edges between blocks: neighbours differ there by hardly more than elsewhere. Half of a level is less than the
  /// smallest step that a screen of 8 bits can show.
  @Test("No blocks can be seen", arguments: Scenery.allCases)
  func blocks(_ scenery: Scenery) throws {
    let image = try scenery.image()
    var (edges, others) = ([Int](), [Int]())
    for y in stride(from: 0, to: image.height, by: 9) {
      let row = image.row(y)
      for x in 1..<image.width {
        let step = abs(Int(row[x * 4 + 1]) - Int(row[x * 4 - 3]))
        if x.isMultiple(of: 64) { edges.append(step) } else { others.append(step) }
      }
    }
    func mean(_ steps: [Int]) -> Double { Double(steps.reduce(0, +)) / Double(steps.count) }
    #expect(mean(edges) < mean(others) + 0.5, "\(mean(edges)) and \(mean(others))")
  }

  /// Red, green and blue of each pixel of a small copy.
  private static func samples(_ scenery: Scenery) throws -> [Double] {
    let bytes = try scenery.image().filling(width: 160, height: 90).packedBytes
    return bytes.indices.compactMap { $0 % 4 == 3 ? nil : Double(bytes[$0]) }
  }
}
