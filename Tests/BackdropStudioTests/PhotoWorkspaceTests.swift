import BackdropCodecs
import BackdropImaging
import BackdropPhotos
import Foundation
import TestSupport
import Testing

@testable import BackdropStudio

@Suite struct PhotoWorkspaceTests {
  private struct Info: Decodable {
    var id: Int, width: Int, height: Int, hasDepth: Bool, focus: Double?
  }

  private func open(_ harness: StudioHarness) async throws -> Info {
    let reply = try await harness.request("POST", "/api/photos/sample?scene=mug")
    #expect(reply.status == 200, "\(reply.text)")
    return try JSONDecoder().decode(Info.self, from: Data(reply.body))
  }

  private struct Focus: Decodable { var focus: Double }

  @Test func everyViewOfAPhotoIsDrawn() async throws {
    let harness = try await StudioHarness.start()
    let info = try await open(harness)
    #expect(info.hasDepth && info.width == 2304 && info.height == 1728)
    for (view, size, side) in [
      ("picture", "fine", 1600), ("effect", "draft", 960), ("effect", "tile", 240), ("effect", "fine", 1600),
    ] {
      let reply = try await harness.request(
        "GET", "/api/photos/\(info.id)/view.jpg?view=\(view)&size=\(size)&look=refocus&p.radius=30")
      #expect(reply.status == 200)
      #expect(try JPEG.decode(reply.body).width == side, "\(view) \(size)")
    }
    for view in ["depth", "matte"] {
      let reply = try await harness.request(
        "GET", "/api/photos/\(info.id)/view.jpg?view=\(view)&size=draft&look=spotlight")
      #expect(try JPEG.decode(reply.body).width > 100, "\(view)")
    }
    // A different setting produces a different picture.
    let sharp = try await harness.request(
      "GET", "/api/photos/\(info.id)/view.jpg?view=effect&size=tile&look=refocus&p.radius=0")
    let soft = try await harness.request(
      "GET", "/api/photos/\(info.id)/view.jpg?view=effect&size=tile&look=refocus&p.radius=200")
    #expect(sharp.body != soft.body)
    // The mug is nearer than the window.
    func focus(_ x: Double, _ y: Double) async throws -> Double {
      let reply = try await harness.request("GET", "/api/photos/\(info.id)/focus?x=\(x)&y=\(y)")
      return try JSONDecoder().decode(Focus.self, from: Data(reply.body)).focus
    }
    let (near, far) = (try await focus(0.75, 0.58), try await focus(0.05, 0.2))
    #expect(near > far + 0.3)
    for bad in ["x=2&y=0", "x=nan&y=0", "x=0", "x=a&y=b"] {
      #expect(try await harness.request("GET", "/api/photos/\(info.id)/focus?\(bad)").status == 400, "\(bad)")
    }
    for bad in [
      "look=nothing", "p.radius=abc", "p.radius=1e9&look=refocus&view=effect", "p.other=1&look=refocus&view=effect",
    ] {
      #expect(try await harness.request("GET", "/api/photos/\(info.id)/view.jpg?\(bad)").status == 400, "\(bad)")
    }
    try await harness.stop()
  }

