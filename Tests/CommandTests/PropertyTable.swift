import Foundation
import TestSupport

/// Other programs' findings in a file, from `properties.py`.
struct FileFacts: Decodable {
  var fault: String?
  var frames: Int?
  var seconds: Double?
  var width: Int?
  var height: Int?
  /// Mean R, G, B, A at the centre of each quarter, row by row.
  var quarters: [[Int]]?
  var dpi: [Int]?
  var hasProfile: Bool?
  /// Among other pictures inside the file, the largest share of the real background's green.
  var realBackground: Double?
  var tags: [String: String]?
  var transfer: String?
  var fieldOrder: String?
  var sounds: [String]?
  var subtitles: [String]?
  var chapters: Int?
}

/// One run of the command, and its output file.
struct PropertyRun {
  var arguments: [String]
  /// The file to be checked.
  var file: String
  /// Colours of its quarters, if they depend on the role and not on the property.
  var quarters: [[Int]]?
  var status: Int32 = 0
  var errors = ""
  var facts = FileFacts()

  /// Whether a line of the notes contains one of these words.
  func notes(_ words: [String]) -> Bool {
    errors.split(separator: "\n").contains { line in
      (line.hasPrefix("warning: ") || line.hasPrefix("note: "))
        && words.contains { line.localizedCaseInsensitiveContains($0) }
    }
  }
}

/// The outcome for a property in one kind of output or one role.
enum PropertyCell: String {
  case right = "yes"
  case noted = "noted"
  case refused = "refused"
  case wrong = "WRONG"
}

/// A property of pictures, the inputs that have it, and the requirements for results.
struct Property: Sendable {
  /// The title in the table's first column.
  var title: String
  /// Files that `properties.py` creates.
  var inputs: [String]
  /// The flags of the command, without input and output.
  var flags = Property.screen
  /// Colours of the result's quarters; `nil` is not checked, a colour without alpha is opaque.
  var quarters = Property.replaced
  /// An error in the result's metadata; `nil` if there is none.
  var fault: @Sendable (FileFacts) -> String? = { _ in nil }
  /// Words of the note that the property is lost or changed; if given, a reported fault does not count.
  var note: [String] = []

  /// White replaces the screen.
  static let screen = "--matte chroma --screen #00c800 --background #ffffff"
  static let white = [255, 255, 255], red = [200, 30, 30], blue = [30, 30, 200], clear = [-1, -1, -1, 0]
  static let replaced = [white, red, white, blue]

  /// The outcome of a run.
  func cell(_ run: PropertyRun) -> (cell: PropertyCell, reason: String) {
    if run.status == 2 {
      let lines = run.errors.split(separator: "\n")
      let isClear = lines.contains { $0.hasPrefix("error: ") } && lines.contains { $0.hasPrefix("hint: ") }
      return isClear ? (.refused, run.errors) : (.wrong, "refused without a hint: \(run.errors)")
    }
    guard run.status == 0 else { return (.wrong, "status \(run.status): \(run.errors)") }
    if let fault = run.facts.fault { return (.wrong, fault) }
    if let found = run.facts.quarters {
      for (index, pair) in zip(found, run.quarters ?? quarters).enumerated() where !Self.agrees(pair.0, pair.1) {
        return (.wrong, "quarter \(index + 1) is \(pair.0), not \(pair.1)")
      }
    }
    if let part = run.facts.realBackground, part > 0.02 { return (.wrong, "a picture in the file shows the old room") }
    guard let fault = fault(run.facts) else { return (run.notes(note) ? .noted : .right, "") }
    return run.notes(note) ? (.noted, run.errors) : (.wrong, "\(fault) \(run.errors)")
  }

  /// Whether colours match, to within the errors of lossy codecs.
  private static func agrees(_ found: [Int], _ wanted: [Int]) -> Bool {
    zip(found, wanted.count == 3 ? wanted + [255] : wanted).allSatisfy { $1 < 0 || abs($0 - $1) <= 14 }
  }
}

extension Property {
  private static func tagged(_ name: String, _ value: String) -> @Sendable (FileFacts) -> String? {
    { facts in
      let found = (facts.tags ?? [:]).filter { $0.key.hasSuffix(":" + name) || $0.key == name.lowercased() }.values
      return found.contains { $0.contains(value) } ? nil : "\(name) is \(found.sorted()), not \(value)"
    }
  }

