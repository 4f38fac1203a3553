import BackdropDepth
import BackdropImaging

/// Keeps the chosen people in the mattes of a stream or picture.
///
/// The chooser looks up points once, in the first picture with people, and then follows those people. It fails closed: while none of the
/// people to keep is visible, it throws an error and never shows another person. While a person to remove is out of sight, a newcomer
/// counts as that person.
///
/// Use one chooser for one stream. It is not safe to call from two threads at once.
package final class PeopleChooser {
  /// The people to keep, from the next picture on; the chooser then looks up points again.
  package var choice: PeopleChoice {
    didSet { if choice != oldValue { resolved = nil } }
  }
  /// The people of the last picture; `nil` before the first.
  package private(set) var found: PeopleInPicture?
  private let tracker: PeopleTracker
  private var resolved: Resolved?

  /// The chosen people, by id.
  private struct Resolved {
    var kept: Set<Int>
    var dropped: Set<Int>
    /// The other known people.
    var known: Set<Int>
    /// The people chosen by number, with the times of their last sighting.
    var chosen: [Int: Double] = [:]
  }

  /// How long a person chosen by number stays chosen while out of sight, in seconds.
  private static let gracePeriod = 2.0

  package convenience init(_ choice: PeopleChoice, _ finder: PeopleFinder, isStill: Bool) {
    let tracker = PeopleTracker(finder)
    tracker.isThorough = isStill
    self.init(choice, tracker)
  }

  init(_ choice: PeopleChoice, _ tracker: PeopleTracker) { (self.choice, self.tracker) = (choice, tracker) }

  /// Begins another shot: people stay out of sight until the chooser recognizes them again.
  package func cut() { tracker.cut() }

  /// Removes people who are not kept from the matte of everybody, at any size. `image` is upright; a step in its depth, registered to it,
  /// is an edge; faces are in its pixels, `nil` to detect them; `time` is in seconds. `result` gets the size of `matte`; its memory is
  /// reused.
  ///
  /// - Throws: `wrongArgument` for a point without a person, or a person who is both kept and removed; `badData` if none of the people to
  ///   keep is visible; errors of the networks.
  package func choose(
    _ image: Image, matte: Matte, depth: DepthMap? = nil, faces: [Rect]? = nil, time: Double = 0,
    into result: inout Matte
  ) throws(BackdropError) {
    try choice.check(width: image.width, height: image.height)
    found = try tracker.update(image, matte: matte, depth: depth, faces: faces, time: time)
    try chooseAgain(time: time, into: &result)
  }

  /// Removes people who are not kept from the last picture's matte, after a change of ``choice``, without another search.
  ///
  /// - Throws: as ``choose(_:matte:depth:faces:time:into:)``.
  package func chooseAgain(time: Double = 0, into result: inout Matte) throws(BackdropError) {
    guard let found else { preconditionFailure("people are found before one is chosen") }
    let known: Resolved? = if let resolved { resolved } else { try resolve(found) }
    guard var people = known else {
      // No person is known yet, so nobody is shown.
      guard choice.keep == nil else { throw BackdropError(.badData, "Backdrop has seen nobody to keep yet") }
      result = found.matte(of: [])
      return
    }
    followDropped(found, &people, time)
    followChosen(found, &people, time)
    resolved = people
    var kept: [Int]
    if choice.keep == nil && (choice.count == nil || choice.count == .all) {
      kept = found.people.map(\.id).filter { !people.dropped.contains($0) }
    } else {
      kept = people.kept.filter { tracker.isSeen($0, at: time) }
      kept += people.chosen.keys.filter { tracker.isSeen($0, at: time) }
    }
    guard choice.keep == nil || !kept.isEmpty else {
      throw BackdropError(
        .badData,
        people.kept.count == 1
          ? "the person to keep is out of sight" : "the people to keep are out of sight")
    }
    found.cut(kept, into: &result)
  }

  /// Finds the people at the points; `nil` while there is nobody.
  private func resolve(_ found: PeopleInPicture) throws(BackdropError) -> Resolved? {
    let there = found.people.filter { $0.coverage > 0 }
    guard !there.isEmpty else { return nil }
    func ids(_ points: PicturePoints?) throws(BackdropError) -> Set<Int> {
      var ids: Set<Int> = []
      for point in points?.points ?? [] {
        let pixel = point.pixels(width: found.width, height: found.height)
        guard let person = found.person(atX: pixel.x, y: pixel.y) else {
          let points = found.byWeight.filter { $0.coverage > 0 }.prefix(6).map { person in
            let point = found.point(on: person)
            return "\(point.x),\(point.y)"
          }
          throw BackdropError(
            .wrongArgument, "Backdrop found nobody at the point \(point)",
            hint: Hint("it found people at \(points.joined(separator: " and "))"))
        }
        ids.insert(person.id)
      }
      return ids
    }
    let (kept, dropped) = (try ids(choice.keep), try ids(choice.drop))
    guard kept.isDisjoint(with: dropped) else {
      throw BackdropError(
        .wrongArgument, "your points keep and leave out the same person", hint: "give points of different people")
    }
    return Resolved(kept: kept, dropped: dropped, known: Set(there.map(\.id)))
  }

  /// A newcomer may be a removed person who was out of sight. Blobs without a recognized person may be parts of one.
  private func followDropped(_ found: PeopleInPicture, _ people: inout Resolved, _ time: Double) {
    for person in found.people where !people.known.contains(person.id) {
      people.known.insert(person.id)
      guard !people.dropped.isEmpty else { continue }
      let isMissing = people.dropped.contains { !tracker.isSeen($0, at: time) }
      if person.score == 0 || isMissing { people.dropped.insert(person.id) }
    }
  }

  /// Chooses people until the chosen number is reached.
  private func followChosen(_ found: PeopleInPicture, _ people: inout Resolved, _ time: Double) {
    guard case .number(let count) = choice.count else { return }
    for id in people.chosen.keys where tracker.isSeen(id, at: time) { people.chosen[id] = time }
    people.chosen = people.chosen.filter { time - $0.value <= Self.gracePeriod }
    for person in found.byWeight where person.coverage > 0 {
      guard people.kept.count + people.chosen.count < count else { break }
      guard !people.dropped.contains(person.id), !people.kept.contains(person.id), people.chosen[person.id] == nil,
        tracker.isSeen(person.id, at: time)
      else { continue }
      people.chosen[person.id] = time
    }
  }
}
