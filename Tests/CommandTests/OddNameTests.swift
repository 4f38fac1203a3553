import BackdropImaging
import Foundation
import TestSupport
import Testing

/// Names of any bytes and any legal length, as inputs and outputs, in folders and for cameras.
@Suite final class OddNameTests {
  let work = Workplace()
  static let short = "sim:?size=64x48&seconds=0.1"

  // Foundation cannot remove files whose names are not text.
  deinit { try? Folder.remove(work.folder.path) }

  /// Runs a line of bash in which `backdrop` is the built command and `$'\xff'` a byte.
  @discardableResult
  private func bash(_ line: String) throws -> String {
    String(
      decoding: try OutsideTool.run(
        "bash",
        ["-ec", "shopt -s expand_aliases; backdrop() { \"$BINARY\" \"$@\"; }; cd \"$WORK\"; " + line]
          .map { $0.replacing("$BINARY", with: BuiltCommand.path).replacing("$WORK", with: work.folder.path) }),
      as: UTF8.self)
  }

  /// The bytes of all names in a folder, in order.
  private func names(_ folder: String = "") throws -> [[UInt8]] {
    try Folder.names(in: work.path(folder)).map { FilePath.bytes($0) }.sorted { $0.lexicographicallyPrecedes($1) }
  }

  private func bytes(_ parts: Any...) -> [UInt8] {
    parts.flatMap { part in part as? [UInt8] ?? Array((part as? String ?? "").utf8) }
  }