  private static func untagged(_ name: String) -> @Sendable (FileFacts) -> String? {
    { facts in
      let found = (facts.tags ?? [:]).keys.filter { $0.localizedCaseInsensitiveContains(name) }
      return found.isEmpty ? nil : "\(found.sorted()) are still there"
    }
  }

  private static func size(_ facts: FileFacts) -> String? {
    facts.width == 192 && facts.height == 128 ? nil : "\(facts.width ?? 0)×\(facts.height ?? 0), not 192×128"
  }

  private static let otherOrientations = ["jpg", "png", "webp", "tif"].flatMap { kind in
    [2, 3, 4, 5, 7, 8].map { "orientation-\($0).\(kind)" }
  }

  /// All depth in this file is near, so only alpha can remove anything.
  private static let near = "--matte depth --depth near.png --background #ffffff"

  /// Properties of pictures.
  static let ofPictures: [Property] = [
    Property(
      title: "thumbnail or preview: EXIF, XMP, Photoshop, JFXX, MPF, HEIC",
      inputs: [
        "thumbnail-exif.jpg", "thumbnail-xmp.jpg", "thumbnail-photoshop.jpg", "thumbnail-jfxx.jpg",
        "preview-mpf.jpg", "thumbnail-heic.heic",
      ]),
    Property(
      title: "orientation by EXIF: JPEG, PNG, WebP, TIFF",
      inputs: otherOrientations
        + ["jpg", "png", "webp", "tif"].map { "orientation-6." + $0 }, fault: size),
    Property(
      title: "orientation by `irot` and `imir`, EXIF out of step",
      inputs: ["orientation-6.heic", "orientation-6.avif"],
      fault: size),
    Property(
      title: "alpha in: PNG, palette, WebP, AVIF",
      inputs: ["alpha.png", "alpha-palette.png", "alpha.webp", "alpha.avif"], flags: near),
    Property(
      title: "alpha out: `--background none`", inputs: ["thumbnail.jpg"],
      flags: "--matte chroma --screen #00c800 --background none", quarters: [clear, red, clear, blue]),
    Property(title: "16 bits: PNG, TIFF", inputs: ["bits-16.png", "bits-16.tif"], note: ["rounded"]),
    Property(
      title: "4:2:0, 4:2:2 and 4:4:4 with 8 and 10 bits: HEIC",
      inputs: ["420", "422", "444"].flatMap { ["chroma-\($0)-8.heic", "chroma-\($0)-10.heic"] }),
    Property(
      title: "colour profile", inputs: ["profile.jpg", "profile.png", "profile.webp", "profile.tif"],
      fault: { $0.hasProfile == true ? nil : "there is no profile" }),
    Property(title: "date and zone", inputs: ["texts.jpg"], fault: tagged("DateTimeOriginal", "2024:05:06 07:08:09")),
    Property(title: "place", inputs: ["texts.jpg"], fault: tagged("GPSLatitude", "48.5")),
    Property(title: "XMP: rating, title", inputs: ["texts.jpg"], fault: tagged("Rating", "4")),
    Property(title: "IPTC", inputs: ["texts.jpg"], fault: tagged("Caption-Abstract", "A caption"), note: ["IPTC"]),
    Property(
      title: "comment", inputs: ["texts.jpg"],
      fault: { facts in
        guard let fault = tagged("Comment", "A comment")(facts) else { return nil }
        // File types without their own comments use EXIF's.
        return tagged("UserComment", "A comment")(facts) == nil ? nil : fault
      }, note: ["comment"]),
    Property(
      title: "density", inputs: ["texts.jpg"],
      fault: { facts in
        let resolution = (facts.tags ?? [:]).first { $0.key.hasSuffix(":XResolution") }?.value
        return facts.dpi == [300, 300] || resolution == "300"
          ? nil : "\(facts.dpi ?? []) and \(resolution ?? "nothing")"
      }),
    Property(
      title: "pixel sizes and face regions", inputs: ["sizes.jpg"],
      flags: screen + " --aspect 1:1", quarters: [],
      fault: { facts in
        let sizes = (facts.tags ?? [:]).filter { $0.key.hasSuffix("ExifImageWidth") }.values
        if let lie = sizes.first(where: { Int($0) != facts.width }) { return "ExifImageWidth is \(lie)" }
        return untagged("Region")(facts)
      }),
    Property(
      title: "gain map and its marks", inputs: ["gain-map.jpg"], fault: untagged("HDRGM"), note: ["gain map"]),
    Property(title: "motion photo", inputs: ["motion.jpg"], fault: untagged("MotionPhoto"), note: ["film"]),
    Property(
      title: "stereo pair", inputs: ["stereo.jpg"], fault: { _ in "one eye is left out" }, note: ["eye"]),
  ]

