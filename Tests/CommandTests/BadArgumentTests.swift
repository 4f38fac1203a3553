import Foundation
import TestSupport
import Testing

/// The command refuses meaningless arguments before it writes anything.
@Suite struct BadArgumentTests {
  let work = Workplace()

  /// The arguments after `backdrop `, and a part of the error.
  static let lines: [(line: String, says: String)] = [
    ("frobnicate", "there is no command 'frobnicate'"),
    ("replace", "you named no input"),
    ("replace sim:", "--output"),
    ("matte sim:", "--output"),
    ("evaluate one.png", "Missing expected argument"),
    ("replace sim: -o out.mp4 --frobnicate", "there is no flag --frobnicate"),
    ("replace sim: -o out.mp4 --background", "Missing value for '--background"),
    ("replace sim: extra -o out.mp4", "you gave 2 inputs, but a single --output"),
    ("replace sim:nowhere -o out.mp4", "there is no simulated scene 'nowhere'"),
    ("replace sim:?colour=red -o out.mp4", "no parameter 'colour'"),
    ("replace sim:?seed=x -o out.mp4", "'x' is not a value for 'seed'"),
    ("replace sim:?size=8x8 -o out.mp4", "'8x8' is not a value for 'size'"),
    ("replace sim:?seconds=-1 -o out.mp4", "'-1' is not a value for 'seconds'"),
    ("replace sim:?seconds=nan -o out.mp4", "'nan' is not a value for 'seconds'"),
    ("replace sim:?walk=8 -o out.mp4", "the scene 'talking' has nobody who walks"),
    ("replace sim:two-people?walk=0 -o out.mp4", "'0' is not a value for 'walk'"),
    ("replace sim: -o out.mp4 --people 0", "'0' is not a number of people"),
    ("replace sim: -o out.mp4 --people -3", "'-3' is not a number of people"),
    ("replace sim: -o out.mp4 --people many", "'many' is not a number of people"),
    ("matte sim: -o out.mp4 --people 31", "'31' is not a number of people"),
    ("matte sim: -o out.mp4 --keep 5", "'5' is not a point"),
    ("matte sim: -o out.mp4 --keep 10,10 --keep nan,3", "'nan,3' is not a point"),
    ("matte sim: -o out.mp4 --keep -5,3", "the point -5,3 is outside the picture (1280×720)"),
    ("matte sim: -o out.mp4 --drop 1280,10", "the point 1280,10 is outside the picture (1280×720)"),
    ("matte sim: -o out.mp4 --drop 10%,101%", "the point 10%,101% is outside the picture"),
    ("replace sim:?fps=1e9 -o out.mp4", "'1e9' is not a value for 'fps'"),
    ("replace sim:?seconds=0 -o out.mp4", "no frame to use"),
    ("replace sim: -o out.mp4 --light-wrap 2", "--light-wrap 2 is out of range: 0…1"),
    ("replace sim: -o out.mp4 --light-wrap nan", "is out of range: 0…1"),
    (
      "replace sim: -o out.mp4 --light-wrap 0.5 --background blur:9",
      "light wrap needs a new background, not blur"
    ),
    ("replace p.png --depth d.png -o out.mp4 --radius 80", "radius 80 is out of range: 0…50"),
    ("replace p.png --depth d.png -o out.mp4 --radius -1", "radius -1 is out of range"),
    ("replace p.png --depth d.png -o out.mp4 --gamma 0", "gamma 0 is out of range: 0.05…20"),
    ("replace p.png --depth d.png -o out.mp4 --cutoff -1", "cutoff -1 is out of range: 0.05…20"),
    ("replace p.png --depth d.png -o out.mp4 --cutoff nan", "cutoff nan is out of range"),
    ("replace p.png --depth d.png -o out.mp4 --margin inf", "margin inf is out of range"),
    ("replace p.png --depth d.png -o out.mp4 --cutoff near", "--cutoff 'near' is not a number"),
    ("replace p.png --depth d.png -o out.mp4 --radius=wide", "--radius 'wide' is not a number"),
    ("replace p.png --depth d.png -o out.mp4 --radius", "Missing value for '--radius"),
    ("replace p.png --depth d.png -o out.mp4 --glow 1", "there is no flag --glow"),
    ("replace p.png --depth d.png -o out.mp4 --gamma nan", "gamma nan is out of range"),
    ("replace -o out.mp4", "you named no input"), ("replace --output-dir out", "you named no input"),
    ("replace p.png --depth d.png -o out.mp4 --threads 0", "the number of threads, 0, is out of range: 1…64"),
    ("replace p.png --depth d.png -o out.mp4 --threads -3", "the number of threads, -3, is out of range"),
    ("replace p.png --depth d.png -o out.mp4 --threads 1000000", "the number of threads, 1000000, is out of range"),
    ("replace p.png --depth d.png -o out.mp4 --codec mpeg1", "--codec cannot be 'mpeg1'"),
    ("replace p.png --depth d.png -o out.webm --codec h264", "cannot hold h264"),
    ("replace p.png --depth d.png -o out.mp4 --codec ffv1", "cannot hold ffv1"),
    ("replace p.png --depth d.png -o out.png --codec h264", "cannot use a video codec"),
    ("replace p.png --depth d.png -o out.mp4 --crf 99", "--crf 99 is out of range"),
    ("replace p.png --depth d.png -o out.mp4 --crf nan", "--crf nan is out of range"),
    ("replace p.png --depth d.png -o out.mp4 --look sepia", "there is no look 'sepia'"),
    ("replace p.png --depth d.png -o out.mp4 --look none.json", "no such file: none.json"),
    ("looks show sepia", "there is no look 'sepia'"),
    ("replace p.png --depth d.png -o out.mp4 --background none.png", "no such background: none.png"),
    ("replace p.png --depth d.png -o out.mp4 --background #12345", "'#12345' is not a colour"),
    ("replace p.png --depth d.png -o out.mp4 --background #gggggg", "'#gggggg' is not a colour"),
    ("replace p.png --depth d.png -o out.mp4 --background blur:0", "'blur:0' is not a blur"),
    ("replace p.png --depth d.png -o out.mp4 --background bokeh:0", "'bokeh:0' is not a blur"),
    ("replace p.png --depth d.png -o out.mp4 --background bokeh:201", "'bokeh:201' is not a blur"),
    ("replace p.png --depth d.png -o out.mp4 --background blur:many", "'blur:many' is not a blur"),
    ("replace p.png --depth d.png -o out.mp4 --background blur:nan", "'blur:nan' is not a blur"),
    ("replace p.png --depth d.png -o out.mp4 --background scene:moon", "there is no background 'scene:moon'"),
    ("replace p.png --depth d.png -o out.avi", "videos as .avi: out.avi"),
    ("replace p.png --depth d.png -o out", "no file extension: out"),
    ("replace p.png --depth d.png -o out/%5d.png", "the number must be %d or %01d…%09d, not %5d"),
    ("replace p.png --depth d.png -o %d-%d.png", "one number"),
    ("replace p.png --depth d.png -o %05d.mp4", "pictures as .mp4"),
    ("replace p.png --depth d.png -o x.jpg --background #20406080", "a JPEG picture cannot be transparent"),
    (
      "replace p.png --depth d.png -o x.webm --background #20406080 --light-wrap 0.5",
      "light wrap needs a new background"
    ),
    ("replace p.png --depth d.png -o x.jpg --background redd", "no such background: redd"),
    ("live --no-config sim: --background #20406080 -o null", "a live picture needs a background"),
    ("demo --seconds 1 -o none", "the output folder does not exist: none"),
    ("demo --seconds soon", "'soon' is invalid"),
  ]