  @Test func noUTF8() throws {
    try work.pair()
    try work.depthFolder("depths", 3, 64, 48)
    try bash(
      #"""
      mv depths $'dep\xfe'; mkdir $'in\xfe' && cp p.png $'in\xfe/p\xff.png' && cp d.png $'in\xfe/d\xff.png'
      backdrop replace $'in\xfe/p\xff.png' --matte depth --depth $'in\xfe/d\xff.png' --background $'in\xfe/p\xff.png' -o $'in\xfe/o\xff\xfe.png'
      backdrop replace $'in\xfe/p\xff.png' --matte depth --depth $'in\xfe/d\xff.png' -o $'o\xff.jpg'
      backdrop replace '\#(Self.short)' -o $'v\xc3.mp4'
      backdrop replace $'v\xc3.mp4' --matte depth --depth $'dep\xfe' -o $'w\xff.mp4'
      backdrop matte '\#(Self.short)' -o $'m\x80.mkv'
      backdrop replace '\#(Self.short)' -o $'n\xff%d.png'
      backdrop record '\#(Self.short)' -o $'r\xff.mkv'
      backdrop record '\#(Self.short)' -o $'r\xff'
      backdrop convert-recording $'r\xff' $'r\xff.r3d' && backdrop convert-recording $'r\xff.r3d' $'s\xff.mkv' && backdrop depth stats $'s\xff.mkv'
      """#)
    let made = try names()
    for name in [
      bytes("o", [0xFF] as [UInt8], ".jpg"), bytes("v", [0xC3] as [UInt8], ".mp4"),
      bytes("w", [0xFF] as [UInt8], ".mp4"),
      bytes("m", [0x80] as [UInt8], ".mkv"),
      bytes("n", [0xFF] as [UInt8], "3.png"), bytes("r", [0xFF] as [UInt8], ".mkv"), bytes("r", [0xFF] as [UInt8]),
      bytes("r", [0xFF] as [UInt8], ".r3d"), bytes("s", [0xFF] as [UInt8], ".mkv"),
    ] { #expect(made.contains(name), "\(String(decoding: name, as: UTF8.self))") }
    #expect(try names(FilePath.text([0x69, 0x6E, 0xFE])).contains(bytes("o", [0xFF, 0xFE] as [UInt8], ".png")))
  }

  /// A folder with such names works as a batch, even if two names differ only in the encoding of an accent.
  @Test func batches() throws {
    try bash(
      #"""
      backdrop record '\#(Self.short)' -q -o r.mkv; mkdir in
      for n in $'a\xff' $'a\xfe' $'\xcc\x81accent' $'\xc3\xa9' $'e\xcc\x81' $'line\nbreak'; do cp r.mkv in/"$n".mkv; done
      backdrop replace in --output-dir $'out\xff' -q
      """#)
    #expect(try names("in").count == 6)
    #expect(try names(FilePath.text([0x6F, 0x75, 0x74, 0xFF])) == names("in"))
  }

  @Test(arguments: [249, 250, 254, 255]) func longNames(length: Int) throws {
    try work.makeFolder("out")
    for fileExtension in [".png", ".mp4", ".mkv"] {
      let name = String(repeating: "n", count: length - fileExtension.utf8.count) + fileExtension
      try work.succeed("replace \(Self.short) -o \(name)")
      try work.succeed("replace \(Self.short) -o out/\(name)")
    }
    for fileExtension in [".mkv", ".r3d", ""] {
      try work.succeed(
        "record \(Self.short) -o \(String(repeating: "r", count: length - fileExtension.utf8.count))\(fileExtension)")
    }
    #expect(work.folder.contents.count == 7 && !work.folder.contents.contains { $0.contains("partial") })
    let tooLong = String(repeating: "n", count: 252) + ".png"
    try work.refuse("replace \(Self.short) -o \(tooLong)", says: "longer than 255 bytes", path: tooLong)
  }

  /// A percent sign that begins no number is part of a plain name, and so are dashes, spaces and line breaks.
  @Test func signs() throws {
    try work.pair()
    let plain = [
      "out 50%.png", "%s.png", "100%%.png", " a .png", "line\nbreak.png", "-dash.png", "ü.png", "u\u{308}.png",
      "a.b.png",
    ]
    for name in plain {
      let outcome = try work.run([
        "replace", "p.png", "--depth", "d.png", "-q", "-o", name.hasPrefix("-") ? "./" + name : name,
      ])
      #expect(outcome.status == 0, "\(name): \(outcome.errors)")
    }
    let made = try names()
    for name in plain { #expect(made.contains(bytes(name)), "\(name)") }
    try work.succeed("replace \(Self.short) -o n%%-%02d.png")
    #expect(try (1...3).allSatisfy { try names().contains(bytes("n%-0\($0).png")) })
    // The name of a colour means the colour; with a folder in front it means the file.
    try work.picture("navy.png", color: RGBColor(red: 0, green: 1, blue: 0))
    try FileManager.default.moveItem(atPath: work.path("navy.png"), toPath: work.path("navy"))
    try work.depth("far.png", 64, 48, 9000)
    for (background, color) in [("navy", [0, 0, 128]), ("./navy", [0, 255, 0])] {
      try work.succeed("replace p.png --matte depth --depth far.png --background \(background) -o b.png --force")
      #expect(try work.color("b.png", x: 5, y: 5) == color, "\(background)")
    }
  }

  @Test func messagesCanBeRead() throws {
    let said = try bash(#"backdrop replace $'no\xff\x1b.mp4' -o x.mp4 2>&1 || true"#)
    #expect(said.hasPrefix("error: no such file: no\\xFF?.mp4\nhint: "), "\(said)")
    let json = try bash(#"backdrop record '\#(Self.short)' -o $'a\xff.mkv' --json"#)
    let root = try #require(try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any])
    #expect((root["output"] as? String).map { FilePath.bytes($0) } == bytes("a", [0xFF] as [UInt8], ".mkv"))
  }

  /// `file:` opens any file as a camera, also names that look like another kind of camera.
  @Test func fileCameras() throws {
    try bash(#"backdrop record '\#(Self.short)' -q -o sim:a.mkv; cp sim:a.mkv $'b\xff.mkv'"#)
    for camera in [#"file:sim:a.mkv"#, #"$'file:b\xff.mkv'"#, #"$'b\xff.mkv'"#, #"file:"$PWD"/sim:a.mkv"#] {
      let json = try bash(
        #"backdrop live --no-config \#(camera) --matte depth --size 128x96 --socket s --seconds 2 --json -q -o null"#)
      let root = try #require(try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any])
      #expect((root["cameraMode"] as? String)?.hasPrefix("64×48") == true, "\(camera): \(json)")
    }
    try work.refuse(
      "live --no-config file:nowhere.mp4 --socket s --seconds 1 -o null", says: "no such file", path: "./nowhere.mp4")
    let help = try work.succeed("cameras --help")
    #expect(help.text.contains("file:PATH"))
  }

  /// The socket, and commands to a session over it.
  @Test func liveSessions() throws {
    try bash(
      #"""
      trap 'kill $(jobs -p) 2>/dev/null || true' EXIT
      backdrop live --no-config sim: --matte depth --size 320x240 --socket $'s\xff' -q -o null &
      until backdrop ctl --socket $'s\xff' status 2>/dev/null | grep -q 'showing *live'; do sleep 0.1; done
      backdrop ctl --socket $'s\xff' snapshot $'shot\xff.jpg'
      backdrop ctl --socket $'s\xff' record $'talk\xff.mp4' $'raw\xff.mkv'
      until backdrop ctl --socket $'s\xff' status --json | grep -qE '"recordingSeconds" ?: ?(0?\.0*[1-9]|[1-9])'; do sleep 0.1; done
      backdrop ctl --socket $'s\xff' quit
      wait
      """#)
    for name in ["shot", "talk", "raw"] {
      let found = try names().contains { $0.starts(with: bytes(name, [0xFF] as [UInt8], ".")) }
      #expect(found, "\(name)")
    }
  }
}
