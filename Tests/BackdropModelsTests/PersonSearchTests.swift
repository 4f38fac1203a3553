import BackdropCodecs
import BackdropDepth
import BackdropImaging
import BackdropMatting
import Foundation
import TestSupport
import Testing

@testable import BackdropModels

@Suite struct PersonSearchTests {
  // MARK: - Squares and areas

  /// Every point of a picture is in a square, and neighbours overlap by at least half, so one square contains all of a person of half its
  /// size.
  @Test(arguments: [(1920, 1280), (1280, 1920), (1000, 1000), (4000, 300), (300, 4000)], [2, 4, 8])
  func squaresOverlapByHalf(_ size: (width: Int, height: Int), round: Int) {
    let side = Double(max(size.width, size.height)) / Double(round)
    let squares = PersonSearch.squares(of: round, width: size.width, height: size.height)
    #expect(squares.allSatisfy { $0.side == side })
    func check(_ starts: [Double], _ length: Double) {
      let sorted = Set(starts).sorted()
      #expect(sorted[0] <= 1e-9 && sorted[sorted.count - 1] + side >= length - 1e-9)
      for (one, next) in zip(sorted, sorted.dropFirst()) { #expect(next - one <= side / 2 + 1e-9) }
    }
    check(squares.map(\.x), Double(size.width))
    check(squares.map(\.y), Double(size.height))
  }

  @Test func squaresHaveEnoughPixels() {
    #expect(PersonSearch.squares(of: 2, width: 1, height: 4000).count == 3)
    #expect(PersonSearch.squares(of: 8, width: 800, height: 600).isEmpty)
    #expect(PersonSearch.squares(of: 2, width: 1, height: 1).isEmpty)
  }

  /// A search area has a margin around the body, and ends at the picture's edge.
  @Test func areasHaveAMargin() {
    let picture = Image(.bgra8, width: 1000, height: 800)
    let bodies = [Rect(x: 480, y: 300, width: 40, height: 100), Rect(x: 0, y: 700, width: 50, height: 100)]
    #expect(
      PersonSearch.areas(round: bodies, in: picture) == [
        IntegerRect(x: 430, y: 250, width: 140, height: 200), IntegerRect(x: 0, y: 650, width: 100, height: 150),
      ])
  }

  /// A face beyond the picture's edge gets no search area.
  @Test func areasAreInThePicture() {
    let picture = Image(.bgra8, width: 1000, height: 800)
    #expect(PersonSearch.areas(round: [Rect(x: -300, y: 10, width: 30, height: 40)], in: picture).isEmpty)
  }

