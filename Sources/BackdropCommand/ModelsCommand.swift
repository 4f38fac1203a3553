import ArgumentParser
import Backdrop
import BackdropLive
import BackdropTerminal

struct ModelsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "models", abstract: "List, install, inspect and try networks.",
    discussion: """
      Networks find people in inputs without depth, and faces in inputs with depth. They run on OpenVINO; \
      backdrop models install downloads it with the default networks. Backdrop also finds model files in the data folder and \
      in the folder named by BACKDROP_MODELS. To use another network, describe it in a JSON file with "file", "width", "height" \
      and, where they differ from RGB in 0…1, "layout", "order", "mean", "std" and "meaning", and give it as --model FILE.json.
      """,
    subcommands: [List.self, Install.self, Remove.self, Info.self, Test.self], defaultSubcommand: List.self)

  /// A network in the list: a person network, or one that judges its results.
  fileprivate struct Listed {
    let id: String, summary: String, licence: String, file: String

    static let all =
      NetworkDescription.all.map { Self(id: $0.id, summary: $0.summary, licence: $0.licence, file: $0.file) } + [
        Self(
          id: FaceDetector.id, summary: FaceDetector.summary + ": the cutoff of what has depth",
          licence: FaceDetector.licence, file: FaceDetector.file)
      ]
      + [BodyLandmarks.detector, BodyLandmarks.landmarker].map {
        Self(
          id: $0.id, summary: $0.summary + ": whether there is somebody", licence: $0.licence, file: $0.file)
      }
  }

  struct List: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "List the networks, and which are installed.")

    @Flag(help: "Print JSON.") var json = false

    struct Entry: Encodable {
      let id: String, summary: String, licence: String, file: String
      let path: String?
      /// The size of the file.
      let bytes: Int?
      /// The time of a run on one thread, if `models test` has measured it.
      let milliseconds: Double?
      let damaged: Bool
      /// Whether rembg or Hugging Face's libraries downloaded it.
      let isOfOthers: Bool

      fileprivate init(_ listed: Listed, _ store: ModelStore, _ speeds: NetworkSpeeds) {
        (id, summary, licence, file) = (listed.id, listed.summary, listed.licence, listed.file)
        path = store.path(of: file)
        bytes = store.byteCount(of: file)
        milliseconds = NetworkDescription.named(id).flatMap { speeds[$0, $0.sizes[0], threads: 1] }
        damaged = store.hasDamaged(file)
        isOfOthers = path != nil && path == ModelStore.pathOfOthers(file)
      }

      /// Its size and its time, or why it is unusable.
      var state: String {
        if damaged { return "damaged" }
        guard let bytes else { return "not installed" }
        let size = "\(bytes / 100_000 / 10).\(bytes / 100_000 % 10) MB"
        let cost = milliseconds.map { "\(size), \(($0 * 10).rounded() / 10) ms" } ?? size
        return isOfOthers ? cost + ", of another program" : cost
      }

      /// The hint, if a package contains the network.
      var advice: String {
        guard damaged || path == nil, let hint = PyPIPackage.hint(for: file) else { return "" }
        return "; \(hint.sentence)"
      }
    }

    func run() throws {
      let store = ModelStore()
      let speeds = NetworkSpeeds()
      let entries = Listed.all.map { Entry($0, store, speeds) }
      guard !json else { return try printJSON(entries) }
      let (names, states) = (entries.map(\.id.count).max() ?? 0, entries.map(\.state.count).max() ?? 0)
      for entry in entries {
        try Terminal.print(
          "\(entry.id.padded(to: names))  \(entry.state.padded(to: states))  \(entry.summary) (\(entry.licence))\(entry.advice)"
        )
      }
      do throws(BackdropError) {
        let runtime = try NetworkRuntime.shared()
        try Terminal.print("runtime: OpenVINO \(runtime.build), \(runtime.path)")
      } catch {
        try Terminal.print("runtime: \(error.message); \(error.hint?.sentence ?? "")")
      }
    }
  }

  struct Install: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Download the network runtime and networks into the data folder.",
      discussion:
        "Without names: the runtime, MediaPipe's networks and U²-Net-P. By choice, each under its own licence:\n"
        + (PyPIPackage.chosen.map { "  \($0.id): \($0.summary) (\($0.licence), \($0.byteCount / 1_000_000) MB)" }
        + ModelDownload.all.map { "  \($0.id): \($0.network.summary) (\($0.network.licence))" })
        .joined(separator: "\n"))

    @Argument(help: "The networks to download, such as rvm.") var names: [String] = []

    func run() throws {
      try ModelStore().install(names) { Terminal.say($0) }
    }
  }

  struct Remove: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Remove downloads from the data folder.")

    @Argument(
      help:
        "The packages to remove: \((PyPIPackage.all.map(\.id) + ModelDownload.all.map(\.id)).joined(separator: ", ")).")
    var names: [String]

    func run() throws {
      try ModelStore().remove(names) { Terminal.say($0) }
    }
  }

  struct Info: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Print a network's inputs, outputs and layers.")

    @Argument(help: "A model file, or a name from the list.") var model: String

    func run() throws {
      var path = model
      if let known = Listed.all.first(where: { $0.id == model }) {
        guard let found = ModelStore().path(of: known.file) else {
          throw BackdropError(.unsupported, "the model \(known.file) is not installed", hint: "see: backdrop models")
        }
        path = found
        try Terminal.print("\(model): \(known.summary)")
        try Terminal.print("licence: \(known.licence)")
      }
      try Terminal.print("file: \(path)")
      if path.hasSuffix(".tflite") {
        for (name, count) in try TFLiteLayers.count(try InputFile.read(path)) {
          try Terminal.print("layer: \(count) × \(name)")
        }
      }
      let network = try Network.load(path)
      for input in network.inputs { try Terminal.print("input: \(input.name) \(input.shapeText) \(input.element)") }
      for output in network.outputs {
        try Terminal.print("output: \(output.name) \(output.shapeText) \(output.element)")
      }
    }
  }

  struct Test: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Run networks on a picture and print their times.")

    @Argument(help: "Names from the list. Default: all installed networks.") var names: [String] = []
    @Option(help: "The picture. Default: a frame of the simulated camera.") var picture: String?
    @Option(help: "Number of threads.") var threads = 1

    @Option(
      help:
        "Device that runs them: cpu, gpu, npu, or OpenVINO's name of a device. Default: the faster of processor and graphics."
    )
    var device: String?

    func run() throws {
      guard (1...64).contains(threads) else {
        throw BackdropError(.wrongArgument, "the number of threads, \(threads), is out of range: 1…64")
      }
      let image =
        if let picture { try SceneInput.picture(picture).image.converted(to: .bgra8) } else {
          try SimulatedCamera(address: "sim:talking").frame(0).frame.image
        }
      let store = ModelStore()
      var descriptions: [NetworkDescription] = []
      let judges = [FaceDetector.id] + LandmarkNetworks.ids
      for name in names where !judges.contains(name) {
        guard let known = NetworkDescription.named(name) else {
          throw BackdropError(.wrongArgument, "Backdrop has no network '\(name)'", hint: "see: backdrop models")
        }
        descriptions.append(known)
      }
      if names.isEmpty { descriptions = NetworkDescription.all.filter { store.path(of: $0.file) != nil } }
      let triesFaces = names.isEmpty ? store.path(of: FaceDetector.file) != nil : names.contains(FaceDetector.id)
      let triesBodies =
        names.isEmpty ? LandmarkNetworks.areInstalled(in: store) : LandmarkNetworks.ids.contains(where: names.contains)
      guard triesFaces || triesBodies || !descriptions.isEmpty else {
        throw BackdropError(.unsupported, "no model is installed", hint: "run: backdrop models install")
      }
      var speeds = NetworkSpeeds()
      let networkDevice = try device.flatMap { $0 == "auto" ? nil : try NetworkDevice(parsing: $0) }
      for description in descriptions {
        let network = try PersonNetwork(description, threads: threads, device: networkDevice)
        var matte = Matte(constant: 0, width: 1, height: 1)
        let best = try speeds.measure(network, image)
        network.reset()
        Terminal.warn(network.warnings.map { Warning($0) })
        try network.update(&matte, from: image)
        let percent = (matte.coverage * 1000).rounded() / 10
        try Terminal.print(
          "\(description.id): \(matte.width)×\(matte.height), \((best * 100).rounded() / 100) ms, \(percent) % foreground"
        )
      }
      if triesFaces { try tryFaces(image, store) }
      if triesBodies { try tryBodies(image, store) }
    }

    private func tryBodies(_ image: Image, _ store: ModelStore) throws {
      let networks = try LandmarkNetworks(threads: threads, store: store)
      let clock = ContinuousClock()
      var (count, detectionTime, landmarkTime) = (0, Double.infinity, Double.infinity)
      for _ in 0..<20 {
        let start = clock.now
        let found = try networks.detector.detect(in: image)
        let between = clock.now
        for one in found { _ = try networks.landmarker.shape(of: one, in: image) }
        detectionTime = min(detectionTime, (between - start) / .milliseconds(1))
        if !found.isEmpty {
          landmarkTime = min(landmarkTime, (clock.now - between) / .milliseconds(1) / Double(found.count))
        }
        count = found.count
      }
      let text = count == 0 ? "no body" : "\(count) \(count == 1 ? "body" : "bodies")"
      try Terminal.print("\(BodyLandmarks.detector.id): \((detectionTime * 100).rounded() / 100) ms, \(text)")
      guard count > 0 else { return }
      try Terminal.print("\(BodyLandmarks.landmarker.id): \((landmarkTime * 100).rounded() / 100) ms a body")
    }

    private func tryFaces(_ image: Image, _ store: ModelStore) throws {
      let clock = ContinuousClock()
      let detector = try FaceDetector(threads: threads, store: store)
      var faces: [DetectedFace] = []
      var best = Double.infinity
      for _ in 0..<20 {
        let start = clock.now
        try detector.detect(in: image, into: &faces)
        best = min(best, (clock.now - start) / .milliseconds(1))
      }
      let boxes = faces.map {
        "\(Int($0.box.width.rounded()))×\(Int($0.box.height.rounded())) at \(Int($0.box.x.rounded())), \(Int($0.box.y.rounded()))"
      }
      let text = boxes.isEmpty ? "no face" : "face \(boxes.joined(separator: ", face "))"
      try Terminal.print("\(FaceDetector.id): \((best * 100).rounded() / 100) ms, \(text)")
    }
  }
}
