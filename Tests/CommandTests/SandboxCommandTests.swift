import BackdropCodecs
import BackdropImaging
import BackdropPhotos
import Foundation
import TestSupport
import Testing

/// The command with its decoders in a sandbox.
@Suite struct SandboxCommandTests {
  let work = Workplace()

  /// A photo with depth and a matte of a noisy picture.
  private func photo(_ name: String, width: Int) throws {
    var random = SeededRandom(seed: UInt64(width))
    var photo = DepthPhoto(picture: DecodedPicture(Image.noise(.rgb8, width, 48, &random)))
    photo.set(
      try PhotoDepth(
        samples: Image(gray: Plane<UInt8>(repeating: 90, width: 32, height: 24)),
        properties: DepthProperties(.disparity, .uint8, first: 0.5, last: 2.25)
      ).auxiliary)
    let bytes = try DepthPhoto.container(named: name).encode(photo, options: PhotoFileOptions())
    try work.write(bytes, name)
  }

  @Test func batchGivesTheSameFiles() throws {
    try photo("a.jpg", width: 64)
    try photo("b.heic", width: 80)
    try photo("c.jpg", width: 96)
    let line = "apply depth-fog a.jpg b.heic c.jpg -q --output-dir"
    try work.succeed(line + " plain --no-sandbox")
    try work.succeed(line + " usual")
    try work.succeed(line + " asked --sandbox")
    for name in ["a.jpg", "b.heic", "c.jpg"] {
      let plain = try work.data("plain/" + name)
      for folder in ["usual", "asked"] {
        #expect(try work.data(folder + "/" + name) == plain, "\(folder)/\(name)")
      }
    }
  }

