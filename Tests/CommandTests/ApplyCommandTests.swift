import BackdropCodecs
import BackdropDepth
import BackdropImaging
import BackdropLooks
import Foundation
import TestSupport
import Testing

/// `backdrop apply`: looks of generated photos, with the built command.
@Suite struct ApplyCommandTests {
  let work = Workplace()

  /// `x.jpg` of 64 × 48 with depth that grows from left to right, and a portrait matte of its middle.
  func made() throws {
    try work.picture("p.jpg")
    let units = Plane<UInt16>(width: 32, height: 24) { x, _ in UInt16(500 + 40 * x) }
    try work.save(DepthMap(units: units, unitsPerMetre: 1000).image(unitsPerMetre: 1000), "d.png")
    let matte = Plane<UInt8>(width: 32, height: 24) { x, y in (12..<20).contains(x) && y >= 6 ? 255 : 0 }
    try work.save(Image(gray: matte), "m.png")
    try work.succeed("photo embed p.jpg --depth d.png --portrait-matte m.png -o x.jpg")
  }

  /// Looks that do not move the picture copy a photo's depth and matte byte by byte; looks that move content remove them.
  @Test func depthAndMattesStayWhereTheyFit() throws {
    try made()
    try work.succeed("apply noir x.jpg -o noir.jpg")
    try work.succeed("photo extract x.jpg --save-depth d1.png --save-portrait-matte m1.png")
    try work.succeed("photo extract noir.jpg --save-depth d2.png --save-portrait-matte m2.png")
    #expect(try work.data("d1.png") == work.data("d2.png"))
    #expect(try work.data("m1.png") == work.data("m2.png"))
    try work.succeed("apply big-head x.jpg -o big.jpg")
    let text = try work.text("photo inspect big.jpg")
    #expect(!text.contains("matte"))
    try work.succeed("apply noir x.jpg -o noir.heic")
    try work.succeed("photo extract noir.heic --save-portrait-matte m3.png")
    #expect(try Picture.load(work.path("m3.png")).width == 32)
  }

  /// The left side is nearest: with the focus there, the right side is black. A point has the same effect as a number.
  @Test func theFocusIsANumberOrAPoint() throws {
    try made()
    try work.succeed("apply spotlight x.jpg -o near.png --focus 1 --slope 8 --width 0")
    #expect(try work.color("near.png", x: 60, y: 24) == [0, 0, 0])
    #expect(try work.color("near.png", x: 1, y: 24) != [0, 0, 0])
    try work.succeed("apply --at 62,20 spotlight --slope=8 x.jpg --width 0 -o far.png")
    #expect(try work.color("far.png", x: 1, y: 24) == [0, 0, 0])
    #expect(try work.color("far.png", x: 62, y: 24) != [0, 0, 0])
    let object = try work.json("apply spotlight x.jpg -o f.png --at 32,24")
    let settings = try #require(object["values"] as? [String: Double])
    // Depth 500 + 40 · 16 mm of 500…1740: (1/1.14 − 1/1.74) / (1/0.5 − 1/1.74), within a sample and 8 bits of depth.
    #expect(abs((settings["focus"] ?? -1) - 0.212) < 0.03)
    #expect(object["disparityFrom"] as? String == "depth")
  }

  @Test func sweepsAreStripsOrVideos() throws {
    try made()
    try work.succeed("apply spotlight x.jpg --sweep focus=0…1:3 -o strip.png")
    try work.succeed("apply spotlight x.jpg --sweep focus=0..1:3 -o again.png")
    try work.succeed("apply spotlight x.jpg --sweep focus=0...1:3 -o third.png")
    #expect(try work.data("strip.png") == work.data("again.png"))
    #expect(try work.data("strip.png") == work.data("third.png"))
    let strip = try Picture.load(work.path("strip.png"))
    #expect(strip.width == 3 * 64 + 4 * 12)
    try work.succeed("apply spotlight x.jpg --sweep focus=0..1:5 -o film.mp4")
    #expect(try work.data("film.mp4").count > 500)
  }

