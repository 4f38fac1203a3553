import Backdrop

extension Doctor {
  static func processor() -> Finding {
    let count = WorkerPool.processorCount
    let level = CPULevel.current
    let text = "\(count) processor\(count == 1 ? "" : "s"), instructions of level \(level)"
    if MachineState().isHot {
      return Finding(
        "processor", "processor", .advice, text + ", hot",
        hint: "let it cool down; Backdrop drops pictures while it is hot")
    }
    #if arch(arm64)
      // Every such processor has NEON, which the baseline uses.
      return Finding("processor", "processor", .good, text)
    #else
      guard level == .baseline else { return Finding("processor", "processor", .good, text) }
      let isForced = CPULevel.supported.count > 1
      return Finding(
        "processor", "processor", .advice, text,
        hint: isForced
          ? "unset BACKDROP_CPU_LEVEL" : "this processor has no AVX2; if Backdrop drops pictures, choose 640×480")
    #endif
  }

  static func networks() -> [Finding] {
    var runtime = Finding("runtime", "network runtime", .good, "", isEssential: true)
    do throws(BackdropError) {
      runtime.text = "OpenVINO \(try NetworkRuntime.shared().build)"
    } catch {
      (runtime.state, runtime.text, runtime.hint) = (.bad, error.message, error.hint)
    }
    let store = ModelStore()
    let damaged = NetworkDescription.all.filter { store.hasDamaged($0.file) }.map(\.id)
    let installed = NetworkDescription.all.filter { store.path(of: $0.file) != nil }.map(\.id)
    let usual = NetworkDescription.selfieLandscape.id
    var networks = Finding("models", "person networks", .good, installed.joined(separator: ", "), isEssential: true)
    if !damaged.isEmpty || !installed.contains(usual) {
      networks.text = damaged.isEmpty ? "\(usual) is not installed" : "damaged: \(damaged.joined(separator: ", "))"
      (networks.state, networks.hint) = (.bad, .installNetworks)
    }
    return [runtime, networks]
  }

  /// Measures how many simulated frames one processor mattes and blends in a second of processor time.
  static func speed() -> Finding {
    do throws(BackdropError) {
      var settings = LiveSettings()
      settings.analysis.mattes = NetworkRuntime.isInstalled ? .person : .depth
      let camera = SimulatedCamera(width: settings.request.width, height: settings.request.height)
      let frames = (0..<4).map { index in
        var frame = camera.frame(index * 8).frame
        frame.image = frame.image.converted(to: .i420, color: .video)
        if settings.analysis.mattes == .person { (frame.depth, frame.faces) = (nil, nil) }
        return frame
      }
      let engine = try LiveDrawing(settings, .backdrop, networks: ModelCache(), workers: WorkerPool(threads: 1))
      var output = Image(.i420, width: settings.request.width, height: settings.request.height)
      // The first frames load the network and the background.
      for frame in frames { try draw(frame, engine, into: &output) }
      // Other programs do not affect this program's processor time.
      let start = ProcessorTime.seconds
      var count = 0
      var seconds = 0.0
      while seconds < 1 || count < 3 {
        try draw(frames[count % frames.count], engine, into: &output)
        count += 1
        seconds = ProcessorTime.seconds - start
      }
      return judged(
        Double(count) / seconds, wanted: settings.request.rate,
        "matte by \(settings.analysis.mattes == .depth ? "depth" : "network") and blend at \(settings.request.width)×\(settings.request.height)"
      )
    } catch {
      return Finding("speed", "speed", .advice, "not measured: \(error.message)", hint: error.hint)
    }
  }

  private static func draw(_ scene: Scene, _ engine: LiveDrawing, into output: inout Image) throws(BackdropError) {
    if case .standby(let reason) = engine.render(scene, into: &output).rendering.standing, let error = reason.error {
      throw error
    }
  }

  static func judged(_ rate: Double, wanted: Double, _ work: String) -> Finding {
    let text = "\(work): \(Int(rate.rounded())) frames/s on one processor"
    if rate >= 1.5 * wanted { return Finding("speed", "speed", .good, text) }
    return Finding(
      "speed", "speed", .advice, text + ", the camera sends \(Int(wanted))",
      hint: rate >= wanted ? "if Backdrop drops pictures, close other programs" : .chooseSmallerSize)
  }
}