  /// The table's columns for pictures.
  static let pictureOutputs = ["jpg", "png", "webp", "avif", "heic"]

  private static func lasts(_ seconds: Double) -> @Sendable (FileFacts) -> String? {
    { facts in
      guard let found = facts.seconds, found > 0 else { return nil }
      return abs(found - seconds) < 0.13 ? nil : "\(found) s, not \(seconds) s"
    }
  }

  private static let chapters: @Sendable (FileFacts) -> String? = {
    $0.chapters == 2 ? nil : "\($0.chapters ?? 0) chapters"
  }

  /// Properties of videos.
  static let ofVideos: [Property] = [
    Property(title: "turned by the display matrix", inputs: ["turned.mp4"], fault: size),
    Property(title: "pixel aspect", inputs: ["aspect.mp4"], fault: size),
    Property(
      title: "alpha in: VP9, VP8, ProRes 4444, FFV1, QuickTime RLE, APNG, GIF",
      inputs: [
        "alpha-vp9.webm", "alpha-vp8.webm", "alpha-prores.mov", "alpha-ffv1.mkv", "alpha-rle.mov", "alpha.apng",
        "alpha.gif",
      ],
      flags: "--matte depth --depth near --background #ffffff"),
    Property(
      title: "alpha out: `--background none`", inputs: ["plain.mp4"],
      flags: "--matte chroma --screen #00c800 --background none", quarters: [clear, red, clear, blue]),
    Property(
      title: "4:2:0, 4:2:2 and 4:4:4, 8 and 10 bits",
      inputs: ["chroma-422-8.mp4", "chroma-444-8.mp4", "chroma-420-10.mp4", "chroma-422-10.mp4"]),
    Property(title: "full range", inputs: ["full-range.mp4"]),
    Property(
      title: "HLG and PQ", inputs: ["hlg.mov", "pq.mov"],
      fault: { ["arib-std-b67", "smpte2084"].contains($0.transfer ?? "") ? "still tagged \($0.transfer ?? "")" : nil }),
    Property(
      title: "interlaced", inputs: ["interlaced.mp4"],
      fault: { ["", "progressive", "unknown"].contains($0.fieldOrder ?? "") ? nil : "tagged \($0.fieldOrder ?? "")" }),
    Property(title: "variable rate", inputs: ["variable.mkv"], fault: lasts(0.84), note: ["rate"]),
    Property(title: "start offset", inputs: ["later.mkv"], fault: lasts(0.4)),
    Property(title: "edit list", inputs: ["edit-list.mp4"], fault: lasts(0.4)),
    Property(
      title: "sound: AAC, PCM, Opus, FLAC, AC-3, MP3, Vorbis",
      inputs: [
        "sound-aac.mp4", "sound-pcm_s16le.mov", "sound-opus.webm", "sound-flac.mkv", "sound-ac3.mkv",
        "sound-mp3lame.mp4", "sound-vorbis.mkv",
      ],
      fault: { $0.sounds?.count == 1 ? nil : "there is no sound" }, note: ["sound"]),
    Property(
      title: "subtitles: SubRip, ASS, mov_text, WebVTT",
      inputs: ["texts-srt.mkv", "texts-ass.mkv", "texts-mov_text.mp4", "texts-webvtt.mkv"],
      fault: { $0.subtitles?.count == 1 ? nil : "there are no subtitles" }, note: ["subtitle"]),
    Property(
      title: "QuickTime keys", inputs: ["tags.mov"], fault: tagged("com.apple.quicktime.model", "iPhone"),
      note: ["left out"]),
    Property(title: "title", inputs: ["titles.mp4"], fault: tagged("title", "Title"), note: ["left out"]),
    Property(
      title: "date", inputs: ["titles.mp4"], fault: tagged("creation_time", "2024-05-06"), note: ["left out"]),
    Property(title: "place", inputs: ["titles.mp4"], fault: tagged("location", "+48.5"), note: ["left out"]),
    Property(title: "chapters", inputs: ["chapters.mp4"], fault: chapters, note: ["left out"]),
  ]

  /// The table's columns for videos; `png` are numbered pictures, `pipe` is `-o -`.
  static let videoOutputs = ["mp4", "mov", "mkv", "webm", "gif", "apng", "webp", "png", "y4m", "pipe"]
}
