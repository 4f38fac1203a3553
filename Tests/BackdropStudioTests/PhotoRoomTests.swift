import BackdropCodecs
import BackdropImaging
import BackdropPhotos
import Foundation
import TestSupport
import Testing

@testable import BackdropStudio

@Suite struct PhotoRoomTests {
  private struct Card: Decodable {
    var id: Int, width: Int, height: Int, hasDepth: Bool, focus: Double?
  }

  private func open(_ harness: StudioHarness) async throws -> Card {
    let reply = try await harness.request("POST", "/api/photos/sample?scene=mug")
    #expect(reply.status == 200, "\(reply.text)")
    return try JSONDecoder().decode(Card.self, from: Data(reply.body))
  }

  @Test func everyViewOfAPhotoIsDrawn() async throws {
    let harness = try await StudioHarness.start()
    let card = try await open(harness)
    #expect(card.hasDepth && card.width == 2304 && card.height == 1728)
    for (view, size, side) in [
      ("picture", "fine", 1600), ("effect", "draft", 960), ("effect", "tile", 240), ("effect", "fine", 1600),
    ] {
      let reply = try await harness.request(
        "GET", "/api/photos/\(card.id)/view.jpg?view=\(view)&size=\(size)&look=refocus&p.radius=30")
      #expect(reply.status == 200)
      #expect(try JPEG.decode(reply.body).width == side, "\(view) \(size)")
    }
    for view in ["depth", "matte"] {
      let reply = try await harness.request(
        "GET", "/api/photos/\(card.id)/view.jpg?view=\(view)&size=draft&look=spotlight")
      #expect(try JPEG.decode(reply.body).width > 100, "\(view)")
    }
    // Another setting is another picture.
    let sharp = try await harness.request(
      "GET", "/api/photos/\(card.id)/view.jpg?view=effect&size=tile&look=refocus&p.radius=0")
    let soft = try await harness.request(
      "GET", "/api/photos/\(card.id)/view.jpg?view=effect&size=tile&look=refocus&p.radius=200")
    #expect(sharp.body != soft.body)
    // The mug is nearer than the window.
    struct Focus: Decodable { var focus: Double }
    func focus(_ x: Double, _ y: Double) async throws -> Double {
      let reply = try await harness.request("GET", "/api/photos/\(card.id)/focus?x=\(x)&y=\(y)")
      return try JSONDecoder().decode(Focus.self, from: Data(reply.body)).focus
    }
    #expect(try await focus(0.75, 0.58) > (try await focus(0.05, 0.2)) + 0.3)
    for bad in ["x=2&y=0", "x=nan&y=0", "x=0", "x=a&y=b"] {
      #expect(try await harness.request("GET", "/api/photos/\(card.id)/focus?\(bad)").status == 400, "\(bad)")
    }
    for bad in [
      "look=nothing", "p.radius=abc", "p.radius=1e9&look=refocus&view=effect", "p.other=1&look=refocus&view=effect",
    ] {
      #expect(try await harness.request("GET", "/api/photos/\(card.id)/view.jpg?\(bad)").status == 400, "\(bad)")
    }
    try await harness.stop()
  }

  @Test(arguments: [true, false])
  func aPhotoIsSavedAtFullSize(withDepth: Bool) async throws {
    let harness = try await StudioHarness.start()
    let card = try await open(harness)
    let wanted = #"{"look":"noir","parameters":{"contrast":1.2},"form":"jpg","depth":\#(withDepth)}"#
    let begun = try await harness.request("POST", "/api/photos/\(card.id)/save", body: Array(wanted.utf8))
    #expect(begun.text == #"{"save":1}"#)
    var file = StudioHarness.Reply()
    for _ in 0..<600 {
      file = try await harness.request("GET", "/api/photos/saves/1/file")
      if file.status == 200 { break }
      try await Task.sleep(for: .milliseconds(100))
    }
    #expect(file.status == 200)
    #expect(file.head.contains("filename=\"sample-mug-noir.jpg\""))
    let photo = try DepthPhoto.read(file.body)
    #expect(photo.width == card.width && photo.height == card.height)
    #expect((photo.auxiliary(.depth) != nil) == withDepth)
    try await harness.stop()
  }

  @Test func filesThatAreNoPhotosAreRefused() async throws {
    let harness = try await StudioHarness.start()
    for (seed, head) in [[], [0xFF, 0xD8, 0xFF], [0x89, 0x50, 0x4E, 0x47], Array("....ftypheic".utf8)].enumerated() {
      var random = SeededRandom(seed: UInt64(seed))
      let bytes = head.map { UInt8($0) } + (0..<5000).map { _ in UInt8.random(in: 0...255, using: &random) }
      let reply = try await harness.request("POST", "/api/photos?name=x.jpg", body: bytes)
      #expect([415, 422].contains(reply.status), "\(seed): \(reply.text)")
      #expect(reply.text.contains(#""error":"#))
    }
    #expect(try await harness.request("POST", "/api/photos?name=x.jpg").status == 422)
    #expect(try await harness.request("POST", "/api/photos/7/save", body: Array("{}".utf8)).status == 400)
    let bad = #"{"look":"noir","parameters":{"contrast":99},"form":"jpg","depth":true}"#
    #expect(try await harness.request("POST", "/api/photos/7/save", body: Array(bad.utf8)).status == 400)
    try await harness.stop()
  }

  @Test func aDroppedPictureBecomesABackground() async throws {
    let harness = try await StudioHarness.start()
    var image = Image(.rgb8, width: 64, height: 36, color: .jpeg)
    image.fill(RGBColor(red: 1, green: 0, blue: 0))
    let bytes = try JPEG.encode(image)
    let reply = try await harness.request("POST", "/api/backgrounds?name=red.jpg", body: bytes)
    #expect(reply.status == 200, "\(reply.text)")
    let small = try await harness.request("GET", "/api/backgrounds/5/small.jpg")
    let picture = try JPEG.decode(small.body, as: .rgb8)
    #expect(picture.width == 224 && picture.row(60)[300] > 240)
    #expect(try await harness.request("POST", "/api/backgrounds?name=x.mp4", body: [1, 2, 3]).status != 200)
    #expect(try await harness.request("GET", "/api/backgrounds/6/small.jpg").status == 404)
    try await harness.stop()
  }
}
