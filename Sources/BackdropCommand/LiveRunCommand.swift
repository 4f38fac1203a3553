import ArgumentParser
import BackdropLive
import BackdropLooks
import BackdropPhotos
import BackdropTerminal
import BackdropVideo

struct LiveRunCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "live", abstract: "Replace the background of a camera for call programs.",
    discussion: """
      Call programs see a camera named Backdrop. The real camera runs only while a program uses it. Whenever there is no good \
      matte, others see a standby frame, never the room. Keys: n p background, l look, m mirror, f freeze, space standby, z pause, \
      s photo, r record, arrows and tab parameters, ? help, q quit. backdrop ctl does the same from another terminal.
      """)

  @Argument(
    parsing: .allUnrecognized,
    help: ArgumentHelp(
      "auto, v4l2:/dev/video0, pipewire:NAME, rtsp://…, http://…, openni:, iphone:, realsense:, sim:, or a picture, "
        + "video or recording in a loop, file:PATH if its name looks like one of these (see: backdrop cameras). Default: auto.",
      valueName: "camera"))
  var arguments: [String] = []

  @Option(
    name: [.short, .long],
    help: ArgumentHelp(
      "Where to send pictures; repeat it for more: pipewire, /dev/videoN (v4l2loopback), window, - (YUV4MPEG2), null, or a new video "
        + "file. Default: pipewire.", valueName: "output"))
  var output: [String] = []

  @Option(
    help:
      "A picture, a video, a colour (#RRGGBB, navy), blur[:SIGMA], bokeh[:RADIUS], scene:NAME. Default: scene:northern."
  )
  var background: String?

  @Option(help: "A folder of pictures and videos to switch between.") var backgroundFolder: String?
  @Option(help: "A look's name (see: backdrop looks) or a JSON file. \(LookWords.help)") var look: String?
  @OptionGroup(title: LookWords.title) var ofLook: LookFlags
  @OptionGroup(title: "Settings") var flags: ParameterFlags<LiveSettings>

  @Option(
    name: .customLong("save-recording"),
    help: "Also record the camera's frames with depth to a .mkv, .r3d or folder; needs a video file as output.")
  var raw: String?

  @Option(parsing: .unconditional, help: "End after this many seconds.") var seconds: Double?
  @Option(help: "The settings file. Default: backdrop/live.json in the configuration folder.") var config: String?
  @Flag(help: "Ignore the settings file.") var noConfig = false
  @Flag(help: "Save the settings, with these flags, in the settings file and exit.") var saveConfig = false
  @Option(help: "The socket for backdrop ctl. Default: backdrop.sock in the runtime folder.") var socket: String?
  @Flag(help: "Print a summary as JSON at the end.") var json = false
  @Flag(name: [.short, .long], help: "Print only errors.") var quiet = false

  func run() throws {
    let path = config ?? LiveConfiguration.path
    if let config, FileKind(config) == .absent, !saveConfig {
      throw BackdropError(.wrongArgument, "no such file", path: config, hint: "make one with --save-config")
    }
    var settings = noConfig ? LiveSettings() : try LiveConfiguration.load(path)
    try apply(to: &settings)
    if saveConfig {
      // Creating a session refuses invalid settings here instead of at the next start.
      _ = try LiveSession(settings)
      try LiveConfiguration.save(settings, to: path)
      if !quiet { Terminal.say("settings: \(Terminal.oneLine(path))") }
      return
    }
    if let seconds, !(seconds > 0 && seconds < 1e7) {
      throw BackdropError(.wrongArgument, "a session cannot last \(seconds) seconds", hint: "give more than 0")
    }
    try run(settings)
  }

  private func apply(to settings: inout LiveSettings) throws(BackdropError) {
    let words = try LookWords(arguments, of: Self.self)
    guard words.names.count <= 1 else {
      throw BackdropError(.wrongArgument, "you named \(words.names.count) cameras", hint: "a session has one")
    }
    if let camera = words.names.first { settings.camera = camera }
    if !output.isEmpty { settings.outputs = output }
    if let backgroundFolder {
      settings.backgrounds = try Self.backgrounds(in: backgroundFolder)
      settings.background = settings.backgrounds[0]
    }
    if let background { settings.background = background }
    if let look {
      settings.look = look
      settings.values = [:]
    }
    let loaded = try Look.load(settings.look)
    var flags = flags
    for flag in LookWords.flags(of: loaded, words.flags + ofLook.flags, remove: { flags.remove($0) }) {
      settings.values[flag.name] = try flag.number(of: loaded, Self.self)
    }
    try flags.apply(to: &settings)
  }

  /// The pictures and videos of a folder, by name.
  private static func backgrounds(in folder: String) throws(BackdropError) -> [String] {
    let fileExtensions = Set(
      DepthPhoto.containers.flatMap(\.fileExtensions) + VideoSettings.fileExtensions + ["gif", "apng"])
    let names: [String]
    do throws(BackdropError) {
      names = try Folder.names(in: folder)
    } catch {
      throw BackdropError(
        .wrongArgument, "Backdrop cannot read the folder of backgrounds", path: folder, hint: "check the name")
    }
    let found = names.filter { name in
      name.utf8.first != UInt8(ascii: ".") && fileExtensions.contains(FileName(name).fileExtension)
    }
    guard !found.isEmpty else {
      throw BackdropError(
        .wrongArgument, "the folder holds no pictures or videos", path: folder,
        hint: "pictures and videos end in \(fileExtensions.sorted().joined(separator: ", "))")
    }
    return found.sorted().map { folder + (folder.utf8.last == UInt8(ascii: "/") ? "" : "/") + $0 }
  }
}
