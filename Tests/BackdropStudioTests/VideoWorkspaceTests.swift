import BackdropCodecs
import BackdropImaging
import BackdropModels
import Foundation
import TestSupport
import Testing

@testable import BackdropStudio

@Suite struct VideoWorkspaceTests {
  static var isReady: Bool { NetworkRuntime.isInstalled && ModelStore().isComplete }
  private let folder = TestSupport.TemporaryFolder()

  /// A 3 s clip with sound: its left half is red in the first second, then green, then blue.
  private func clip(
    _ name: String = "clip.mp4", _ more: [String] = [], seconds: Int = 1
  ) throws -> [UInt8] {
    let path = folder.path + "/" + name
    let pictures = ["red", "green", "blue"].map { "color=\($0):size=160x120:rate=20:duration=\(seconds)" }
    let inputs = (pictures + ["sine=frequency=440:duration=\(3 * seconds)"]).flatMap { ["-f", "lavfi", "-i", $0] }
    try MediaTool.make(
      inputs + ["-filter_complex", "[0][1][2]concat=n=3:v=1[v]", "-map", "[v]", "-map", "3:a", "-pix_fmt", "yuv420p"]
        + more, path)
    return Array(try Data(contentsOf: URL(fileURLWithPath: path)))
  }

  private struct Entry: Decodable {
    struct Info: Decodable {
      var id: Int, name: String, width: Int, height: Int, duration: Double, soundTracks: Int
    }
    var info: Info
  }

  private func read<T: Decodable>(_ reply: StudioHarness.Reply) throws -> T {
    try JSONDecoder().decode(T.self, from: Data(reply.body))
  }

