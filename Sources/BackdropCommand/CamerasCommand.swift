import ArgumentParser
import BackdropCameras
import BackdropImaging
import BackdropLive
import BackdropTerminal

struct CamerasCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "cameras", abstract: "List the cameras, their modes, and the programs that use them.",
    discussion:
      "The list has no network cameras: give their address, rtsp://… or http://…, to backdrop live. It also accepts "
      + "file:PATH, a picture, video or recording as a camera.")

  @Flag(help: "Print a JSON array.") var json = false

  func run() throws {
    let cameras = Cameras.known()
    guard !json else { return try printJSON(cameras) }
    if !cameras.contains(where: { $0.interface != "simulated" }) {
      try Terminal.print("No camera is connected.")
    }
    for camera in cameras {
      try Terminal.print(Terminal.oneLine("\(camera.address)  \(camera.name) (\(camera.interface))"))
      if let holder = camera.holder { try Terminal.print(Terminal.oneLine("    in use by \(holder)")) }
      if let fault = camera.fault {
        let advice = camera.hint.map { " (\($0.sentence))" } ?? ""
        try Terminal.print(Terminal.oneLine("    not usable: \(fault)\(advice)"))
      }
      for line in Self.lines(camera.modes) { try Terminal.print("    " + line) }
    }
  }

  /// One line for each encoding: its sizes, largest first, with their rates.
  static func lines(_ modes: [CameraMode]) -> [String] {
    CameraMode.Encoding.allCases.compactMap { encoding in
      let sizes = modes.filter { $0.encoding == encoding }
        .sorted { ($0.width * $0.height, $0.width) > ($1.width * $1.height, $1.width) }
      guard !sizes.isEmpty else { return nil }
      let texts = sizes.map { mode in
        "\(mode.width)×\(mode.height)" + (mode.rates.max().map { " \(brief($0))/s" } ?? "")
      }
      return encoding.rawValue.padded(to: 7) + " " + texts.joined(separator: ", ")
    }
  }
}
