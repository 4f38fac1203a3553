import BackdropImaging
import BackdropVideo
import Foundation
import TestSupport
import Testing

@testable import BackdropServe

/// Jobs process videos while their clients do something else.
@Suite(.enabled(if: MediaTool.isPresent, "needs ffmpeg")) struct JobTests {
  struct Info: Decodable {
    var id: String, state: String, frames: Int, frameCount: Int?, result: String?, error: String?, hint: String?
  }

  private func info(_ bytes: [UInt8]) throws -> Info { try JSONDecoder().decode(Info.self, from: Data(bytes)) }

  /// All events of a job, up to its end.
  private func events(_ harness: ServiceHarness, _ id: String) async throws -> [(name: String, info: Info)] {
    let port = harness.port
    let head = harness.head("GET", "/v1/jobs/\(id)/events", ["Connection: close"])
    let text = try await onThread {
      let client = try RawClient(port: port)
      client.send(head)
      var all: [UInt8] = []
      while true {
        let more = client.read()
        if more.isEmpty { return String(decoding: all, as: UTF8.self) }
        all += more
      }
    }
    #expect(text.hasPrefix("HTTP/1.1 200 OK") && text.contains("Content-Type: text/event-stream"))
    let lines = text.split(whereSeparator: \.isNewline)
    return try zip(lines, lines.dropFirst()).compactMap { name, data in
      guard name.hasPrefix("event: "), data.hasPrefix("data: ") else { return nil }
      return (String(name.dropFirst(7)), try info(Array(data.dropFirst(6).utf8)))
    }
  }

  @Test func aVideoIsDone() async throws {
    let harness = try await ServiceHarness.start()
    let video = try ScreenPicture.video(frames: 12, in: harness.folder)
    let begun = try await harness.request(
      "POST", "/v1/jobs?matte=chroma&background=navy&format=mp4", fields: ["Content-Type: video/mp4"], body: video)
    #expect(begun.status == 202, "\(begun.text)")
    let id = try info(begun.body).id
    #expect(begun.field("Location") == "/v1/jobs/\(id)")
    let events = try await events(harness, id)
    let last = try #require(events.last)
    #expect(last.name == "done" && last.info.frames == 12 && last.info.frameCount == 12, "\(last)")
    #expect(zip(events, events.dropFirst()).allSatisfy { $0.info.frames <= $1.info.frames })
    let result = try await harness.request("GET", try #require(last.info.result))
    #expect(result.status == 200 && result.field("Content-Type") == "video/mp4")
    let path = try harness.folder.write(result.body, "result.mp4")
    #expect(try MediaTool.video(path)["nb_read_frames"] == "12")
    #expect(try await harness.request("GET", "/v1/jobs").text.contains(id))
    #expect(try await harness.request("DELETE", "/v1/jobs/\(id)").status == 204)
    #expect(try await harness.request("GET", "/v1/jobs/\(id)").status == 404)
    try await waiting(for: "the service reaches the state") {
      try FileManager.default.contentsOfDirectory(atPath: harness.service.temporaryFolder) == ["lock"]
    }
    try await harness.stop()
  }

  @Test func jobsAreGivenUp() async throws {
    let harness = try await ServiceHarness.start { $0.maximumJobs = 1 }
    // Large results, so that the job is at work until it is given up.
    let video = try ScreenPicture.video(frames: 8000, in: harness.folder)
    let begun = try info(
      try await harness.request(
        "POST", "/v1/jobs?matte=chroma&size=1920x1080", fields: ["Content-Type: video/mp4"], body: video
      ).body)
    let other = try await harness.request(
      "POST", "/v1/jobs?matte=chroma", fields: ["Content-Type: video/mp4"], body: video)
    #expect(other.status == 429 && other.field("Retry-After") != nil)
    let early = try await harness.request("GET", "/v1/jobs/\(begun.id)/result")
    #expect(early.status == 409, "\(early.status) \(early.text)")
    #expect(try await harness.request("DELETE", "/v1/jobs/\(begun.id)").status == 204)
    try await waiting(for: "the service reaches the state") { harness.service.workCount == 0 }
    try await waiting(for: "the service reaches the state") {
      try FileManager.default.contentsOfDirectory(atPath: harness.service.temporaryFolder) == ["lock"]
    }
    try await harness.stop()
    #expect(harness.folder.contents.allSatisfy { $0.hasPrefix("screen.") })
  }

  @Test func whatIsNoVideoFails() async throws {
    let harness = try await ServiceHarness.start { $0.jobLife = 0.05 }
    let begun = try info(try await harness.request("POST", "/v1/jobs", body: try ScreenPicture.bytes()).body)
    let last = try #require(try await events(harness, begun.id).last)
    #expect(last.name == "failed" && last.info.error == "this is a picture")
    #expect(last.info.hint == "send pictures to /v1/replace")
    #expect(try await harness.request("POST", "/v1/jobs?do=paint", body: [1]).status == 400)
    #expect(try await harness.request("GET", "/v1/jobs/nothing/events").status == 404)
    try await harness.stop()
  }

  /// With two keys, each can hold half of the jobs.
  @Test func aKeyCannotTakeEveryJob() async throws {
    let (one, other) = (try ServiceKeys.make(for: "one"), try ServiceKeys.make(for: "other"))
    let harness = try await ServiceHarness.start { options in
      options.maximumJobs = 3
      options.keyFile = options.temporaryFolder + "/keys"
      _ = FileManager.default.createFile(
        atPath: options.temporaryFolder + "/keys", contents: Data("\(one.line)\n\(other.line)\n".utf8))
    }
    var statuses: [Int] = []
    for key in [one.key, one.key, one.key, other.key, other.key] {
      let answer = try await harness.request(
        "POST", "/v1/jobs", fields: ["Authorization: Bearer \(key)"], body: [1, 2, 3])
      statuses.append(answer.status)
    }
    #expect(statuses == [202, 202, 429, 202, 429])
    try await harness.stop()
  }

  /// A client with another key does not even learn that the job exists.
  @Test func jobsBelongToTheirKeys() async throws {
    let (one, other) = (try ServiceKeys.make(for: "one"), try ServiceKeys.make(for: "other"))
    let harness = try await ServiceHarness.start { options in
      options.keyFile = options.temporaryFolder + "/keys"
      _ = FileManager.default.createFile(
        atPath: options.temporaryFolder + "/keys", contents: Data("\(one.line)\n\(other.line)\n".utf8))
    }
    let mine = ["Authorization: Bearer \(one.key)"], theirs = ["Authorization: Bearer \(other.key)"]
    let begun = try info(try await harness.request("POST", "/v1/jobs", fields: mine, body: [1, 2, 3]).body)
    #expect(try await harness.request("GET", "/v1/jobs/\(begun.id)", fields: mine).status == 200)
    for (method, tail) in [("GET", ""), ("GET", "/events"), ("GET", "/result"), ("DELETE", "")] {
      #expect(try await harness.request(method, "/v1/jobs/\(begun.id)" + tail, fields: theirs).status == 404)
    }
    #expect(try await harness.request("GET", "/v1/jobs", fields: theirs).text == "[]")
    try await harness.stop()
  }
}