  /// Uploads a file in pieces, like the page.
  private func send(
    _ harness: StudioHarness, _ bytes: [UInt8], name: String = "clip.mp4", piece: Int = 1 << 20
  ) async throws -> StudioHarness.Reply {
    let begun = try await harness.request(
      "POST", "/api/videos/begin", body: Array(#"{"name":"\#(name)","size":\#(bytes.count)}"#.utf8))
    guard begun.status == 200 else { return begun }
    struct Begun: Decodable { var upload: Int }
    let number = (try read(begun) as Begun).upload
    for start in stride(from: 0, to: bytes.count, by: piece) {
      let part = Array(bytes[start..<min(bytes.count, start + piece)])
      let reply = try await harness.request("POST", "/api/videos/upload/\(number)?at=\(start)", body: part)
      guard reply.status == 200 else { return reply }
    }
    return try await harness.request("POST", "/api/videos/upload/\(number)/end")
  }

  private struct Listed: Decodable {
    var id: Int, name: String, state: String, part: Double, frames: Int, error: String?
  }

  private func exports(_ harness: StudioHarness) async throws -> [Listed] {
    try read(try await harness.request("GET", "/api/exports"))
  }

  private func wait(
    _ harness: StudioHarness, _ id: Int, until isWanted: (Listed) -> Bool
  ) async throws -> Listed? {
    var found: Listed?
    try await waiting(for: "export \(id)") {
      found = try await exports(harness).first { $0.id == id }
      return found.map(isWanted) ?? false
    }
    return found
  }

  private static let over: Set = ["done", "failed", "cancelled", "interrupted"]

  /// The studio reports the displayed size of a clip with wide pixels.
  @Test func pixelsAreSquare() async throws {
    let harness = try await StudioHarness.start()
    let reply = try await send(harness, try clip("wide.mp4", ["-aspect", "8:3"]), name: "wide.mp4")
    #expect(reply.status == 200, "\(reply.text)")
    let info = (try read(reply) as Entry).info
    #expect(info.width == 320 && info.height == 120, "\(reply.text)")
    for what in ["small.jpg", "frame.jpg"] {
      let frame = try await harness.request("GET", "/api/videos/\(info.id)/\(what)?t=0.5")
      let picture = try JPEG.decode(frame.body)
      let aspect = Double(picture.width) / Double(picture.height)
      #expect((2.57..<2.77).contains(aspect), "\(what): \(aspect), not 320 / 120")
    }
    try await harness.stop()
  }

  @Test func aClipIsOpenedAndSeenAtAnyTime() async throws {
    let harness = try await StudioHarness.start()
    let entry: Entry = try read(try await send(harness, try clip(), piece: 1000))
    #expect(entry.info.width == 160 && entry.info.height == 120 && entry.info.soundTracks == 1)
    #expect(abs(entry.info.duration - 3) < 0.1)
    for _ in 0..<2 {
      for (seconds, channel) in [(2.5, 2), (0.2, 0), (1.5, 1), (3.0, 2), (99, 2), (0.95, 0), (1.05, 1)] {
        for what in ["small.jpg", "frame.jpg"] {
          let reply = try await harness.request("GET", "/api/videos/\(entry.info.id)/\(what)?t=\(seconds)")
          let picture = try JPEG.decode(reply.body, as: .rgb8)
          let row = picture.row(picture.height / 2)
          let pixel = (0..<3).map { Int(row[30 + $0]) }
          #expect(pixel.max() == pixel[channel], "\(what) at \(seconds): \(pixel)")
        }
      }
    }
    for bad in ["", "?t=a", "?t=nan"] {
      #expect(try await harness.request("GET", "/api/videos/\(entry.info.id)/frame.jpg\(bad)").status == 400)
    }
    for bad in [#"{"look":"nothing"}"#, #"{"background":"/etc/passwd"}"#, #"{"values":{"radius":1e9}}"#, "x"] {
      let text = bad.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
      for what in ["frame.jpg", "look.jpg"] {
        let reply = try await harness.request("GET", "/api/videos/\(entry.info.id)/\(what)?t=0&edit=\(text)")
        #expect(reply.status == 400, "\(what) \(bad): \(reply.text)")
      }
    }
    _ = try await harness.request("POST", "/api/videos/\(entry.info.id)/close")
    #expect(try await harness.request("GET", "/api/videos/\(entry.info.id)/frame.jpg?t=0").status == 400)
    try await harness.stop()
  }

  @Test(.enabled(if: isReady, "needs the network runtime: backdrop models install"))
  func soundThatDoesNotFitIsCodedAnewOrLeftOut() async throws {
    let harness = try await StudioHarness.start()
    let entry: Entry = try read(try await send(harness, try clip()))
    for (sound, state) in [("true", "done"), ("false", "done")] {
      let wanted = """
        {"edit":{"look":"backdrop","values":{},"keys":[],"background":"none","start":0,"end":0.3},"form":"webm","side":96,"sound":\(sound)}
        """
      let begun = try await harness.request("POST", "/api/videos/\(entry.info.id)/export", body: Array(wanted.utf8))
      let over = try await wait(harness, (try read(begun) as Listed).id) { Self.over.contains($0.state) }
      #expect(over?.state == state, "\(String(describing: over))")
    }
  }

  @Test(
    .enabled(if: isReady, "needs the network runtime: backdrop models install"),
    arguments: ["mp4", "webm", "mov", "gif"])
  func aPartIsExportedWithItsSound(form: String) async throws {
    let harness = try await StudioHarness.start()
    let bytes = try clip(
      "in.\(form == "webm" ? "webm" : "mp4")", form == "webm" ? ["-c:v", "libvpx", "-c:a", "libvorbis"] : [])
    let entry: Entry = try read(try await send(harness, bytes, name: "in.\(form)"))
    let background = form == "mov" ? "none" : "#204060"
    let wanted = """
      {"edit":{"look":"backdrop","values":{},"keys":[{"seconds":0,"values":{"radius":1}},{"seconds":1.5,"values":{"radius":20}}],
      "background":"\(background)","start":1,"end":2.5},"form":"\(form)","side":96}
      """
    let begun = try await harness.request("POST", "/api/videos/\(entry.info.id)/export", body: Array(wanted.utf8))
    #expect(begun.status == 200, "\(begun.text)")
    let done = try await wait(harness, (try read(begun) as Listed).id) { Self.over.contains($0.state) }
    #expect(done?.state == "done", "\(String(describing: done))")
    let id = try #require(done).id
    let file = try await harness.request("GET", "/api/exports/\(id)/file")
    #expect(file.status == 200 && file.head.contains("filename=\"in-backdrop.\(form)\""), "\(file.head)")
    let path = folder.path + "/out.\(form)"
    try Data(file.body).write(to: URL(fileURLWithPath: path))
    let facts = try MediaTool.probe(
      path, "-count_frames -show_entries stream=codec_type,codec_name,width,height,nb_read_frames,pix_fmt"
    ).joined(separator: "\n")
    #expect(facts.contains("128,96"), "\(facts)")
    #expect(facts.contains(["mp4": "h264", "webm": "vp9", "mov": "prores", "gif": "gif"][form] ?? ""))
    if form == "mov" { #expect(facts.contains("yuva444p"), "\(facts)") }
    if form != "gif" {
      #expect((facts.contains(",30\n") || facts.contains(",31\n")) && facts.contains("audio"), "\(facts)")
      let sound = try MediaTool.packetHashes(path, "a"),
        whole = try MediaTool.packetHashes(folder.path + "/in.\(form == "webm" ? "webm" : "mp4")", "a")
      #expect(!sound.isEmpty && sound.count < whole.count && Set(sound).isSubset(of: whole))
    } else {
      // 1.5 s in steps of 8 hundredths.
      #expect(facts.hasSuffix(",19"), "\(facts)")
    }
    // A number that does not exist, and a removed one.
    #expect(try await harness.request("GET", "/api/exports/99/file").status == 404)
    _ = try await harness.request("POST", "/api/exports/\(id)/remove")
    #expect(try await harness.request("GET", "/api/exports/\(id)/file").status == 404)
    #expect(try await exports(harness).isEmpty)
    try await harness.stop()
  }

  @Test(.enabled(if: isReady, "needs the network runtime: backdrop models install"))
  func anExportIsCancelledAndNothingIsLeft() async throws {
    let harness = try await StudioHarness.start()
    let entry: Entry = try read(try await send(harness, try clip("long.mp4", seconds: 300)))
    func begin() async throws -> Int {
      let wanted =
        #"{"edit":{"look":"backdrop","values":{},"keys":[],"background":"scene:dunes","start":0},"form":"mp4"}"#
      return
        (try read(
          try await harness.request("POST", "/api/videos/\(entry.info.id)/export", body: Array(wanted.utf8))) as Listed)
        .id
    }
    let first = try await begin()
    _ = try await wait(harness, first) { $0.frames > 0 || Self.over.contains($0.state) }
    // A busy machine may finish the first export meanwhile, but not the second.
    let second = try await begin()
    for id in [second, first] { _ = try await harness.request("POST", "/api/exports/\(id)/cancel") }
    #expect(try await wait(harness, second) { Self.over.contains($0.state) }?.state == "cancelled")
    let isDone = try await wait(harness, first) { Self.over.contains($0.state) }?.state == "done"
    try await harness.stop()
    let left = try FileManager.default.subpathsOfDirectory(atPath: harness.state).filter { $0.hasSuffix(".mp4") }
    #expect(left.allSatisfy { $0.hasPrefix("videos/") || isDone && $0.hasPrefix("exports/\(first)/") }, "\(left)")
  }

  /// Settings, videos and exports are still there after a restart, and a second studio has none of them.
  @Test func aRestartFindsWhatWasThere() async throws {
    let harness = try await StudioHarness.start()
    let entry: Entry = try read(try await send(harness, try clip()))
    let edit = #"{"look":"sharp","values":{"radius":3},"keys":[],"background":"scene:loft","start":0.5,"end":2}"#
    #expect(
      try await harness.request("POST", "/api/videos/\(entry.info.id)/edit", body: Array(edit.utf8)).status == 200)
    let state = harness.state
    let beside = try await StudioHarness.start { $0.state = state }
    #expect(try await beside.request("GET", "/api/videos").text.contains(#""videos":[]"#))
    try await beside.stop()
    try await harness.stop()
    let again = try await StudioHarness.start { $0.state = state }
    let text = try await again.request("GET", "/api/videos").text
    #expect(text.contains("clip.mp4") && text.contains(#""look":"sharp""#) && text.contains("scene:loft"), "\(text)")
    #expect(try await again.request("GET", "/api/videos/\(entry.info.id)/frame.jpg?t=1.5").status == 200)
    try await again.stop()
  }

  @Test func badFilesAreRefusedAndNotKept() async throws {
    let harness = try await StudioHarness.start()
    let whole = try clip()
    var random = SeededRandom(seed: 7)
    let noise = (0..<5000).map { _ in UInt8.random(in: 0...255, using: &random) }
    // An mp4 with its index at the end, cut in the middle, is unreadable. So are a photo and text.
    var image = Image(.rgb8, width: 64, height: 36, color: .jpeg)
    image.fill(RGBColor(red: 1, green: 0, blue: 0))
    for (name, bytes) in [
      ("noise.mp4", noise), ("cut.mp4", Array(whole.prefix(whole.count / 2))), ("text.mov", Array("hello".utf8)),
      ("photo.mp4", try JPEG.encode(image)), ("one.mkv", [0]),
    ] {
      let reply = try await send(harness, bytes, name: name)
      #expect([415, 422].contains(reply.status), "\(name): \(reply.status) \(reply.text)")
      #expect(reply.text.contains(#""error":"#) && !reply.text.contains("/state"), "\(reply.text)")
    }
    #expect(try await send(harness, []).status == 422)
    for (size, status) in [(3 << 30, 413), (-5, 422)] {
      let begun = try await harness.request(
        "POST", "/api/videos/begin", body: Array(#"{"name":"x.mp4","size":\#(size)}"#.utf8))
      #expect(begun.status == status, "\(begun.text)")
    }
    #expect(try await harness.request("POST", "/api/videos/upload/77?at=0", body: [1]).status == 400)
    #expect(try await harness.request("POST", "/api/videos/recording?name=../../etc/passwd").status == 404)
    let left = try FileManager.default.contentsOfDirectory(atPath: harness.state + "/videos")
    #expect(left.isEmpty, "\(left)")
    try await harness.stop()
  }

  /// The studio shows a video that ends in the middle of a stream, up to its end.
  @Test func aVideoThatEndsEarlyIsShownAsFarAsItGoes() async throws {
    let harness = try await StudioHarness.start()
    let whole = try clip("early.mkv")
    let entry: Entry = try read(try await send(harness, Array(whole.prefix(whole.count * 2 / 3)), name: "early.mkv"))
    #expect(try await harness.request("GET", "/api/videos/\(entry.info.id)/frame.jpg?t=0.2").status == 200)
    let late = try await harness.request("GET", "/api/videos/\(entry.info.id)/frame.jpg?t=2.9")
    #expect([200, 400, 422].contains(late.status), "\(late.text)")
    #expect(try await harness.isAlive())
    try await harness.stop()
  }
}
