import BackdropDepth
import BackdropImaging
import BackdropModels
import BackdropSimulation
import TestSupport
import Testing

/// A crowd: pairs of simulated people next to and below each other, small as in a team picture, with the exact matte.
@Suite(
  .enabled(
    if: NetworkRuntime.isInstalled && ModelStore().isComplete, "needs the network runtime: backdrop models install"))
struct CrowdTests {
  private static let columns = 5, rows = 3, width = 320, height = 180

  private struct Crowd {
    let image: Image
    let matte: Matte
    let faces: [Rect]
    /// The person's number at each pixel, 0 for none.
    let owner: [Int]
  }

  private static func crowd() throws -> Crowd {
    let (across, down) = (columns * width, rows * height)
    var opacities = Plane<UInt16>(repeating: 0, width: across, height: down)
    var image = Image(.bgra8, width: across, height: down)
    var owner = [Int](repeating: 0, count: across * down)
    var faces: [Rect] = []
    for index in 0..<columns * rows {
      let camera = SimulatedCamera(
        scenario: .twoPeople, seed: UInt64(index + 1), width: width, height: height, seconds: 1)
      let (frame, people) = (camera.frame(0), camera.people(0))
      let (left, top) = (index % columns * width, index / columns * height)
      for y in 0..<height {
        let from = frame.frame.image.row(y)
        var to = image.mutableRow(top + y)
        for x in 0..<4 * width { to[4 * left + x] = from[x] }
        for x in 0..<width {
          opacities[left + x, top + y] = frame.alpha[x, y]
          for (who, person) in people.enumerated() where person.alpha[x, y] > 16384 {
            owner[(top + y) * across + left + x] = faces.count + who + 1
          }
        }
      }
      faces += people.map {
        Rect(x: $0.face.x + Double(left), y: $0.face.y + Double(top), width: $0.face.width, height: $0.face.height)
      }
    }
    return Crowd(image: image, matte: Matte(q15: opacities), faces: faces, owner: owner)
  }

  /// The tracker finds thirty people, invents none, and at least every third is complete and separate.
  @Test func thirtyAreTold() throws {
    let crowd = try Self.crowd()
    let found = try PeopleFinder().find(in: crowd.image, matte: crowd.matte)
    func shows(_ face: Rect, _ person: PersonMask) -> Bool {
      guard let seen = person.face else { return false }
      return abs(seen.center.x - face.center.x) < face.width / 2 && abs(seen.center.y - face.center.y) < face.height / 2
    }
    let told = crowd.faces.indices.filter { index in found.people.contains { shows(crowd.faces[index], $0) } }
    #expect(told.count >= 28, "told \(told.count) of \(crowd.faces.count)")
    let invented = found.people.filter { person in !crowd.faces.contains { shows($0, person) } }
    #expect(invented.isEmpty, "\(invented.map(\.box))")
    var wholeCount = 0
    for index in told {
      let person = try #require(found.people.first { shows(crowd.faces[index], $0) })
      let cut = found.matte(of: [person.id])
      var (own, kept, others) = (0, 0, 0)
      for (y, x) in product(0..<cut.height, 0..<cut.width) {
        let owner = crowd.owner[y * cut.width + x]
        let isKept = cut[x, y] > 0.5
        if owner == index + 1 { own += 1 }
        if isKept && owner == index + 1 { kept += 1 } else if isKept && owner > 0 { others += 1 }
      }
      if Double(kept) > 0.9 * Double(own) && Double(others) < 0.1 * Double(own) { wholeCount += 1 }
    }
    // In pairs that touch at this size, about every second person contains a part of the other: 14 of 30 are complete.
    #expect(3 * wholeCount >= told.count, "\(wholeCount) of \(told.count)")
  }
}
