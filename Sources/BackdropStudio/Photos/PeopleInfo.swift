import Backdrop

/// The people in a photo, whom the page can keep or remove; positions and sizes are fractions of the width and height.
struct PeopleInfo: Encodable, Sendable {
  struct Person: Encodable, Sendable {
    var id: Int
    /// A point on the person.
    var x: Double, y: Double
    /// The bounding box of the visible part of the person: x, y, width, height.
    var box: [Double]
    var hasFace: Bool
  }

  var people: [Person]

  init(_ found: PeopleInPicture?) {
    guard let found else {
      people = []
      return
    }
    let (width, height) = (Double(found.width), Double(found.height))
    people = found.people.filter { $0.coverage > 0.0005 }.map { person in
      let point = found.point(on: person)
      return Person(
        id: person.id, x: (Double(point.x) + 0.5) / width, y: (Double(point.y) + 0.5) / height,
        box: [person.box.x / width, person.box.y / height, person.box.width / width, person.box.height / height],
        hasFace: person.face != nil)
    }
  }

  /// A small white PNG with a person's matte as alpha; `nil` for an unknown person.
  static func mask(_ id: Int, _ found: PeopleInPicture?) throws(BackdropError) -> [UInt8]? {
    guard let found, found.people.contains(where: { $0.id == id }) else { return nil }
    let size = reducedSize(found.width, found.height, toSide: 640)
    let small = found.matte(of: [id]).scaled(toWidth: size.width, height: size.height)
    var image = Image(.rgba8, width: small.width, height: small.height, color: .jpeg, alpha: .straight)
    let white = Plane<UInt8>(repeating: 255, width: small.width, height: small.height)
    for color in 0..<3 { image.setChannel(color, to: white) }
    image.setChannel(3, to: small.image.plane())
    return try PNG.encode(image)
  }
}
