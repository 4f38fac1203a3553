import Foundation
import TestSupport
import Testing

@testable import BackdropImaging

/// Child processes; the shell's own output is the oracle.
@Suite struct ChildProcessTests {
  private func shell(_ script: String, input: ChildProcess.Stream = .null) throws -> ChildProcess {
    try ChildProcess("/bin/sh", ["-c", script], input: input, output: .pipe, errors: .pipe)
  }

  @Test func streamsAndStatus() throws {
    let process = try shell("echo out; echo errors >&2; exit 7")
    #expect(String(decoding: process.readOutput(), as: UTF8.self) == "out\n")
    #expect(String(decoding: process.readErrors(), as: UTF8.self) == "errors\n")
    #expect(process.wait() == 7 && process.wait() == 7 && process.status == 7)
  }

  /// A program receives more input than a pipe holds, and then the end of the input.
  @Test func inputComesToItsEnd() throws {
    let process = try shell("wc -c", input: .pipe)
    let bytes = [UInt8](repeating: 65, count: 300_000)
    var written = 0
    while written < bytes.count {
      let count = bytes[written...].withUnsafeBytes { write(process.input, $0.baseAddress, $0.count) }
      try #require(count > 0)
      written += count
    }
    close(process.input)
    #expect(String(decoding: process.readOutput(), as: UTF8.self).trimmed == "300000")
  }

  @Test func nothingIsAnEmptyInput() throws {
    #expect(try shell("cat").readOutput().isEmpty)
  }

  /// Child processes do not inherit open files and ignored signals.
  @Test func nothingIsHandedOn() throws {
    let open = Glibc.open("/dev/null", O_RDONLY)
    try #require(open > 2)
    defer { close(open) }
    let before = signal(SIGPIPE, SIG_IGN)
    defer { signal(SIGPIPE, before) }
    let process = try shell("ls /proc/self/fd; grep SigIgn /proc/self/status")
    let lines = String(decoding: process.readOutput(), as: UTF8.self).split(separator: "\n")
    // The three streams, and the folder that `ls` reads.
    #expect(lines.prefix { $0.allSatisfy(\.isNumber) } == ["0", "1", "2", "3"], "\(lines)")
    let ignored = try #require(lines.last?.split(separator: "\t").last.flatMap { UInt64($0, radix: 16) })
    #expect(ignored >> (UInt64(SIGPIPE) - 1) & 1 == 0)
  }

  @Test func endsWhenAsked() throws {
    let process = try shell("exec sleep 60")
    #expect(process.status == nil)
    process.terminate()
    #expect(process.wait() == 128 + SIGTERM)
    // The id of an ended process may belong to another process, so this must send no signal.
    process.terminate()
  }

  @Test func whatIsNoProgramIsToldAsThat() throws {
    let folder = TemporaryFolder()
    for path in [folder.file("none"), folder.path] {
      #expect(throws: BackdropError.self) { try ChildProcess(path, []) }
    }
    try folder.write("#!/bin/sh\n".utf8, "plain")
    #expect(!FileCalls.mayRun(folder.file("plain")) && !FileCalls.mayRun(folder.path) && FileCalls.mayRun("/bin/sh"))
    let found = try #require(ChildProcess.find("sh"))
    #expect(found.hasPrefix("/") && found.hasSuffix("/sh") && ChildProcess.find("no-such-program") == nil)
  }
}