  /// A moving result can also be a GIF or a video of any kind.
  @Test func whatMovesIsAFilm() throws {
    try made()
    try work.succeed("apply parallax x.jpg -o p.gif")
    // Three seconds in steps of eight hundredths.
    let gif = try MediaTool.video(work.path("p.gif"))
    #expect(gif["codec_name"] == "gif" && gif["width"] == "64" && gif["height"] == "48")
    #expect(gif["nb_read_frames"] == "38")
    try work.succeed("apply spotlight x.jpg --sweep focus=0..1:5 -o s.gif")
    #expect(try MediaTool.video(work.path("s.gif"))["nb_read_frames"] == "5")
    try work.succeed("apply parallax x.jpg -o p.webm")
    let webm = try MediaTool.video(work.path("p.webm"))
    #expect(webm["codec_name"] == "vp9" && webm["nb_read_frames"] == "90")
    try work.refuse("apply parallax x.jpg -o p.gif", says: "the output already exists")
  }

  /// The result has two views of each frame side by side.
  @Test func streamsHaveTwoViews() throws {
    try work.succeed("apply side-by-side sim:talking?seconds=0.2&size=160x120 -o two.mkv")
    let video = try MediaTool.video(work.path("two.mkv"))
    #expect(video["width"] == "320" && video["height"] == "120")
    try work.succeed("apply anaglyph sim:talking?seconds=0.2&size=160x120 -o red.mkv")
    #expect(try MediaTool.video(work.path("red.mkv"))["width"] == "160")
  }

  /// PNG files keep a photo's colour profile and EXIF, and their pixels are upright.
  @Test func picturesKeepProfileAndEXIF() throws {
    try made()
    try OutsideTool.run(
      "exiftool",
      [
        "-q", "-overwrite_original", "-n", "-Model=iPhone 7 Plus", "-DateTimeOriginal=2026:03:01 12:34:56",
        "-FocalLength=6.6", "-Orientation=6", "-icc_profile<=" + (try profile()), work.path("x.jpg"),
      ])
    let photo = work.path("x.jpg")
    func tags(_ path: String) throws -> [String: Any] {
      let data = try OutsideTool.run(
        "exiftool",
        ["-j", "-n", "-Model", "-DateTimeOriginal", "-FocalLength", "-Orientation", "-ProfileDescription", path])
      let list = try JSONSerialization.jsonObject(with: data) as? [[String: Any]]
      return list?.first ?? [:]
    }
    let wanted = try tags(photo)
    #expect(wanted["ProfileDescription"] != nil)
    for line in ["apply color-highlight \(photo) -o a.png", "photo extract \(photo) --save-picture b.png"] {
      try work.succeed(line)
      let name = String(line.split(separator: " ").last ?? "")
      let found = try tags(work.path(name))
      for key in ["Model", "DateTimeOriginal", "FocalLength", "ProfileDescription"] {
        #expect("\(found[key] ?? "")" == "\(wanted[key] ?? "")", "\(key) in \(name)")
      }
      #expect("\(found["Orientation"] ?? 1)" == "1")
      let image = try Picture.load(work.path(name))
      #expect(image.width == 48 && image.height == 64)
    }
  }

  /// A profile of Display P3, in a file.
  private func profile() throws -> String {
    let bytes = try #require(ColorSpace.displayP3.profileBytes(forGray: false))
    try Data(bytes).write(to: URL(filePath: work.path("p3.icc")))
    return work.path("p3.icc")
  }

  @Test func everyLookIsOnThePage() throws {
    try made()
    try work.succeed("apply x.jpg --contact-sheet page.png")
    let page = try Picture.load(work.path("page.png"))
    // Nineteen looks and the original, five in a row.
    #expect(page.width == 5 * (64 + 12) + 12 && page.height == 4 * (48 + 34) + 12)
  }

  /// The page's flags do something, or are refused.
  @Test func theContactSheetHasItsBackground() throws {
    try made()
    try work.succeed("apply x.jpg --contact-sheet white.png --background #ffffff")
    try work.succeed("apply x.jpg --contact-sheet blue.png --background #0000ff")
    // `backdrop` is the only look of a picture whose left side is the background.
    let (white, blue) = (try Picture.load(work.path("white.png"), as: .rgba8), try work.image("blue.png"))
    let corners = (0..<20).map { tile -> (UInt8, UInt8) in
      let (x, y) = (12 + tile % 5 * 76 + 1, 12 + tile / 5 * 82 + 1)
      return (white.row(y)[4 * x], blue.row(y)[4 * x])
    }
    #expect(corners.contains { $0 > 250 && $1 < 5 }, "\(corners)")
    try work.succeed("apply x.jpg --contact-sheet small.jpg --photo-quality 20")
    try work.succeed("apply x.jpg --contact-sheet large.jpg")
    #expect(try work.data("small.jpg").count < work.data("large.jpg").count / 2)
    for flag in ["--strict", "--hdr", "--depth d.png", "--depth-scale 1", "--json", "--start 1", "--timings"] {
      try work.refuse("apply x.jpg --contact-sheet page.png \(flag)", says: "does nothing for a contact sheet")
    }
    try work.refuse("apply x.jpg --contact-sheet page.png --codec h264", says: "a picture cannot use a video codec")
  }

