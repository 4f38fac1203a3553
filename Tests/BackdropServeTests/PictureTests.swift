import BackdropCodecs
import BackdropHTTP
import BackdropImaging
import BackdropModels
import Foundation
import TestSupport
import Testing

@testable import BackdropServe

/// Requests with a picture, and the pictures in their answers.
@Suite struct PictureTests {
  private let png = "Content-Type: image/png"
  static let hasNetwork = NetworkRuntime.isInstalled && ModelStore().isComplete

  @Test func replacesTheBackground() async throws {
    let harness = try await ServiceHarness.start()
    let picture = try ScreenPicture.bytes()
    let reply = try await harness.request(
      "POST", "/v1/replace?matte=chroma&background=navy", fields: [png], body: picture)
    #expect(reply.status == 200 && reply.field("Content-Type") == "image/png")
    #expect(reply.field("Backdrop-Subject-From") == "chroma" && reply.field("Backdrop-Look") == "backdrop")
    #expect(reply.field("Server-Timing")?.contains("work;dur=") == true)
    // CSS's navy is #000080.
    #expect(try ScreenPicture.pixel(reply.body, x: 5, y: 5) == [0, 0, 128])
    #expect(try ScreenPicture.pixel(reply.body, x: 160, y: 150).allSatisfy { abs(Int($0) - 120) < 6 })
    // The service keeps nothing of the request.
    try await waiting(for: "the service reaches the state") { harness.service.workCount == 0 }
    try await waiting(for: "the service reaches the state") {
      try FileManager.default.contentsOfDirectory(atPath: harness.service.temporaryFolder) == ["lock"]
    }
    try await harness.stop()
    #expect(harness.folder.contents == [])
  }

