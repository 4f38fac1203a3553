import BackdropCodecs
import BackdropImaging
import Foundation
import TestSupport
import Testing

/// `backdrop serve` as a process.
@Suite struct ServeCommandTests {
  let folder = TestSupport.TemporaryFolder()

  /// A service on a free port.
  private func start(_ options: [String] = []) throws -> (program: Program, port: Int) {
    let program = try BuiltCommand.start(
      ["serve", "--port", "0"] + options, folder: folder.path, environment: ["TMPDIR": folder.path])
    let address = String(decoding: program.waitForOutput(), as: UTF8.self)
    let port = address.trimmingCharacters(in: .whitespacesAndNewlines).split(separator: ":").last.flatMap { Int($0) }
    return (program, try #require(port, "\(program.isRunning ? address : program.wait().errors)"))
  }

  private func ask(_ port: Int, _ text: String, _ body: [UInt8] = []) async throws -> RawClient.Reply {
    try await onThread {
      let client = try RawClient(port: port)
      client.send(Array(text.replacing("\n", with: "\r\n").utf8) + body)
      return client.reply()
    }
  }

  private func grey() throws -> [UInt8] {
    var image = Image(.rgb8, width: 64, height: 64)
    for y in 0..<64 {
      var row = image.mutableRow(y)
      for index in 0..<192 { row[index] = 120 }
    }
    return try Picture.encode(image, as: .png)
  }

  @Test func servesUntilItIsEnded() async throws {
    let (program, port) = try start()
    #expect(try await ask(port, "GET /healthz HTTP/1.1\nHost: localhost\n\n").status == 200)
    let picture = try grey()
    let reply = try await ask(
      port,
      "POST /v1/replace?matte=chroma HTTP/1.1\nHost: localhost\nContent-Type: image/png\nContent-Length: \(picture.count)\n\n",
      picture)
    #expect(reply.status == 422, "\(reply.text)")
    program.send(SIGTERM)
    let outcome = program.wait()
    #expect(outcome.status == 0)
    struct Line: Decodable { var route: String, status: Int }
    // As root, the service says so first.
    let lines = try outcome.errors.split(separator: "\n").filter { !$0.hasPrefix("warning: the service runs as root") }
      .map {
        try JSONDecoder().decode(Line.self, from: Data($0.utf8))
      }
    #expect(lines.map(\.route) == ["/healthz", "/v1/replace"] && lines.map(\.status) == [200, 422])
    #expect(folder.contents == [])
  }

  /// The program that packages install serves without another program beside it.
  @Test func servesAlone() throws {
    let path = folder.file("backdrop")
    try FileManager.default.copyItem(atPath: BuiltCommand.path + "-server", toPath: path)
    let made = try Program(path, ["serve", "--new-key", "one"]).wait()
    #expect(made.status == 0 && made.text.hasPrefix("one "))
    // The program without servers needs it in its folder.
    try FileManager.default.removeItem(atPath: path)
    try FileManager.default.copyItem(atPath: BuiltCommand.path, toPath: path)
    let missing = try Program(path, ["serve", "--new-key", "one"]).wait()
    #expect(missing.status == 2 && missing.errors.contains("backdrop-server is missing"))
  }

  @Test func readsItsKeysAgain() async throws {
    func make(_ name: String) throws -> (key: String, line: String) {
      let outcome = try BuiltCommand.run(["serve", "--new-key", name])
      #expect(outcome.status == 0)
      let key = try #require(outcome.errors.firstMatch(of: /bd_[a-z2-9]{26}/)).0
      return (String(key), outcome.text)
    }
    let (one, two) = (try make("one"), try make("two"))
    #expect(one.line.hasPrefix("one ") && !one.line.contains(one.key))
    let path = try folder.write(one.line.utf8, "keys")
    let (program, port) = try start(["--keys", path, "--quiet"])
    func status(_ key: String) async throws -> Int {
      try await ask(port, "GET /v1/looks HTTP/1.1\nHost: localhost\nAuthorization: Bearer \(key)\n\n").status
    }
    #expect(try await status(one.key) == 200)
    #expect(try await status(two.key) == 401)
    try Data((one.line + two.line).utf8).write(to: URL(filePath: path))
    program.send(SIGHUP)
    try await waiting(for: "the second key is known") { try await status(two.key) == 200 }
    #expect(try await status(one.key) == 200)
    program.send(SIGTERM)
    #expect(program.wait().status == 0)
  }

  @Test(arguments: [
    ("--address 0.0.0.0", "can be reached from other computers", "--keys FILE"),
    ("--address 127.example.org", "can be reached from other computers", "--keys FILE"),
    ("--keys nothing", "no such file", "check the name"),
    ("--port 70000", "the port, 70000, is out of range", nil),
    ("--deadline 0", "the deadline of 0 s is out of range", nil),
    ("--limit-body much", "'much' is not a size", "--limit-body 200MB"),
    ("--allow-origin example.org", "is not an origin", "https://example.org"),
    ("--new-key a\u{7F}b", "cannot be the name of a key", "use letters"),
  ])
  func refuses(words: String, message: String, hint: String?) throws {
    let outcome = try BuiltCommand.run(["serve"] + words.split(separator: " ").map(String.init), folder: folder.path)
    #expect(
      outcome.status == 2 && outcome.errors.contains(message) && (hint.map(outcome.errors.contains) ?? true),
      "\(outcome.errors)")
  }

  @Test func aTakenPortIsNamed() throws {
    let (program, port) = try start()
    let outcome = try BuiltCommand.run(["serve", "--port", "\(port)"])
    #expect(outcome.status == 2 && outcome.errors.contains("another program uses the port \(port)"))
    program.send(SIGTERM)
    program.wait()
  }

  /// Starts the service like systemd, with a socket that already listens and an address for notifications.
  @Test(.enabled(if: OutsideTool.isPresent("python3"), "needs Python")) func takesASocketOver() throws {
    let script = """
      import os, signal, socket, subprocess, sys, urllib.request
      listener = socket.create_server(("127.0.0.1", 0))
      notices = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
      notices.bind(sys.argv[2])
      if (child := os.fork()) == 0:
          os.dup2(listener.fileno(), 3)
          os.set_inheritable(3, True)
          os.execve(sys.argv[1], ["backdrop", "serve", "--quiet"],
                    {**os.environ, "LISTEN_FDS": "1", "LISTEN_PID": str(os.getpid()), "NOTIFY_SOCKET": sys.argv[2]})
      port = listener.getsockname()[1]
      listener.close()
      assert notices.recv(100) == b"READY=1"
      assert urllib.request.urlopen(f"http://127.0.0.1:{port}/readyz").status == 200
      os.kill(child, signal.SIGTERM)
      assert notices.recv(100) == b"STOPPING=1"
      assert os.waitpid(child, 0)[1] == 0
      """
    let outcome = try Program(
      "python3", ["-c", script, BuiltCommand.path, folder.file("notices")], environment: ["TMPDIR": folder.path]
    ).wait()
    #expect(outcome.status == 0, "\(outcome.errors)")
  }
}
