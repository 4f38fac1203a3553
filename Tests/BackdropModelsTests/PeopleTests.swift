import BackdropDepth
import BackdropImaging
import TestSupport
import Testing

@testable import BackdropModels

/// Drawn pictures of people, with the truth about each person: discs on bars, each in one colour.
struct Crowd {
  struct Figure {
    var x: Double, y: Double, head: Double
    var color: (UInt8, UInt8, UInt8)

    func covers(_ u: Double, _ v: Double) -> Bool {
      let (a, b) = ((u - x) / (0.8 * head), (v - y) / head)
      if a * a + b * b < 1 { return true }
      return b > 0.9 && b < 6 && abs(a) < 1.6
    }

    var evidence: PersonEvidence {
      let box = Rect(x: x - head / 2, y: y - head / 2, width: head, height: head)
      return PersonEvidence(face: box, head: box, outline: nil, score: 0.9)
    }
  }

  let width: Int, height: Int
  var image: Image, matte: Matte
  /// The number of the figure that each pixel shows, −1 for none; later ones are in front of others.
  var owner: [Int]

  init(_ figures: [Figure], width: Int, height: Int, seed: UInt64 = 1) {
    (self.width, self.height) = (width, height)
    var image = Image(.rgb8, width: width, height: height)
    var matte = Matte(constant: 0, width: width, height: height)
    var owner = [Int](repeating: -1, count: width * height)
    var random = SeededRandom(seed: seed)
    for y in 0..<height {
      var row = image.mutableRow(y)
      for x in 0..<width {
        let who = figures.lastIndex { $0.covers(Double(x) + 0.5, Double(y) + 0.5) } ?? -1
        owner[y * width + x] = who
        let color = who < 0 ? (90, 100, 95) : figures[who].color
        let noise = Int.random(in: -4...4, using: &random)
        row[3 * x] = UInt8(clamping: Int(color.0) + noise)
        row[3 * x + 1] = UInt8(clamping: Int(color.1) + noise)
        row[3 * x + 2] = UInt8(clamping: Int(color.2) + noise)
        if who >= 0 { matte.q15[x, y] = Matte.one }
      }
    }
    (self.image, self.matte, self.owner) = (image, matte, owner)
  }

  func grid() throws -> (PeopleGrid, GuidePicture) {
    let guide = try GuidePicture(image, width: width, height: height)
    return (PeopleGrid(matte, guide, depth: nil), guide)
  }

  /// The share of pixels that are wrong in a figure's matte.
  func error(_ cut: Matte, of who: Int) -> Double {
    var sum = 0.0
    for (y, x) in product(0..<height, 0..<width) { sum += abs(cut[x, y] - (owner[y * width + x] == who ? 1 : 0)) }
    return sum / Double(width * height)
  }
}

@Suite struct PeopleTests {
  // MARK: - Words

  @Test(arguments: [
    ("320,200", "320,200"), ("50%,30.5%", "50%,30.5%"), (" 1,2  3,4 ", "1,2 3,4"), ("-5,3", "-5,3"),
  ])
  func readsPoints(_ text: String, _ written: String) throws {
    #expect(try PicturePoints(parsing: text).description == written)
  }

  @Test(arguments: ["", " ", "5", "5,", "5,6,7", "a,b", "nan,1", "inf,2", "5%,6", "5,6%", "%,%", "1e999,2"])
  func refusesPoints(_ text: String) {
    let error = refusal { try PicturePoints(parsing: text) }
    #expect(error?.kind == .wrongArgument && error?.hint != nil)
  }

  @Test func refusesMorePointsThanPeople() {
    let text = [String](repeating: "1,2", count: 101).joined(separator: " ")
    #expect(throws: BackdropError.self) { try PicturePoints(parsing: text) }
  }

  @Test(arguments: ["0", "-3", "many", "31", "1.5", "", "ALL"]) func refusesNumbers(_ text: String) {
    let error = refusal { try PeopleChoice.Count(parsing: text) }
    #expect(error?.kind == .wrongArgument && error?.hint != nil)
  }