  @Test(arguments: [true, false])
  func aPhotoIsSavedAtFullSize(withDepth: Bool) async throws {
    let harness = try await StudioHarness.start()
    let info = try await open(harness)
    let wanted = #"{"look":"noir","parameters":{"contrast":1.2},"form":"jpg","depth":\#(withDepth)}"#
    let begun = try await harness.request("POST", "/api/photos/\(info.id)/save", body: Array(wanted.utf8))
    #expect(begun.text == #"{"save":1}"#)
    var file = StudioHarness.Reply()
    try await waiting(for: "the photo is saved") {
      file = try await harness.request("GET", "/api/photos/saves/1/file")
      return file.status == 200
    }
    #expect(file.head.contains("filename=\"sample-mug-noir.jpg\""))
    let photo = try DepthPhoto.read(file.body)
    #expect(photo.width == info.width && photo.height == info.height)
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

/// Edits of a photo other than its look.
@Suite struct PhotoEditTests {
  private struct Info: Decodable { var id: Int }

  private func open(_ harness: StudioHarness) async throws -> Int {
    let reply = try await harness.request("POST", "/api/photos/sample?scene=mug")
    return try JSONDecoder().decode(Info.self, from: Data(reply.body)).id
  }

  private func edit(
    _ background: String = "#00A000", settings: String = "{}", strokes: String = "", drop: String = "[]"
  ) -> [UInt8] {
    let text =
      #"{"background":"\#(background)","drop":\#(drop),"settings":\#(settings),"touchUp":{"version":1,"strokes":[\#(strokes)]}}"#
    return Array(text.utf8)
  }

  private func picture(_ harness: StudioHarness, _ id: Int, _ look: String = "backdrop") async throws -> Image {
    let reply = try await harness.request("GET", "/api/photos/\(id)/view.jpg?view=effect&size=tile&look=\(look)")
    #expect(reply.status == 200, "\(reply.text)")
    return try JPEG.decode(reply.body, as: .rgb8)
  }

  @Test func editsAreSeenInPreviews() async throws {
    let harness = try await StudioHarness.start()
    let id = try await open(harness)
    let path = "/api/photos/\(id)/edit"
    #expect(try await harness.request("POST", path, body: edit()).status == 200)
    let green = try await picture(harness, id)
    #expect(green.row(4)[13] > 130 && green.row(4)[12] < 40, "the corner is green")
    // A stroke in the corner shows the real background there.
    let stroke = #"{"does":"keep","size":0.1,"softness":0,"edges":false,"points":[0,0]}"#
    #expect(try await harness.request("POST", path, body: edit(strokes: stroke)).status == 200)
    let kept = try await picture(harness, id)
    #expect(kept.row(4)[12] != green.row(4)[12])
    let file = try await harness.request("GET", "/api/photos/\(id)/touch-up.json")
    #expect(file.text.contains(#""does":"keep""#) && file.head.contains("sample-mug-touch-up.json"))
    // A different shape, and a user-defined position.
    let settings = #"{"aspect":"1:1","place-x":0.25,"place-y":0,"shadow":0.5}"#
    #expect(try await harness.request("POST", path, body: edit(settings: settings)).status == 200)
    let square = try await picture(harness, id)
    #expect(square.width == square.height)
    let frame = try await harness.request("GET", "/api/photos/\(id)/frame?look=backdrop")
    #expect(frame.text.contains(#""height":1"#), "\(frame.text)")
    // Transparent areas are chequered.
    #expect(try await harness.request("POST", path, body: edit("none")).status == 200)
    let clear = try await picture(harness, id)
    #expect(abs(Int(clear.row(2)[6]) - Int(clear.row(2)[7])) < 8 && clear.row(2)[6] > 180)
    try await harness.stop()
  }

  @Test func whatAPageMayNotAskForIsRefused() async throws {
    let harness = try await StudioHarness.start()
    let id = try await open(harness)
    let path = "/api/photos/\(id)/edit"
    for bad in [
      edit("/etc/passwd"), edit("scene:nowhere"), edit("own:7"), edit("blur:0"), edit("#zz"), edit("picture.jpg"),
      edit(settings: #"{"touch-up":"/etc/passwd"}"#), edit(settings: #"{"plate":"learn"}"#),
      edit(settings: #"{"place-scale":99}"#), edit(settings: #"{"aspect":"2:1"}"#), edit(drop: "[[2,0]]"),
      edit(strokes: #"{"does":"keep","size":9,"softness":0,"edges":false,"points":[0,0]}"#),
      edit(strokes: #"{"does":"keep"}"#), Array("{}".utf8), [],
    ] {
      let reply = try await harness.request("POST", path, body: bad)
      #expect([400, 422].contains(reply.status), "\(reply.status): \(String(decoding: bad, as: UTF8.self))")
    }
    #expect(try await harness.request("POST", "/api/photos/99/edit", body: edit()).status == 400)
    let long = [UInt8](repeating: 32, count: (2 << 20) + 1)
    #expect(try await harness.request("POST", path, body: long).status == 413)
    try await harness.stop()
  }

  @Test func picturesOfOnesOwnAreBehindByTheNameThatTheyGot() async throws {
    let harness = try await StudioHarness.start()
    let id = try await open(harness)
    var image = Image(.rgb8, width: 320, height: 240, color: .jpeg)
    image.fill(RGBColor(red: 0.9, green: 0, blue: 0))
    let reply = try await harness.request("POST", "/api/photos/backgrounds?name=red.jpg", body: try JPEG.encode(image))
    #expect(reply.text == #"{"name":"own:1","title":"red.jpg"}"#)
    #expect(try await harness.request("POST", "/api/photos/\(id)/edit", body: edit("own:1")).status == 200)
    let red = try await picture(harness, id)
    #expect(red.row(4)[12] > 200 && red.row(4)[13] < 40)
    for name in ["own:1", "scene:dunes"] {
      let small = try await harness.request("GET", "/api/photos/backgrounds/\(name)/small.jpg")
      #expect(try JPEG.decode(small.body).width == 192, "\(name)")
    }
    #expect(try await harness.request("GET", "/api/photos/backgrounds/own:2/small.jpg").status == 404)
    #expect(try await harness.request("POST", "/api/photos/backgrounds?name=x.jpg", body: [1, 2]).status != 200)
    try await harness.stop()
  }

  @Test(arguments: ["zip", "folder"])
  func severalPhotosAreSavedTogether(destination: String) async throws {
    let folder = TestSupport.TemporaryFolder()
    let path = folder.path
    let harness = try await StudioHarness.start { $0.folder = path }
    let ids = [try await open(harness), try await open(harness)]
    func item(_ id: Int, _ form: String) -> String {
      #"{"id":\#(id),"save":{"look":"noir","parameters":{},"form":"\#(form)","depth":false}}"#
    }
    let items = ids.map { item($0, "jpg") }.joined(separator: ",")
    let body = #"{"photos":[\#(items)],"to":"\#(destination)"}"#
    let reply = try await harness.request("POST", "/api/photos/batch", body: Array(body.utf8))
    #expect(reply.text == #"{"save":1}"#, "\(reply.text)")
    let names = ["sample-mug-noir-2.jpg", "sample-mug-noir.jpg"]
    try await waiting(for: "both photos are saved") {
      if destination == "folder" { return try Folder.names(in: path).filter { $0.hasSuffix(".jpg") }.sorted() == names }
      return try await harness.request("GET", "/api/photos/saves/1/file").status == 200
    }
    if destination == "zip" {
      let file = try await harness.request("GET", "/api/photos/saves/1/file")
      let zip = folder.file("all.zip")
      try OutputFile(zip, overwrite: false).write(file.body.span)
      let archive = try ZipArchive.open(zip)
      #expect(archive.entries.keys.sorted() == names)
      for entry in archive.entries.values {
        #expect(try JPEG.decode(archive.read(entry, limit: 1 << 26)).width == 2304)
      }
    }
    for bad in ["{}", #"{"photos":[],"to":"zip"}"#, #"{"photos":[\#(item(77, "jpg"))],"to":"zip"}"#] {
      #expect(try await harness.request("POST", "/api/photos/batch", body: Array(bad.utf8)).status == 400, "\(bad)")
    }
    try await harness.stop()
  }
}