  @Test func readsForms() async throws {
    let harness = try await ServiceHarness.start()
    let form = ServiceHarness.form([
      ("image", "a.png", try ScreenPicture.bytes()),
      ("background", "red.png", try ScreenPicture.plain([255, 0, 0], width: 16, height: 9)),
      ("settings", nil, Array(#"{"matte": "chroma", "photo-quality": 90, "decontaminate": true}"#.utf8)),
      ("format", nil, Array("jpg".utf8)),
    ])
    let reply = try await harness.request("POST", "/v1/replace", fields: [form.type], body: form.body)
    #expect(reply.status == 200 && reply.field("Content-Type") == "image/jpeg", "\(reply.text.prefix(300))")
    let corner = try ScreenPicture.pixel(reply.body, x: 5, y: 5)
    #expect(corner[0] > 245 && corner[1] < 10 && corner[2] < 10)
    try await harness.stop()
  }

  @Test func makesMattesAndLooks() async throws {
    let harness = try await ServiceHarness.start()
    let picture = try ScreenPicture.bytes(.jpeg)
    let matte = try await harness.request(
      "POST", "/v1/matte?matte=chroma", fields: ["Content-Type: image/jpeg"], body: picture)
    #expect(matte.status == 200 && matte.field("Content-Type") == "image/png")
    #expect(try ScreenPicture.pixel(matte.body, x: 5, y: 5) == [0, 0, 0])
    #expect(try ScreenPicture.pixel(matte.body, x: 160, y: 150) == [255, 255, 255])
    let look = try await harness.request(
      "POST", "/v1/apply?look=noir&matte=chroma", fields: ["Content-Type: image/jpeg"], body: picture)
    // The result has the input's format.
    #expect(look.status == 200 && look.field("Content-Type") == "image/jpeg" && look.field("Backdrop-Look") == "noir")
    let clear = try await harness.request(
      "POST", "/v1/replace?background=none&matte=chroma", fields: ["Content-Type: image/jpeg"], body: picture)
    // JPEG has no transparency.
    #expect(clear.status == 200 && clear.field("Content-Type") == "image/png")
    try await harness.stop()
  }

  @Test(arguments: [
    ("/v1/replace?background=/etc/passwd", 400, "there is no background"),
    ("/v1/replace?background=../a.jpg", 400, "there is no background"),
    ("/v1/replace?plate=/etc/passwd", 400, "plate is a file"),
    ("/v1/replace?depth=/etc/passwd", 400, "depth is a file"),
    ("/v1/replace?touch-up=/etc/passwd", 400, "touch-up is a file"),
    ("/v1/replace?model=/etc/passwd", 400, "there is no network"),
    ("/v1/replace?look=/etc/look.json", 400, "there is no look"),
    ("/v1/replace?standby=/etc/passwd", 400, "there is no parameter 'standby'"),
    ("/v1/replace?radius=1000", 400, "out of range"),
    ("/v1/replace?radios=1", 400, "there is no parameter 'radios'"),
    ("/v1/replace?quality=bets", 400, "cannot be 'bets'"),
    ("/v1/replace?format=exe", 400, "does not write 'exe'"),
    ("/v1/replace?format=mp4", 400, "does not write 'mp4'"),
    ("/v1/apply", 400, "names no look"),
    ("/v1/apply?look=nior", 400, "there is no look 'nior'"),
  ])
  func refusesSettings(target: String, status: Int, message: String) async throws {
    let harness = try await ServiceHarness.start()
    let reply = try await harness.request("POST", target, fields: [png], body: try ScreenPicture.bytes())
    let trouble = try ServiceHarness.trouble(reply)
    #expect(reply.status == status && trouble.error.contains(message), "\(trouble)")
    #expect(trouble.code == "wrong-argument" && trouble.hint?.isEmpty == false)
    // A hint names nothing that the service refuses.
    #expect(trouble.hint?.contains("standby") == false)
    try await harness.stop()
  }

  @Test func refusesBodies() async throws {
    let harness = try await ServiceHarness.start { $0.maximumBody = 100_000 }
    func status(_ fields: [String], _ body: [UInt8]?) async throws -> (Int, String) {
      let reply = try await harness.request("POST", "/v1/replace", fields: fields, body: body)
      let trouble = try ServiceHarness.trouble(reply)
      #expect(!trouble.error.isEmpty && !trouble.error.contains(harness.folder.path), "\(trouble)")
      return (reply.status, trouble.code)
    }
    let picture = try ScreenPicture.bytes()
    #expect(try await status([png], []) == (400, "bad-request"))
    #expect(try await status([png, "Content-Length: 100001"], nil) == (413, "payload-too-large"))
    #expect(try await status([png, "Transfer-Encoding: chunked"], nil) == (411, "length-required"))
    #expect(try await status([png, "Content-Encoding: gzip"], picture) == (415, "unsupported-media-type"))
    #expect(try await status(["Content-Type: text/html"], picture) == (415, "unsupported"))
    #expect(try await status(["Content-Type: multipart/form-data; boundary=b"], picture) == (400, "wrong-argument"))
    let form = ServiceHarness.form([("settings", nil, Array("{}".utf8))])
    #expect(try await status([form.type], form.body) == (400, "wrong-argument"))
    #expect(try await status([png], Array(picture.prefix(300))) == (422, "bad-data"))
    #expect(try await status([png], Array("not a picture at all".utf8)).0 >= 400)
    try await harness.stop()
  }

  /// A picture above the default limit of a service is refused by its own head, and the answer names the limit.
  @Test func refusesPicturesOfTooManyPixels() async throws {
    let harness = try await ServiceHarness.start()
    let reply = try await harness.request(
      "POST", "/v1/replace?matte=chroma", fields: [png],
      body: try ScreenPicture.plain([0, 0, 0], width: 10_000, height: 5001))
    let trouble = try ServiceHarness.trouble(reply)
    #expect(reply.status == 413 && trouble.error.contains("50000000 pixels"), "\(trouble)")
    try await harness.stop()
  }

  /// Pictures that take longer than the deadline allows are refused before the work; the rate is given, not measured.
  @Test func refusesPicturesThatTakeTooLong() throws {
    let rates = WorkRates()
    let kind = WorkRates.Kind(operation: .replace, look: "backdrop", format: "png")
    try rates.check(kind, pixels: 50_000_000, left: 1)
    rates.set("png", secondsPerPixel: 1e-7)
    try rates.check(kind, pixels: 10_000_000, left: 1)
    let error = try #require(refusal { try rates.check(kind, pixels: 11_000_000, left: 1) })
    #expect(error.kind == .overLimit && error.message.contains("11 megapixels takes 2 s"))
    // What a kind really took counts more, and the best of it.
    rates.add(kind, pixels: 10_000_000, seconds: 0.5)
    rates.add(kind, pixels: 10_000_000, seconds: 5)
    try rates.check(kind, pixels: 19_000_000, left: 1)
    #expect(throws: BackdropError.self) { try rates.check(kind, pixels: 21_000_000, left: 1) }
  }

  /// The measurement at the start leaves a rate for each format, and no file.
  @Test func measuresRates() throws {
    let folder = TemporaryFolder()
    let drops = try DropFolder(in: folder.path, prefix: "rates-", quota: UploadQuota(hint: "try again"))
    let rates = WorkRates()
    try rates.measure(drops, threads: 1, { nil }, isOver: { false })
    #expect(rates.formats == Set(MediaType.pictureFormats))
    #expect(try FileManager.default.contentsOfDirectory(atPath: drops.path) == ["lock"])
  }

  /// Without a matte the answer is an error, never the picture.
  @Test func showsNoRoomWithoutAMatte() async throws {
    let harness = try await ServiceHarness.start()
    let grey = try ScreenPicture.plain([120, 120, 120])
    let reply = try await harness.request(
      "POST", "/v1/replace?matte=chroma&background=navy", fields: [png], body: grey)
    let trouble = try ServiceHarness.trouble(reply)
    #expect(reply.status == 422 && trouble.code == "bad-data" && trouble.hint != nil, "\(trouble)")
    try await harness.stop()
  }

  @Test(.enabled(if: hasNetwork, "needs the network runtime")) func showsNoRoomWithoutAPerson() async throws {
    let harness = try await ServiceHarness.start()
    let reply = try await harness.request(
      "POST", "/v1/replace?quality=live", fields: [png], body: try ScreenPicture.bytes())
    let trouble = try ServiceHarness.trouble(reply)
    #expect(reply.status == 422 && trouble.error.contains("no person"), "\(trouble)")
    try await harness.stop()
  }

  static let hasHTTP2 = (try? OutsideTool.text("curl", ["--version"]))?.contains("HTTP2") ?? false

  /// HTTP/2 without TLS, as load balancers use it. Each request has its own connection, because curl 7.88 cannot reuse one.
  @Test(.enabled(if: hasHTTP2, "needs curl with HTTP/2")) func speaksHTTP2() async throws {
    let harness = try await ServiceHarness.start { $0.maximumBody = 100_000 }
    let (picture, large) = (harness.folder.file("screen.png"), harness.folder.file("large"))
    try Data(try ScreenPicture.bytes()).write(to: URL(filePath: picture))
    try Data(count: 200_000).write(to: URL(filePath: large))
    let address = "http://127.0.0.1:\(harness.port)"
    for (request, wanted) in [
      (["-F", "image=@" + picture, "-F", "matte=chroma", address + "/v1/matte"], "2 200"),
      // Refusing a body must not break the connection.
      (["--data-binary", "@" + large, "-H", png, address + "/v1/replace"], "2 413"), ([address + "/healthz"], "2 200"),
    ] {
      let report = try await onThread {
        try OutsideTool.text(
          "curl", ["-s", "--http2-prior-knowledge", "-o", "/dev/null", "-w", "%{http_version} %{http_code}"] + request)
      }
      #expect(report == wanted)
    }
    try await harness.stop()
  }

  @Test(.enabled(if: MediaTool.isPresent, "needs ffmpeg")) func videosAreJobs() async throws {
    let harness = try await ServiceHarness.start()
    let reply = try await harness.request(
      "POST", "/v1/replace?matte=chroma", body: try ScreenPicture.video(frames: 2, in: harness.folder))
    let trouble = try ServiceHarness.trouble(reply)
    #expect(reply.status == 415 && trouble.hint == "send videos to /v1/jobs")
    try await harness.stop()
  }

  /// A video's result keeps the kind of its body.
  @Test(arguments: [
    ("video/webm", "webm"), ("video/mp4; codecs=avc1", "mp4"), ("video/x-matroska", "mkv"), ("video/quicktime", "mov"),
    ("VIDEO/WEBM", "webm"), ("image/gif", ""), ("application/octet-stream", ""), ("", ""),
  ]) func extensionsOfVideos(type: String, fileExtension: String) {
    #expect(MediaType.videoExtension(of: type) == fileExtension)
  }
}