  @Test func readsNumbers() throws {
    #expect(try PeopleChoice.Count(parsing: "all") == .all)
    #expect(try PeopleChoice.Count(parsing: "main") == .number(1))
    #expect(try PeopleChoice.Count(parsing: "3") == .number(3))
    for count in [PeopleChoice.Count.all, .main, .number(30)] {
      #expect(try PeopleChoice.Count(parsing: count.description) == count)
    }
  }

  @Test(arguments: [
    ("0,0", true), ("639,359", true), ("640,10", false), ("10,360", false), ("-1,10", false), ("100%,100%", true),
    ("101%,10%", false),
  ])
  func knowsWhatIsInThePicture(_ text: String, _ isInside: Bool) throws {
    var choice = PeopleChoice()
    choice.keep = try PicturePoints(parsing: text)
    do throws(BackdropError) {
      try choice.check(width: 640, height: 360)
      #expect(isInside)
    } catch {
      #expect(!isInside && error.kind == .wrongArgument && error.message.contains("is outside the picture (640×360)"))
    }
  }

  // MARK: - One picture

  private static let pair = [
    Crowd.Figure(x: 150, y: 90, head: 50, color: (170, 60, 50)),
    Crowd.Figure(x: 245, y: 110, head: 50, color: (50, 80, 170)),
  ]

  /// Two people, one in front of the other, are separated along the edge between them, to the pixel.
  @Test(arguments: [1, 2, 5]) func partsTwoWhoTouch(_ scale: Int) throws {
    let s = Double(scale)
    let figures = Self.pair.map { Crowd.Figure(x: $0.x * s, y: $0.y * s, head: $0.head * s, color: $0.color) }
    let crowd = Crowd(figures, width: 400 * scale, height: 300 * scale)
    let (grid, guide) = try crowd.grid()
    let owner = PeopleTracker(nil).follow(
      figures.map { laid($0.evidence, grid, crowd) }, grid, (crowd.width, crowd.height), 0)
    let edges = PeopleEdges(grid: grid, guide: guide)
    for who in 0..<2 {
      var cut = Matte(constant: 0, width: 1, height: 1)
      let all = grid.nearest(owner).owner
      edges.cut(crowd.matte, keep: all.map { $0 == Int32(who + 1) ? 1 : 0 }, into: &cut)
      // The border is 250 of 120,000 pixels long.
      #expect(crowd.error(cut, of: who) < 0.002 / s, "figure \(who)")
    }
  }

  private func laid(_ evidence: PersonEvidence, _ grid: PeopleGrid, _ crowd: Crowd) -> PersonEvidence {
    var evidence = evidence
    evidence.lay(on: grid, width: crowd.width, height: crowd.height)
    return evidence
  }

  /// For every choice the kept and the omitted parts add up to the matte.
  @Test func nothingIsLostOrDoubled() throws {
    let crowd = Crowd(Self.pair, width: 400, height: 300)
    let (grid, guide) = try crowd.grid()
    var random = SeededRandom(seed: 7)
    // A matte of any opacities, with borders anywhere.
    var matte = crowd.matte
    for y in 0..<300 { for x in 0..<400 { matte.q15[x, y] = UInt16.random(in: 0...32768, using: &random) } }
    let keep = (0..<grid.count).map { (index: Int) -> UInt8 in
      let (x, y) = (index % grid.width / 9, index / grid.width / 7)
      return (x + y).isMultiple(of: 2) ? 0 : 1
    }
    let edges = PeopleEdges(grid: grid, guide: guide)
    var (kept, left) = (Matte(constant: 0, width: 1, height: 1), Matte(constant: 0, width: 1, height: 1))
    edges.cut(matte, keep: keep, into: &kept)
    edges.cut(matte, keep: keep.map { 1 - $0 }, into: &left)
    for (y, x) in product(0..<300, 0..<400) {
      let sum = Int(kept.q15[x, y]) + Int(left.q15[x, y])
      #expect(abs(sum - Int(matte.q15[x, y])) <= 1, "at \(x), \(y)")
    }
  }

