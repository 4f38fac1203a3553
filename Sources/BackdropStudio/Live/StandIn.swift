import BackdropDepth
import BackdropImaging
import BackdropLive
import BackdropLooks
import BackdropMatting
import BackdropMedia
import BackdropModels
import Foundation
import Synchronization

struct LiveInputs: Sendable {
  var opener: @Sendable (String, CameraWish) throws(BackdropError) -> (any LiveSource)?
  init(opener: @escaping @Sendable (String, CameraWish) throws(BackdropError) -> (any LiveSource)?) { self.opener = opener }
}

final class LiveSession: Sendable {
  private let state: Mutex<(settings: LiveSettings, outputs: [any LiveOutput], stop: Bool, frozen: Bool, panic: Bool, paused: Bool, rate: Double)>
  init(_ settings: LiveSettings, inputs: LiveInputs, networks: NetworkShelf) throws(BackdropError) {
    var settings = settings
    if settings.camera == "auto" { settings.camera = "sim:talking?seconds=86400" }
    state = Mutex((settings, [], false, false, false, false, 0))
  }
  func start() { Thread.detachNewThread { self.loop() } }
  func stop() { state.withLock { $0.stop = true } }
  var settings: LiveSettings { state.withLock { $0.settings } }
  func takeNotes() -> [String] { [] }
  func add(_ output: any LiveOutput) { state.withLock { $0.outputs.append(output) } }
  var status: LiveStatus {
    state.withLock { s in
      var r = LiveStatus()
      r.showing = s.panic || s.paused ? .card : s.frozen ? .frozen : .person
      r.camera = "simulated camera"; r.cameraMode = "1280×720 bgra, 30/s"; r.isCameraOn = true; r.hasDepth = true
      r.framesIn = s.rate; r.framesOut = s.rate; r.mattes = s.rate; r.latency50 = 21; r.latency95 = 34; r.width = 1280; r.height = 720
      r.isPaused = s.paused; r.isMirrored = s.settings.mirror; r.isPanicking = s.panic
      r.look = s.settings.look; r.parameters = s.settings.parameters; r.background = s.settings.background
      return r
    }
  }
  func perform(_ command: LiveCommand) throws(BackdropError) {
    switch command {
    case .background(let b): _ = try JobBackground(b, width: 64, height: 36); state.withLock { $0.settings.background = b }
    case .addBackground(let b): _ = try JobBackground(b, width: 64, height: 36); state.withLock { $0.settings.background = b; $0.settings.backgrounds.append(b) }
    case .nextBackground, .previousBackground:
      state.withLock { s in
        let l = s.settings.backgrounds; let i = l.firstIndex(of: s.settings.background) ?? 0
        s.settings.background = l[(i + (command == .nextBackground ? 1 : l.count - 1)) % l.count]
      }
    case .look(let l): guard Look.named(l) != nil else { throw BackdropError(.wrongArgument, "no look") }
      state.withLock { $0.settings.look = l; $0.settings.parameters = [:] }
    case .set(let n, let v): state.withLock { s in
      switch n { case "light-wrap": s.settings.lightWrap = v; case "refine": s.settings.refinement = v; case "smooth": s.settings.smoothing = v
      default: s.settings.parameters[n] = v } }
    case .reset(let n): state.withLock { $0.settings.parameters[n] = nil }
    case .mirror(let m): state.withLock { $0.settings.mirror = m ?? !$0.settings.mirror }
    case .freeze(let m): state.withLock { $0.frozen = m ?? !$0.frozen }
    case .panic(let m): state.withLock { $0.panic = m ?? !$0.panic }
    case .pause(let m): state.withLock { $0.paused = m ?? !$0.paused }
    case .camera(let c): state.withLock { $0.settings.camera = c }
    default: break
    }
  }
  private func loop() {
    var camera: (String, SimulatedCamera)?
    var drawn: (LiveSettings, Compositor, DepthMatteMaker)?
    var index = 0
    var times: [Double] = []
    let workers = WorkerPool(threads: 1)
    var last: LivePicture?
    while true {
      let (s, outputs, stop, frozen, panic, paused, _) = state.withLock { $0 }
      if stop { return }
      guard outputs.contains(where: { $0.isWatched }) else { Thread.sleep(forTimeInterval: 0.02); continue }
      let start = FrameStation.now
      do throws(BackdropError) {
        if camera?.0 != s.camera { camera = (s.camera, try SimulatedCamera(address: s.camera.hasPrefix("sim:") ? s.camera : "sim:talking")) }
        guard let cam = camera?.1 else { continue }
        if frozen, let last { for o in outputs { try o.show(last) }; Thread.sleep(forTimeInterval: 0.03); continue }
        var frame = cam.frame(index).frame
        index += 1
        frame.image = frame.image.converted(to: .i420, color: .video)
        if drawn == nil || drawn!.0 != s {
          let look = Look.named(s.look)!
          let settings = try look.settings(s.parameters)
          let c = try Compositor(look, settings: settings, width: 1280, height: 720, format: .i420, color: .video, workers: workers)
          try c.setBackground(JobBackground(s.background, width: 1280, height: 720).initial)
          drawn = (s, c, DepthMatteMaker(look.recipe(settings), workers: workers))
        }
        var image = Image(.i420, width: 1280, height: 720, color: .video)
        var picture: LivePicture
        if panic || paused {
          drawn!.1.renderStillCard(into: &image)
          picture = LivePicture(image: image, isCard: true, seconds: start)
        } else {
          var matte = Matte(constant: 0, width: 1, height: 1)
          try drawn!.2.update(&matte, from: frame)
          try drawn!.1.render(frame.image, matte: matte, into: &image)
          picture = LivePicture(image: image, frame: frame, matte: matte, isCard: false, seconds: start)
        }
        last = picture
        for o in outputs { try o.show(picture) }
      } catch { Thread.sleep(forTimeInterval: 0.1) }
      times.append(start); times = times.filter { $0 > start - 1 }
      state.withLock { $0.rate = Double(times.count) }
      let spent = FrameStation.now - start
      if spent < 0.033 { Thread.sleep(forTimeInterval: 0.033 - spent) }
    }
  }
}
