import BackdropHTTP
import BackdropImaging
import BackdropLooks
import Foundation
import NIOCore
import NIOHTTP1
import TestSupport
import Testing

@testable import BackdropServe

/// The OpenAPI description matches the service's routes and settings.
@Suite struct DescriptionTests {
  @Test func describesAllRoutesAndSettings() async throws {
    let harness = try await ServiceHarness.start { $0.answersRembg = true }
    let reply = try await harness.request("GET", "/openapi.json")
    let document = try #require(try JSONSerialization.jsonObject(with: Data(reply.body)) as? [String: Any])
    #expect(document["openapi"] as? String == "3.1.0")
    let paths = try #require(document["paths"] as? [String: [String: Any]])
    #expect(Set(paths.keys) == Set(Route.allCases.map(\.rawValue)))
    for route in Route.allCases {
      #expect(Set(try #require(paths[route.rawValue]).keys) == Set(route.methods.map { $0.rawValue.lowercased() }))
    }
    let replace = try #require(paths["/v1/replace"]?["post"] as? [String: Any])
    let names = try #require(replace["parameters"] as? [[String: Any]]).compactMap { $0["name"] as? String }
    let wanted = ServiceSettings.all.map(\.name).filter { !MediaRequest.fileSettings.contains($0) }
    #expect(Set(names) == Set(wanted + ["format", "look-parameters"]) && names.count == Set(names).count)
    // Each reference has a target.
    let text = String(decoding: reply.body, as: UTF8.self)
    for match in text.matches(of: /"\$ref":"#\/components\/(\w+)\/(\w+)"/) {
      let section = (document["components"] as? [String: Any])?[String(match.1)] as? [String: Any]
      #expect(section?[String(match.2)] != nil, "\(match.0)")
    }
    try await harness.stop()
  }

  @Test func listsLooksAndSettings() async throws {
    struct Named: Decodable { var id: String?, name: String? }
    let harness = try await ServiceHarness.start()
    let looks = try JSONDecoder().decode([Named].self, from: Data(try await harness.request("GET", "/v1/looks").body))
    #expect(looks.compactMap(\.id) == Look.builtIn.map(\.id))
    let settings = try await harness.request("GET", "/v1/settings")
    let read = try JSONDecoder().decode([Named].self, from: Data(settings.body))
    #expect(read.compactMap(\.name) == ServiceSettings.all.map(\.name))
    // Each setting accepts its own default.
    for parameter in ServiceSettings.all {
      if let value = parameter.default { #expect(throws: Never.self) { try parameter.check(value) } }
    }
    try await harness.stop()
  }

  @Test func thePageAsksNoOtherHost() async throws {
    let harness = try await ServiceHarness.start()
    let page = try await harness.request("GET", "/docs")
    #expect(page.status == 200 && page.field("Content-Security-Policy")?.hasPrefix("default-src 'none'") == true)
    #expect(!page.text.contains("<script") && !page.text.contains("https://"))
    for route in Route.allCases where route != .rembg { #expect(page.text.contains(route.rawValue), "\(route)") }
    #expect(try await harness.request("GET", "/docs.css").field("Content-Type") == "text/css; charset=utf-8")
    try await harness.stop()
  }

  @Test(arguments: ["/v1/none", "/", "/v1/jobs/a/b", "/api/remove", "/v1/replace/x", "/..%2f..%2fetc/passwd"])
  func otherAddressesAreNone(target: String) async throws {
    let harness = try await ServiceHarness.start()
    let reply = try await harness.request("GET", target)
    #expect(reply.status == 404)
    #expect(try ServiceHarness.trouble(reply).code == "not-found")
    try await harness.stop()
  }

  /// The form of rembg 2.0's clients: `requests.post(url, files={"file": …}, data={"om": "true"})`.
  @Test func answersClientsOfRembg() async throws {
    let picture = try ScreenPicture.bytes()
    let form = ServiceHarness.form([
      ("file", "a.png", picture), ("model", nil, Array("u2netp".utf8)), ("bgc", nil, Array("255,0,0,255".utf8)),
      ("a", nil, Array("true".utf8)),
    ])
    var request = BackdropHTTP.Request(
      HTTPRequestHead(version: .http1_1, method: .POST, uri: "/api/remove"), peer: "127.0.0.1")
    let folder = TemporaryFolder()
    let drops = try DropFolder(in: folder.path, prefix: "rembg-", quota: UploadQuota(hint: "try again"))
    request.file = try BodyFile(in: drops, of: "", form.body)
    let type = String(form.type.dropFirst("Content-Type: ".count))
    let read = try RembgRequest.read(request, type: type)
    #expect(read.operation == .replace && read.format == "png" && read.options.map(\.value) == ["any", "#ff0000ff"])
    request.query = [("om", "true")]
    #expect(try RembgRequest.read(request, type: type).operation == .matte)
    request.query = [("bgc", "300,0,0")]
    #expect(throws: BackdropError.self) { try RembgRequest.read(request, type: type) }
    request.method = .GET
    #expect(
      try #require(throws: BackdropError.self) { try RembgRequest.read(request, type: type) }.kind == .unsupported)
  }

  /// Notes about a picture are header fields, which contain only ASCII.
  @Test func headsHoldASCII() throws {
    let texts = ["384×216", "\"quoted\" 😀\u{7F}\n"]
    let list = HeaderText.list(texts)
    #expect(list.allSatisfy { $0.isASCII && !$0.isNewline })
    #expect(try JSONDecoder().decode([String].self, from: Data(list.utf8)) == texts)
  }
}