  /// An isolated piece goes to the nearest person; one as large as a person and far away is a separate person.
  @Test func adoptsPiecesAndTellsStrangers() throws {
    let newcomer = Crowd.Figure(x: 520, y: 120, head: 40, color: (60, 150, 60))
    let speck = Crowd.Figure(x: 232, y: 60, head: 3, color: (170, 60, 50))
    let crowd = Crowd([Self.pair[0], newcomer, speck], width: 640, height: 320)
    let (grid, guide) = try crowd.grid()
    let tracker = PeopleTracker(nil)
    let owner = tracker.follow([laid(Self.pair[0].evidence, grid, crowd)], grid, (640, 320), 0)
    func id(_ figure: Crowd.Figure) -> Int32 {
      owner[Int(figure.y) / grid.step * grid.width + Int(figure.x) / grid.step]
    }
    #expect(id(Self.pair[0]) == 1 && id(speck) == 1 && id(newcomer) == 2)
    _ = guide
  }

  @Test(arguments: [(1, 4000), (4000, 1), (1, 1), (3, 2), (17, 4000)])
  func endsOnOddShapes(_ width: Int, _ height: Int) throws {
    let image = Image(.rgb8, width: width, height: height)
    for matte in [
      Matte(constant: 1, width: width, height: height), Matte(constant: 0, width: width, height: height),
      Matte(constant: 0.6, width: 1, height: 1), Matte(constant: 1, width: 64, height: 48),
    ] {
      let found = try PeopleTracker(nil).update(image, matte: matte, depth: nil, faces: nil, time: 0)
      #expect(found.people.count <= 1)
      let cut = found.matte(of: found.people.map(\.id))
      #expect(cut.width == matte.width && cut.height == matte.height)
      #expect(found.people.isEmpty || abs(cut.coverage - matte.coverage) < 1e-4)
    }
  }

  /// The tracker distinguishes at most thirty people, in a limited time.
  @Test func aCrowdIsBounded() throws {
    var figures: [Crowd.Figure] = []
    for index in 0..<48 {
      let color = (UInt8(40 + index * 4), UInt8(200 - index * 3), UInt8(index * 83 % 255))
      let (x, y) = (Double(index % 12 * 100 + 50), Double(index / 12 * 170 + 40))
      figures.append(Crowd.Figure(x: x, y: y, head: 22, color: color))
    }
    let crowd = Crowd(figures, width: 1200, height: 720)
    let (grid, _) = try crowd.grid()
    let seconds = processorSeconds {
      let owner = PeopleTracker(nil).follow(
        figures.prefix(30).map { laid($0.evidence, grid, crowd) }, grid, (1200, 720), 0)
      #expect(Set(owner).count <= 31)
    }
    #expect(seconds < 20)
  }

  /// A face on a shirt is not a person.
  @Test func headsAreOneOrAnother() {
    let head = Rect(x: 100, y: 100, width: 40, height: 40)
    #expect(PeopleDetection.areOne(head, Rect(x: 108, y: 95, width: 50, height: 50)))
    #expect(!PeopleDetection.areOne(head, Rect(x: 150, y: 100, width: 40, height: 40)))
    #expect(!PeopleDetection.areOne(head, Rect(x: 115, y: 115, width: 10, height: 10)))
  }

  // MARK: - Over time

