/// A heading of `docs/messages.md`: the user's activity when a message appears.
struct MessageTopic {
  /// The heading.
  var title: String
  /// Path prefixes below `Sources` whose messages belong here.
  var paths: [String]

  /// All headings, in the order of the page.
  static let all = [
    MessageTopic(title: "Writing a command", paths: ["BackdropCommand/", "BackdropTerminal/", "BackdropServer/"]),
    MessageTopic(
      title: "Replacing a background or applying a look",
      paths: [
        "Backdrop/Engine/", "Backdrop/Facade/", "Backdrop/Jobs/", "Backdrop/Photos/", "Backdrop/Sinks/",
        "Backdrop/Sources/",
        "BackdropLooks/Looks/",
      ]),
    MessageTopic(
      title: "Finding people and things",
      paths: ["BackdropMatting/", "BackdropModels/", "BackdropLive/Install/"]),
    MessageTopic(
      title: "Opening and saving files",
      paths: ["BackdropImaging/Files/", "BackdropImaging/Isolation/", "BackdropImaging/Limits/", "BackdropSandbox/"]),
    MessageTopic(
      title: "Opening and saving pictures",
      paths: ["BackdropCodecs/", "BackdropImaging/Color/", "BackdropPhotos/Stills/"]),
    MessageTopic(title: "Opening and saving photos with depth", paths: ["BackdropPhotos/"]),
    MessageTopic(title: "Opening and saving videos", paths: ["BackdropVideo/", "BackdropFFmpeg/"]),
    MessageTopic(
      title: "Opening and making recordings",
      paths: ["BackdropRecordings/", "Backdrop/Recordings/", "BackdropCodecs/Zip/", "BackdropCodecs/LZFSE/"]),
    MessageTopic(
      title: "Working with depth and point clouds", paths: ["BackdropDepth/", "BackdropClouds/", "Backdrop/Views/"]),
    MessageTopic(
      title: "Using a camera", paths: ["BackdropCameras/", "Backdrop/Cameras/", "BackdropSimulation/"]),
    MessageTopic(title: "Calling", paths: ["BackdropLive/Session/", "BackdropLive/Devices/"]),
    MessageTopic(title: "Checking the computer", paths: ["BackdropLive/Doctor/"]),
    MessageTopic(title: "Using the studio", paths: ["BackdropStudio/"]),
    MessageTopic(title: "Running the service", paths: ["BackdropServe/", "BackdropHTTP/"]),
    MessageTopic(
      title: "Setting parameters",
      paths: ["BackdropImaging/Parameters/", "BackdropImaging/Text/", "BackdropImaging/JSON/", "Backdrop/Settings/"]),
    MessageTopic(title: "Programming in C", paths: ["BackdropC/"]),
    MessageTopic(title: "Programming in Swift", paths: ["BackdropImaging/", "BackdropLooks/"]),
  ]

  /// The heading for a file, from the longest matching path; `nil` if none matches.
  static func title(of file: String) -> String? {
    all.flatMap { topic in topic.paths.map { (path: $0, title: topic.title) } }
      .filter { file.hasPrefix($0.path) }.max { $0.path.count < $1.path.count }?.title
  }
}