  /// If a decoder crashes on a file, only that file fails: the crash is in another process.
  @Test func crashCostsOnePicture() throws {
    for (name, width) in [("a.jpg", 64), ("b.jpg", 80), ("c.jpg", 96)] { try photo(name, width: width) }
    let source =
      "int tjDecompress2(void *h, const unsigned char *f, unsigned long n, unsigned char *o, int width, int p, int l, int m, int g) {"
      + "if (width == 80) *(volatile int *)8 = 1;"
      + "return ((int (*)(void *, const unsigned char *, unsigned long, unsigned char *, int, int, int, int, int))"
      + "dlsym(RTLD_NEXT, \"tjDecompress2\"))(h, f, n, o, width, p, l, m, g); }"
    try work.write(("#define _GNU_SOURCE\n#include <dlfcn.h>\n" + source).utf8, "crash.c")
    let made = try Program(
      "cc", ["-shared", "-fPIC", "-w", work.path("crash.c"), "-o", work.path("crash.so"), "-ldl"]
    ).wait()
    #expect(made.status == 0, "\(made.errors)")
    func run(_ line: String) throws -> Program.Outcome {
      try work.run(line, environment: ["LD_PRELOAD": work.path("crash.so")])
    }
    let batch = try run("apply depth-fog a.jpg b.jpg c.jpg --output-dir out")
    #expect(batch.status == 2, "\(batch.errors)")
    let said = batch.errors.split(separator: "\n").map(String.init)
    #expect(said.contains("[2/3] b.jpg failed: the decoder crashed on this file (signal 11)"), "\(said)")
    #expect(try work.names("out") == ["a.jpg", "c.jpg"])
    let one = try run("apply depth-fog b.jpg -o one.jpg --sandbox")
    #expect(
      one.status == 2 && one.errors.hasPrefix("error: the decoder crashed on this file (signal 11): b.jpg\nhint: "),
      "\(one.errors)")
    // Without a sandbox the program itself crashes.
    #expect(try run("apply depth-fog b.jpg -o one.jpg").status > 128)
  }

  @Test func videosGiveTheSameFrames() throws {
    try work.succeed("replace sim:talking?size=160x96&seconds=0.4 --background #00ff00 -o a.mkv --codec ffv1")
    func frames(_ flag: String) throws -> String {
      try work.succeed("apply noir a.mkv -o b.mkv --codec ffv1 --force " + flag)
      return try MediaTool.text(work.path("b.mkv"), "-f framemd5")
    }
    let plain = try frames("--no-sandbox")
    #expect(try frames("--sandbox") == plain && plain.split(separator: "\n").count > 10)
    try work.write(work.data("a.mkv").prefix(3000), "cut.mkv")
    for line in ["apply noir cut.mkv -o c.mkv", "apply noir crash.c -o c.mkv", "apply noir . -o c.mkv"] {
      let (here, there) = (try work.run(line + " --no-sandbox"), try work.run(line + " --sandbox"))
      #expect(here.status == there.status && here.errors == there.errors, "\(here.errors)\n\(there.errors)")
    }
  }

  /// Sound, subtitles, chapters and metadata are copied or converted in the same way as without a sandbox.
  @Test(.enabled(if: MediaTool.isPresent, "needs ffmpeg"))
  func otherStreamsComeAlong() throws {
    try work.write(
      Data(
        """
        ;FFMETADATA1
        title=A walk
        [CHAPTER]
        TIMEBASE=1/1000
        START=0
        END=400
        title=One
        [CHAPTER]
        TIMEBASE=1/1000
        START=400
        END=900
        title=Two

        """.utf8), "meta.txt")
    try work.write(Data("1\n00:00:00,100 --> 00:00:00,500\nHello\n".utf8), "text.srt")
    func make(_ name: String, _ codecs: String) throws {
      let inputs =
        "-f lavfi -i testsrc=size=64x48:rate=10:duration=1 -f lavfi -i sine=duration=1 -i \(work.path("text.srt")) "
        + "-i \(work.path("meta.txt"))"
      try MediaTool.make(
        "\(inputs) -map_metadata 3 -pix_fmt yuv420p \(codecs) -metadata:s:a:0 language=deu", work.path(name))
    }
    let all = "-map 0:v -map 1:a -map 2:s "
    try make("a.mp4", all + "-c:a aac -c:s mov_text")
    try make("a.mkv", all + "-c:a libopus -c:s srt")
    try make("a.ts", "-map 0:v -map 1:a -c:v mpeg2video -c:a aac")
    try make("dolby.mkv", "-map 0:v -map 1:a -c:a ac3")
    for (input, output) in [
      ("a.mp4", "b.mp4"), ("a.mkv", "b.mkv"), ("a.mkv", "b.mp4"), ("a.mp4", "b.mkv"), ("a.mp4", "b.webm"),
      ("a.ts", "b.mp4"), ("a.ts", "b.mkv"), ("dolby.mkv", "b.mkv"), ("dolby.mkv", "b.mp4"),
    ] {
      // All packets with their times, and the tags of streams and file. Video packets are left out, because the encoder is not
      // deterministic.
      func streams(_ flag: String) throws -> String {
        let said = try work.succeed("apply noir \(input) -o \(output) --force \(flag)").errors
        return try OutsideTool.text(
          "ffprobe",
          [
            "-v", "error", "-of", "compact", "-show_data_hash", "md5", "-show_entries",
            "packet=codec_type,pts,dts,duration,flags,data_hash:stream=codec_name,sample_rate,channels,start_time,time_base"
              + ":stream_tags=language:stream_disposition=default:format_tags=title:chapter=start_time,end_time"
              + ":chapter_tags=title", work.path(output),
          ]
        ).split(separator: "\n").filter { !$0.hasPrefix("packet|codec_type=video") }.joined(separator: "\n")
          + said.split(separator: "\n").filter { $0.hasPrefix("warning") }.joined()
      }
      let plain = try streams("--no-sandbox")
      #expect(try streams("--sandbox") == plain, "\(input) → \(output)")
      #expect(plain.contains("codec_type=audio") && plain.contains("language=deu"))
      let isWhole =
        plain.contains("title=A walk") && plain.contains("codec_type=subtitle") && plain.contains("title=Two")
      #expect(!["a.mp4", "a.mkv"].contains(input) || isWhole, "\(input) → \(output)")
    }
    // A part of a video: the frames after it are not read.
    for flag in ["--no-sandbox", "--sandbox"] {
      try work.succeed("apply noir a.mp4 --start 0.3 --duration 0.5 -o part\(flag).webm --force \(flag)")
    }
    let hashes = try ["--no-sandbox", "--sandbox"].map { flag in
      try MediaTool.packets(work.path("part" + flag + ".webm"), "a", ["pts_time", "data_hash"])
    }
    #expect(hashes[0] == hashes[1] && !hashes[0].isEmpty)
    // The filter for interlaced pictures is in a separate library.
    try make("fields.mp4", "-map 0:v -c:v mpeg2video -flags +ildct+ilme -vf setfield=tff")
    #expect(try work.succeed("apply noir fields.mp4 -o f.mp4 --sandbox").errors.contains("interlaced"))
    // If a muxer would parse the packets, the sandbox converts them.
    try make("packed.mkv", "-map 0:v -map 1:a -c:a wavpack")
    let said = try work.succeed("apply noir packed.mkv -o c.mkv --sandbox").errors
    #expect(said.contains("converts the sound (wavpack) to Opus, since only simple formats leave a sandbox"), "\(said)")
  }

  /// The sandbox also reads recordings in video files, with exactly the same depth.
  @Test func recordingsGiveTheSameDepth() throws {
    try work.succeed("record sim:talking?size=64x48&seconds=0.5 -o walk.mkv")
    for flag in ["--no-sandbox", "--sandbox"] {
      try work.succeed("replace walk.mkv -o walk\(flag).mkv --codec ffv1 --matte depth \(flag)")
    }
    func frames(_ name: String) throws -> String {
      try MediaTool.text(work.path(name), "-f framemd5")
    }
    let plain = try frames("walk--no-sandbox.mkv")
    #expect(try frames("walk--sandbox.mkv") == plain && plain.split(separator: "\n").count > 10)
    try work.write(work.data("walk.mkv").prefix(2000), "cut.mkv")
    let (here, there) = (
      try work.run("replace cut.mkv -o d.mkv --no-sandbox"), try work.run("replace cut.mkv -o d.mkv --sandbox")
    )
    #expect(here.status == there.status && here.errors == there.errors, "\(here.errors)\n\(there.errors)")
  }
}