  /// Two people who walk past each other keep their numbers, although the rear one is hidden meanwhile.
  @Test func numbersOutlastACrossing() throws {
    let tracker = PeopleTracker(nil)
    var first: (Int32, Int32)?
    for index in 0...60 {
      let part = Double(index) / 60
      let figures = [
        Crowd.Figure(x: 120 + 400 * part, y: 100, head: 46, color: (50, 80, 170)),
        Crowd.Figure(x: 520 - 400 * part, y: 112, head: 50, color: (170, 60, 50)),
      ]
      let crowd = Crowd(figures, width: 640, height: 360, seed: UInt64(index))
      let (grid, _) = try crowd.grid()
      let isHidden = abs(figures[0].x - figures[1].x) < 60
      let seen = (isHidden ? [figures[1]] : figures).map { laid($0.evidence, grid, crowd) }
      let owner = tracker.follow(seen, grid, (640, 360), Double(index) / 30)
      func id(_ figure: Crowd.Figure) -> Int32 {
        owner[Int(figure.y + 80) / grid.step * grid.width + Int(figure.x) / grid.step]
      }
      if first == nil { first = (id(figures[0]), id(figures[1])) }
      #expect(id(figures[1]) == first?.1, "picture \(index)")
      if !isHidden { #expect(id(figures[0]) == first?.0 || abs(figures[0].x - figures[1].x) < 130, "picture \(index)") }
    }
    #expect(first?.0 != first?.1)
  }

  private func choose(
    _ chooser: PeopleChooser, _ figures: [Crowd.Figure], at time: Double
  ) throws(BackdropError) -> (crowd: Crowd, matte: Matte) {
    let crowd = Crowd(figures, width: 640, height: 360)
    var matte = Matte(constant: 0, width: 1, height: 1)
    try chooser.choose(crowd.image, matte: crowd.matte, time: time, into: &matte)
    return (crowd, matte)
  }

  private let left = Crowd.Figure(x: 130, y: 100, head: 45, color: (170, 60, 50))
  private let right = Crowd.Figure(x: 500, y: 100, head: 45, color: (50, 80, 170))

  /// If the kept person leaves, the chooser shows nobody: no other person takes their place.
  @Test func theKeptAreNeverSomebodyElse() throws {
    var choice = PeopleChoice()
    choice.keep = try PicturePoints(parsing: "130,200")
    let chooser = PeopleChooser(choice, PeopleTracker(nil))
    let (crowd, matte) = try choose(chooser, [left, right], at: 0)
    #expect(crowd.error(matte, of: 0) < 0.001)
    for index in 1...90 {
      do throws(BackdropError) {
        // After a tenth of a second only the right person is there, who later walks to the left person's position.
        var other = right
        if index > 45 { other.x = max(130, 500 - Double(index - 45) * 12) }
        let (crowd, matte) = try choose(chooser, index <= 3 ? [left, right] : [other], at: Double(index) / 30)
        #expect(index <= 3 + 18)
        if index > 3 {
          #expect(matte.coverage == 0, "picture \(index)")
        } else {
          #expect(crowd.error(matte, of: 0) < 0.001)
        }
      } catch {
        #expect(index > 3 && error.kind == .badData && error.message.contains("out of sight"), "picture \(index)")
      }
    }
  }

  /// While an omitted person is out of sight, the chooser treats everyone who enters as that person.
  @Test func theDroppedDoNotComeBack() throws {
    var choice = PeopleChoice()
    choice.drop = try PicturePoints(parsing: "500,200")
    let chooser = PeopleChooser(choice, PeopleTracker(nil))
    for index in 0...120 {
      var other = right
      other.y = 60
      let figures = index < 20 ? [left, right] : index < 80 ? [left] : [left, other]
      let (crowd, matte) = try choose(chooser, figures, at: Double(index) / 30)
      #expect(crowd.error(matte, of: 0) < 0.001, "picture \(index)")
    }
  }

  @Test func saysWherePeopleAre() throws {
    var choice = PeopleChoice()
    choice.keep = try PicturePoints(parsing: "320,20")
    let chooser = PeopleChooser(choice, PeopleTracker(nil))
    let error = try #require(refusal { try choose(chooser, [left, right], at: 0) })
    #expect(error.kind == .wrongArgument && error.message == "Backdrop found nobody at the point 320,20")
    #expect(error.hint?.text.contains("it found people at") ?? false, "\(error.hint?.text ?? "")")
    choice.keep = try PicturePoints(parsing: "130,200 500,200")
    choice.drop = try PicturePoints(parsing: "500,250")
    chooser.choice = choice
    let same = try #require(refusal { try choose(chooser, [left, right], at: 1) })
    #expect(same.kind == .wrongArgument && same.message.contains("the same person"))
  }

  /// An empty picture shows nothing with a choice by number, and is an error with a choice by point.
  @Test func waitsForPeople() throws {
    var choice = PeopleChoice()
    choice.count = .main
    let chooser = PeopleChooser(choice, PeopleTracker(nil))
    #expect(try choose(chooser, [], at: 0).matte.coverage == 0)
    #expect(try choose(chooser, [left, right], at: 0.1).matte.coverage > 0.05)
    choice.count = nil
    choice.keep = try PicturePoints(parsing: "1,1")
    let other = PeopleChooser(choice, PeopleTracker(nil))
    #expect(throws: BackdropError.self) { try choose(other, [], at: 0) }
  }
}
