import Backdrop
import BackdropHTTP
import BackdropLive

// The pages' requests and uploads.

extension LiveWorkspace: Workspace {
  var addresses: [String] { ["backgrounds", "looks", "cloud", "calls", "saved"] }

  func body(of parts: [String]) -> RequestBody { parts == ["backgrounds"] ? .file : .small }

  /// Whether a page uploaded a background of that name.
  func ownsBackground(_ name: String) -> Bool { library.owns(name) && session.settings.backgrounds.contains(name) }

  func answer(_ request: Request) async throws -> Answer {
    let parts = request.parts
    switch parts.first {
    case "backgrounds" where parts.count == 3 && parts[2] == "small.jpg":
      let backgrounds = session.settings.backgrounds
      guard let index = Int(parts[1]), backgrounds.indices.contains(index) else { break }
      let bytes = try await drawing.run { [library] in try library.thumbnail(backgrounds[index]) }
      return .bytes(bytes, type: "image/jpeg")
    case "looks" where parts.count == 2:
      guard let look = Look.named(parts[1]) else { break }
      return .bytes(try await drawing.run { [self] in try tile(look) }, type: "image/jpeg")
    case "cloud" where parts.count == 2:
      guard let kind = PointCloud.FileKind(rawValue: parts[1]) else { break }
      let scene = encoder.picture?.scene
      let bytes = try await drawing.run { try PointCloud.file(scene?.depth, scene?.image, kind) }
      return Answer.bytes(bytes, type: "application/octet-stream", downloadAs: "backdrop.\(kind.rawValue)")
    case "calls" where parts.count == 1:
      return try Answer.json(try await checks.run { Doctor.examineOutputs() })
    case "saved" where parts.count == 2:
      guard let path = saved.path(parts[1]) else { break }
      return try Answer.file(path, downloadAs: parts[1])
    default: break
    }
    return .nothingHere
  }

  /// The camera's picture with a look, at the size of a tile; while the camera shows none, a simulated one. For some seconds, all looks
  /// show the same moment.
  private func tile(_ look: Look) throws(BackdropError) -> [UInt8] {
    let (settings, tiles, picture) = (session.settings, tiles.value, encoder.picture)
    let camera = picture?.scene == nil ? "" : settings.camera
    let name = "\(camera)\n\(settings.background)"
    var sample: (Scene, Matte?) {
      let simulated = SimulatedCamera(scenario: .talking, seed: 3, width: 640, height: 360).frame(0)
      return (simulated.frame, Matte(q15: simulated.alpha))
    }
    if !tiles.isOf(name, notOlderThan: Self.tileSeconds) {
      let (scene, matte) = picture?.scene.map { ($0, picture?.matte) } ?? sample
      try tiles.update(name, scene, matte: matte, background: settings.background)
    }
    return try tiles.jpeg(look)
  }

  /// Stores a dropped picture or video and uses it as a background or as a camera.
  func perform(_ request: Request) async throws -> Answer {
    guard request.parts == ["backgrounds"] else { return .nothingHere }
    let name = request.fileName(or: "picture")
    let isCamera = request.value("as") == "camera"
    let session = session
    let (droppedFilesPath, library) = (droppedFilesPath, library)
    try await commands.run {
      let path = try library.write(request.bytes, name, in: droppedFilesPath, reservation: request.reservation)
      do throws(BackdropError) {
        // The file is opened first, because the session would retry a bad camera forever.
        if isCamera { _ = try LiveInputs().open(path, request: session.settings.request) }
        try session.perform(isCamera ? .camera(path) : .addBackground(path))
      } catch {
        library.remove(path)
        FileCalls.removeFile(path)
        throw error
      }
    }
    if isCamera { kept.withLock { $0.hasChosen = true } }
    hub.say(state())
    return try Answer.json(Message(is: "saved", name: name))
  }
}