  @Test(arguments: lines) func isRefused(line: String, says: String) throws {
    if line.contains("p.png") { try work.pair() }
    try work.refuse(line, says: says)
  }

  static let looks: [(text: String, says: String)] = [
    ("{", "not a look"), ("[]", "not a look"), ("{}", "is missing"), ("\u{0}\u{1}", "not a look"),
    (
      #"{"id":"x","summary":"","parameters":[],"matte":{"depth":{"cutoff":1,"margin":0,"sigma":"$wide","gamma":1}},"#
        + #""layers":[{"source":"background"}]}"#, "uses '$wide'"
    ),
    (
      #"{"id":"x","summary":"","parameters":[],"matte":{"depth":{"cutoff":1,"margin":0,"sigma":1e9,"gamma":1}},"#
        + #""layers":[{"source":"background"}]}"#, "must be in"
    ),
    (
      #"{"id":"x","summary":"","parameters":[],"matte":{"depth":{"cutoff":1,"margin":0,"sigma":5,"gamma":1}},"layers":[]}"#,
      "has no layers"
    ),
    (
      #"{"id":"x","summary":"","parameters":[],"matte":{"depth":{"cutoff":1,"margin":0,"sigma":5,"gamma":1}},"#
        + #""layers":[{"source":"sky"}]}"#, "sky"
    ),
  ]

  @Test(arguments: looks) func brokenLook(text: String, says: String) throws {
    try work.pair()
    try work.write(text.utf8, "mine.json")
    try work.refuse("replace p.png --depth d.png -o out.mp4 --look mine.json", says: says, path: "mine.json")
    try work.refuse("looks show mine.json", says: says, path: "mine.json")
  }

  /// Errors print a name with a line break and an escape sequence on one line, in a harmless form.
  @Test func oddNames() throws {
    let outcome = try work.run(["replace", "a\nb\u{1B}[31m\u{2028}.png", "-o", "out.png"])
    #expect(outcome.status == 2)
    #expect(outcome.errors.hasPrefix("error: no such file: a?b?[31m?.png\nhint: "))
    #expect(outcome.errors.unicodeScalars.allSatisfy { $0 == "\n" || $0.properties.generalCategory != .control })
  }

  @Test func helpAndVersion() throws {
    for line in ["--help", "replace --help", "help matte", "--version", ""] {
      let outcome = try work.succeed(line)
      #expect(!outcome.output.isEmpty && outcome.errors.isEmpty)
    }
  }

  /// The version includes the commit and its date, if the build knows them.
  @Test func version() throws {
    let text = try work.text("--version")
    #expect(text.wholeMatch(of: #/\d+\.\d+\.\d+( \([0-9a-f]{12}(-dirty)?, \d{4}-\d\d-\d\d\))?\n/#) != nil, "\(text)")
  }
}
