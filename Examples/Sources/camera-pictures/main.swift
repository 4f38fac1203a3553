// Writes one picture a second from a camera, with the people in front of a drawn scene: camera-pictures CAMERA FOLDER [COUNT]
//
// CAMERA is /dev/video0, auto, rtsp://… or sim:talking. If a frame shows no person, the picture is the drawn scene alone. No picture
// shows the real background.
import Backdrop

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

guard CommandLine.arguments.count >= 3, let count = Int(CommandLine.arguments.dropFirst(3).first ?? "5") else {
  print("usage: camera-pictures CAMERA FOLDER [COUNT]")
  exit(2)
}

/// Makes an engine that draws a camera's scenes in front of a background.
func engine(for scene: Scene) throws -> StreamEngine {
  var settings = StreamSettings(.backdrop)
  settings.background = .scenery(.northern)
  return try StreamEngine(
    settings, StreamDescription(width: scene.image.width, height: scene.image.height), for: .live(rate: nil),
    workers: WorkerPool())
}

do {
  var drawing: StreamEngine?
  var spare = Image(.gray8, width: 1, height: 1)
  var written = 0
  for try await scene in try Camera(CommandLine.arguments[1]).scenes {
    let drawn = try drawing ?? engine(for: scene)
    drawing = drawn
    // The engine renders every scene, so that mattes follow the people. The program writes one a second.
    let rendering = drawn.render(scene, into: &spare).rendering
    guard scene.time >= Double(written) else { continue }
    let path = "\(CommandLine.arguments[2])/\(written + 1).jpg"
    try Picture(rendering.image).write(to: path)
    print(path, rendering.isStandby ? "standby" : "")
    written += 1
    if written == count { break }
  }
} catch {
  print(error)
  exit(2)
}
