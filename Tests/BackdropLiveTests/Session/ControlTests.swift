import BackdropImaging
import BackdropLive
import Foundation
import Synchronization
import TestSupport
import Testing

@Suite struct ControlTests {
  private static let commands: [([String], LiveCommand)] = [
    (["background", "scene:dunes"], .background("scene:dunes")), (["next-background"], .nextBackground),
    (["previous-background"], .previousBackground), (["add-background", "a b.png"], .addBackground("a b.png")),
    (["remove-background", "a b.png"], .removeBackground("a b.png")),
    (["look", "halo"], .look("halo")), (["next-look"], .nextLook), (["previous-look"], .previousLook),
    (["set", "radius", "8.5"], .set("radius", 8.5)), (["reset", "radius"], .reset("radius")),
    (["mirror"], .mirror(nil)), (["mirror", "on"], .mirror(true)), (["freeze", "off"], .freeze(false)),
    (["standby"], .standby(nil)), (["show-room", "on"], .showRealBackground(true)), (["pause", "on"], .pause(true)),
    (["camera", "sim:mug"], .camera("sim:mug")),
    (["snapshot", "a.heic"], .snapshot("a.heic")), (["record", "a.mp4"], .record("a.mp4", raw: nil)),
    (["record", "a.mp4", "a.mkv"], .record("a.mp4", raw: "a.mkv")), (["stop-recording"], .stopRecording),
    (["status"], .status), (["quit"], .quit),
  ]

  @Test(arguments: commands) func wordsAndJSONMeanTheSame(words: [String], command: LiveCommand) throws {
    #expect(try LiveCommand(words: words) == command)
    let json = try JSONEncoder().encode(command)
    #expect(try LiveCommand(json: json) == command)
    #expect(LiveCommand.usages.contains { $0.name == words[0] })
  }

  @Test func everyCommandIsTried() {
    #expect(Set(Self.commands.map { $0.0[0] }) == Set(LiveCommand.usages.map(\.name)))
  }

  @Test(arguments: [
    [], ["dance"], ["background"], ["set"], ["set", "radius"], ["set", "radius", "wide"], ["set", "radius", "nan"],
    ["mirror", "perhaps"], ["next-look", "halo"], ["look", "a", "b"], ["record"], ["snapshot", ""],
  ]) func refusesWords(words: [String]) {
    #expect(throws: BackdropError.self) { try LiveCommand(words: words) }
  }

  @Test(arguments: [
    "", "{}", "[]", "null", "{\"do\": 3}", "{\"do\": \"dance\"}", "{\"do\": \"background\"}",
    "{\"do\": \"set\", \"name\": \"radius\"}", "{\"do\": \"set\", \"name\": \"radius\", \"value\": 1e999}",
    "{\"do\": \"set\", \"value\": 3}", "{\"do\": \"mirror\", \"value\": [1]}", String(repeating: "[", count: 5000),
  ]) func refusesJSON(text: String) {
    #expect(throws: BackdropError.self) { try LiveCommand(json: Array(text.utf8)) }
  }

  @Test func theSocketAnswers() throws {
    let folder = TemporaryFolder()
    let path = folder.path + "/s"
    #expect(throws: BackdropError.self) { try ControlSocket.send(.status, to: path) }
    let seen = Mutex<[LiveCommand]>([])
    let later = Hint("later", "later", ["when": "at noon"])
    let socket = try ControlSocket.open(path) { (command) throws(BackdropError) in
      seen.withLock { $0.append(command) }
      if command == .standby(nil) { throw BackdropError(.wrongArgument, "not now", hint: later) }
      var status = LiveStatus()
      status.hint = later
      status.look = "halo"
      return status
    }
    // Only its owner has access.
    let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    #expect(mode == 0o600)
    #expect(throws: BackdropError.self) {
      try ControlSocket.open(path) { (_) throws(BackdropError) in LiveStatus() }
    }
    let status = try ControlSocket.send(.set("radius", 3), to: path)
    #expect(status.look == "halo" && status.hint == later)
    let error = try #require(refusal { try ControlSocket.send(.standby(nil), to: path) })
    #expect(error.message == "not now" && error.hint == later)
    #expect(seen.withLock { $0 } == [.set("radius", 3), .standby(nil)])
    // After nonsense, half a line and a line without end, the server answers or disconnects, and the socket stays open.
    for text in ["nonsense\n", "{\"do\"", String(repeating: "x", count: 200_000)] { try say(text, to: path) }
    #expect(try ControlSocket.send(.status, to: path).look == "halo")
    socket.close()
    #expect(throws: BackdropError.self) { try ControlSocket.send(.status, to: path) }
    // The socket file of a killed program does not prevent a new start.
    #expect(withSocket(at: path) { bind($0, $1, $2) } == 0)
    let second = try ControlSocket.open(path) { (_) throws(BackdropError) in LiveStatus() }
    second.close()
  }

  private func say(_ text: String, to path: String) throws {
    let connected = withSocket(at: path) { descriptor, address, length in
      let connected = connect(descriptor, address, length)
      _ = Array(text.utf8).withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
      return connected
    }
    #expect(connected == 0)
  }

  private func withSocket(
    at path: String, _ body: (Int32, UnsafePointer<sockaddr>, socklen_t) -> Int32
  ) -> Int32 {
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(descriptor) }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
    return withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        body(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
  }

  @Test func settingsComeBack() throws {
    let folder = TemporaryFolder()
    let path = folder.path + "/a/b/live.json"
    #expect(try LiveConfiguration.load(path) == LiveSettings())
    var settings = LiveSettings()
    settings.camera = "sim:mug"
    settings.request.rate = 15
    settings.analysis.mattes = .depth
    settings.values = ["radius": 3]
    settings.mirror = true
    try LiveConfiguration.save(settings, to: path)
    #expect(try LiveConfiguration.load(path) == settings)
    try "{\"mirror\": true, \"fps\": 24}".write(toFile: path, atomically: true, encoding: .utf8)
    let part = try LiveConfiguration.load(path)
    #expect(part.mirror && part.request.rate == 24 && part.request.width == 1280)
  }

  @Test(arguments: [
    ("{", "not JSON"), ("[]", "not a JSON object"), ("{\"mirrors\": true}", "no setting 'mirrors'"),
    ("{\"mirror\": 3}", "mirror 3 is neither on nor off"), ("{\"fps\": 0}", "out of range"),
    ("{\"look\": \"nowhere\"}", "there is no look"), ("{\"matte\": \"magic\"}", "matte cannot be 'magic'"),
    ("{\"background\": \"none\"}", "needs a background"),
  ]) func refusesSettings(text: String, says: String) throws {
    let folder = TemporaryFolder()
    let path = folder.path + "/live.json"
    try text.write(toFile: path, atomically: true, encoding: .utf8)
    let error = try #require(refusal { try LiveConfiguration.load(path) })
    #expect(error.description.contains(says) && error.path == path, "\(error)")
    #expect(error.hint != nil)
  }
}