  /// People next to each other share an area as long as all of them are large in it.
  @Test func groupsShareAreas() {
    let picture = Image(.bgra8, width: 1000, height: 800)
    func row(_ count: Int) -> [Rect] {
      (0..<count).map { Rect(x: 100 + 40 * Double($0), y: 300, width: 40, height: 100) }
    }
    #expect(PersonSearch.areas(round: row(2), in: picture).count == 1)
    let areas = PersonSearch.areas(round: row(12), in: picture)
    #expect(areas.count > 1 && areas.count < 12)
    for body in row(12) {
      #expect(
        areas.contains { area in
          Double(area.x) <= body.x && Double(area.x + area.width) >= body.x + body.width
            && Double(max(area.width, area.height)) <= 250
        })
    }
    // The number of areas for a crowd is limited.
    let crowd = (0..<100).map { Rect(x: Double($0 % 10) * 100, y: Double($0 / 10) * 80, width: 8, height: 8) }
    #expect(PersonSearch.areas(round: crowd, in: picture).count == 8)
  }

  @Test func boundsOfBodies() throws {
    var likelihood = [Float](repeating: 0, count: 64)
    for row in 2..<6 { for column in 3..<5 { likelihood[8 * row + column] = 1 } }
    let pose = DetectedPose(
      head: Rect(x: 40, y: 20, width: 20, height: 20), score: 1, hips: SIMD2(50, 50), crown: SIMD2(50, 10))
    let square = try #require(TurnedSquare(pose))
    let outline = BodyOutline(presence: 1, square: square, likelihood: likelihood, side: 8)
    let bounds = try #require(outline.bounds(width: 1000, height: 1000))
    let (first, last) = (square.point(3.5 / 8, 2.5 / 8), square.point(4.5 / 8, 5.5 / 8))
    #expect(abs(bounds.x - first.x) < 1e-9 && abs(bounds.y - first.y) < 1e-9)
    #expect(abs(bounds.x + bounds.width - last.x) < 1e-9 && abs(bounds.y + bounds.height - last.y) < 1e-9)
    // An outline beyond the picture has no bounds.
    #expect(outline.bounds(width: 10, height: 10) == nil)
  }

  // MARK: - Networks

  /// A person in front of a motorcycle, in 1920×1280. The person covers `part` of the picture's height; a portrait ends at the lower edge.
  private struct SmallPerson {
    private let background: Image, front: Image
    private let shape: Matte
    private let top: Int

    init(_ name: String, _ part: Double) throws {
      background = try Picture.load(TestData.path("skimage/data/motorcycle_left.png"), as: .bgra8)
        .scaled(toWidth: 1920, height: 1280)
      let person = try Picture.load(TestData.path(name), as: .bgra8)
      let height = Int(part * 1280)
      let width = height * person.width / person.height
      front = try person.scaled(toWidth: width, height: height, filter: .area)
      shape = try PersonSearchTests.matte(of: name, person).scaled(toWidth: width, height: height)
      top = (TestData.people.contains(name) ? 1280 : 1150) - height
    }

    /// The picture with the person at `x`, and the person's matte.
    func picture(at x: Int = 700) -> (image: Image, matte: Matte) {
      var image = background
      var matte = Matte(constant: 0, width: 1920, height: 1280)
      for row in 0..<front.height {
        let (colors, opacities) = (front.row(row), shape.q15.row(row))
        var target = image.mutableRow(top + row)
        var opacity = matte.q15.mutableRow(top + row)
        for column in 0..<front.width {
          let share = Int(opacities[column])
          opacity[x + column] = UInt16(share)
          for channel in 0..<3 {
            let at = 4 * (x + column) + channel
            target[at] = UInt8((Int(target[at]) * (32768 - share) + Int(colors[4 * column + channel]) * share) / 32768)
          }
        }
      }
      return (image, matte)
    }
  }

  /// The mask of the development data, or the matte that the networks make of a portrait.
  private static func matte(of name: String, _ image: Image) throws -> Matte {
    guard TestData.people.contains(name) else {
      let mask = try Picture.load(TestData.path(name.dropLast(4) + "_mask.png"), as: .gray8)
      let shares = mask.packedBytes.map { UInt16(Int($0) * 32768 / 255) }
      return Matte(q15: Plane(shares, width: mask.width, height: mask.height))
    }
    var options = PersonMatteMaker.Options()
    options.quality = .best
    var matte = Matte(constant: 0, width: 1, height: 1)
    try PersonMatteMaker.load(options, workers: WorkerPool(threads: 1)).update(&matte, from: image, at: 0)
    return matte
  }

  /// A man from head to foot, and a portrait.
  private static let people = TestData.present(["matting/humanseg/112.jpg", TestData.people[1]])

  /// The error of a matte, relative to the person's area.
  private func error(_ matte: Matte, _ truth: Matte) throws -> Double {
    let whole = matte.scaled(toWidth: truth.width, height: truth.height)
    return try MatteMetrics(of: whole.opacities, against: truth.opacities).mad / truth.coverage
  }

  @Test(
    .enabled(if: TestData.hasPhotos, "needs make setup-test"),
    .enabled(if: NetworkTests.hasDefaultModels, NetworkTests.needsRuntime), arguments: people, [0.08, 0.15, 0.25])
  func findsWhoIsSmall(name: String, part: Double) throws {
    for quality in [PersonMatteMaker.Quality.live, .best] { try findsWhoIsSmall(name, part, quality) }
  }

  private func findsWhoIsSmall(_ name: String, _ part: Double, _ quality: PersonMatteMaker.Quality) throws {
    let (image, truth) = try SmallPerson(name, part).picture()
    let cache = ModelCache()
    var options = PersonMatteMaker.Options()
    options.quality = quality
    let maker = try PersonMatteMaker.load(options, workers: WorkerPool(threads: 1), networks: cache)
    let judge = try PersonPresenceJudge(networks: cache)
    let found = try #require(
      try PersonSearch(networks: cache).matte(of: image, besides: nil, by: maker, judge))
    #expect(found.width == image.width && found.height == image.height)
    // A different person, or nobody, would result in at least 1.
    #expect(try error(found, truth) < 0.5)
    // The search leaves out people whom the matte already shows.
    #expect(try PersonSearch(networks: cache).matte(of: image, besides: truth, by: maker, judge) == nil)
  }

  @Test(
    .enabled(if: TestData.hasPhotos, "needs make setup-test"),
    .enabled(if: NetworkTests.hasDefaultModels, NetworkTests.needsRuntime), arguments: PersonPresenceJudgeTests.things)
  func findsNobodyInThings(name: String) throws {
    let image = try Picture.load(TestData.path(name), as: .bgra8)
    let cache = ModelCache()
    var options = PersonMatteMaker.Options()
    options.quality = .best
    let maker = try PersonMatteMaker.load(options, workers: WorkerPool(threads: 1), networks: cache)
    let judge = try PersonPresenceJudge(networks: cache)
    #expect(try PersonSearch(networks: cache).matte(of: image, besides: nil, by: maker, judge) == nil)
  }

  /// A stream searches one square in each picture, so it finds a person after at most two seconds, and then follows the person.
  @Test(
    .enabled(if: TestData.hasPhotos, "needs make setup-test"),
    .enabled(if: NetworkTests.hasDefaultModels, NetworkTests.needsRuntime), arguments: people)
  func streamsFindWhoIsSmall(name: String) throws {
    var options = PersonMatteMaker.Options()
    options.quality = .live
    let maker = try PersonMatteMaker.load(options, workers: WorkerPool(threads: 1))
    var matte = Matte(constant: 0, width: 1, height: 1)
    let person = try SmallPerson(name, TestData.people.contains(name) ? 0.06 : 0.2)
    for index in 0..<60 {
      // The person moves, because a still picture starts no search.
      let (image, truth) = person.picture(at: 500 + 6 * index)
      try maker.update(&matte, from: image, at: Double(index) / 30)
      if index == 0 { #expect(try error(matte, truth) > 0.9) }
      if index == 59 { #expect(try error(matte, truth) < 0.3) }
    }
  }

  @Test func emptyPicturesShowNobody() throws {
    let search = PersonSearch()
    for (width, height) in [(1, 4000), (4000, 1), (33, 7), (640, 480)] {
      #expect(try search.findPerson(in: Image(.i420, width: width, height: height)) == nil)
    }
  }
}