  @Test func severalPhotosGoToAFolder() throws {
    try made()
    try work.succeed("photo convert x.jpg y.heic")
    try work.succeed("apply noir x.jpg y.heic --output-dir out")
    #expect(FileManager.default.fileExists(atPath: work.path("out/x.jpg")))
    #expect(FileManager.default.fileExists(atPath: work.path("out/y.heic")))
    // A name collision affects only its own inputs.
    let twice = try work.run("apply noir x.jpg ./x.jpg --output-dir out --force")
    #expect(twice.status == 2 && twice.errors.contains("2 inputs: 1 done, 1 failed"), "\(twice.errors)")
    #expect(twice.errors.contains("would become"), "\(twice.errors)")
  }

  @Test func streamsGoToStreams() throws {
    try work.succeed("apply noir sim:talking?seconds=0.2&size=160x120 -o film.mkv")
    try work.succeed("apply refocus sim:talking?seconds=0.2&size=160x120 --at subject -o soft.mkv")
    try work.succeed("apply hologram sim:talking?seconds=0.2&size=160x120 -o holo.mkv --gamma 2")
    for name in ["film.mkv", "soft.mkv", "holo.mkv"] { #expect(try work.data(name).count > 500) }
  }

  @Test(arguments: [
    ("apply", "you named no look"), ("apply noir", "you named no photo"), ("apply noir x.jpg", "--output is missing"),
    ("apply nonesuch x.jpg -o o.jpg", "there is no look 'nonesuch'"),
    ("apply noir x.jpg -o o.jpg --focus 1", "there is no flag --focus, and the look 'noir' has no such parameter"),
    ("apply spotlight x.jpg -o o.jpg --focus 2", "focus 2 is out of range"),
    ("apply spotlight x.jpg -o o.jpg --focus near", "--focus 'near' is not a number"),
    ("apply spotlight x.jpg -o o.jpg --focus", "--focus has no value"),
    ("apply spotlight x.jpg -o o.jpg --at 99,1", "the point 99,1 is outside the picture (64×48)"),
    ("apply spotlight x.jpg -o o.jpg --at here", "'here' is not a point"),
    ("apply spotlight x.jpg -o o.jpg --at 9,9 --focus 1", "you gave both --at and --focus"),
    ("apply noir x.jpg -o o.jpg --at 9,9", "the look 'noir' has no focus to set"),
    ("apply noir x.jpg -o o.jpg --sweep focus", "'focus' is not a sweep"),
    ("apply noir x.jpg -o o.jpg --sweep focus=0..1", "the look 'noir' has no parameter 'focus'"),
    ("apply noir x.jpg -o o.jpg --sweep feather=0..1:1", "is not a sweep"),
    ("apply noir x.jpg -o o.mp4", "nothing changes over time in the look 'noir'"),
    ("apply noir x.jpg -o o.tif", "Backdrop does not write pictures as .tif"),
    ("apply noir x.jpg -o x.jpg", "would replace one of the input's files"),
    ("apply noir x.jpg -o p.jpg", "the output already exists"),
    ("apply noir x.jpg y.jpg -o o.jpg", "2 inputs, but a single --output"),
    ("apply noir absent.jpg -o o.jpg", "no such file"),
    ("apply x.jpg noir --contact-sheet page.png", "a contact sheet needs one photo"),
    ("apply x.jpg --contact-sheet page.heic", "Backdrop does not write pictures as .heic"),
    ("apply noir p.jpg -o o.jpg", "Backdrop found no person in the picture"),
    ("apply noir x.jpg -o o.jpg -z", "there is no flag '-z'"),
  ])
  func mistakesAreNamedAndLeaveNothing(line: String, complaint: String) throws {
    try made()
    try work.refuse(line, says: complaint)
  }
}
