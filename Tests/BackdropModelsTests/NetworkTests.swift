import BackdropDepth
import BackdropImaging
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import BackdropModels

@Suite struct NetworkTests {
  static let needsRuntime: Comment = "needs the network runtime: backdrop models install"
  static var hasDefaultModels: Bool { NetworkRuntime.isInstalled && ModelStore().isComplete }

  @Test func anAbsentLibraryIsSaid() {
    #expect(throws: BackdropError.self) { try NetworkRuntime.open("/nonexistent/libopenvino_c.so") }
  }

  @Test func anotherLibraryIsSaid() throws {
    // A system library that is not OpenVINO, from the path at which this process loaded it.
    let maps = String(decoding: try InputFile.read("/proc/self/maps"), as: UTF8.self)
    let path = try #require(
      maps.split(separator: "\n").compactMap { $0.firstMatch(of: #/\/\S*\/libm[-.0-9]*\.so(\.6)?$/#) }.first)
    do throws(BackdropError) {
      _ = try NetworkRuntime.open(String(path.0))
      Issue.record("libm was taken for OpenVINO")
    } catch {
      #expect(error.kind == .unsupported)
      #expect(error.message.contains("lacks ov_get_openvino_version"), "\(error.message)")
    }
  }

  @Test(.enabled(if: NetworkRuntime.isInstalled, needsRuntime))
  func damagedFilesAreSaid() throws {
    let folder = TemporaryFolder()
    for name in ["a.tflite", "a.onnx", "a.xml"] {
      try Data("nothing of the kind, but more than a few bytes".utf8).write(to: URL(fileURLWithPath: folder.file(name)))
      #expect(throws: BackdropError.self) { try Network.load(folder.file(name)) }
    }
  }

  @Test(.enabled(if: hasDefaultModels, needsRuntime))
  func truncatedModelsAreSaid() throws {
    let folder = TemporaryFolder()
    let path = try #require(ModelStore().path(of: NetworkDescription.selfieGeneral.file))
    let bytes = try InputFile.read(path)
    for part in [0.1, 0.5, 0.9] {
      let file = folder.file("selfie_segmentation.tflite")
      try Data(bytes[0..<Int(Double(bytes.count) * part)]).write(to: URL(fileURLWithPath: file))
      #expect(throws: BackdropError.self) { try Network.load(file) }
    }
  }

  @Test(.enabled(if: hasDefaultModels, needsRuntime))
  func aWrongDescriptionNamesBothShapes() throws {
    var wrong = NetworkDescription.selfieGeneral
    wrong.height = 144
    do {
      _ = try PersonNetwork(wrong)
      Issue.record("a wrong size was taken")
    } catch {
      #expect(error.message.contains("1×144×256×3") && error.message.contains("1×256×256×3"), "\(error.message)")
    }
  }

  /// The network's output does not depend on the picture's pixel format, except for rounding.
  @Test(.enabled(if: hasDefaultModels, needsRuntime))
  func formatsAgree() throws {
    var random = SeededRandom(seed: 5)
    var image = Image(.bgra8, width: 320, height: 180)
    for y in 0..<180 {
      var row = image.mutableRow(y)
      let noise = UInt8.random(in: 0...40, using: &random)
      for x in 0..<320 {
        for c in 0..<3 { row[4 * x + c] = UInt8((x + y + 60 * c) / 3) + noise / 4 }
        row[4 * x + 3] = 255
      }
    }
    let network = try PersonNetwork(.selfieLandscape)
    var first = Matte(constant: 0, width: 1, height: 1)
    var second = first
    try network.update(&first, from: image)
    try network.update(&second, from: image.converted(to: .i420, color: .jpeg))
    #expect(first.width == 256 && first.height == 144)
    let worst = zip(first.q15.samples, second.q15.samples).map { abs(Int($0) - Int($1)) }.max() ?? 0
    // Chroma at half resolution changes a few samples slightly.
    #expect(worst < 3277)
  }

  @Test(.enabled(if: hasDefaultModels, needsRuntime))
  func knowsPersonsOnly() {
    #expect(throws: BackdropError.self) { try PersonNetwork(.selfieGeneral, classes: ["dog"]) }
  }

  /// Checks repeatedly on which processors another thread may run.
  private final class AllowedProcessors: Sendable {
    /// The file of the thread that created this.
    private let file: String
    let isWatching = Atomic(false)
    let seen = Mutex<[String]>([])

    init() throws {
      file = "/proc/" + (try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/thread-self")) + "/status"
    }

    func now() -> String {
      let status = (try? InputFile.read(file)).map { String(decoding: $0, as: UTF8.self) } ?? ""
      return status.split(separator: "\n").first { $0.hasPrefix("Cpus_allowed_list:") }.map(String.init) ?? "unreadable"
    }

    func watch(times: Int) {
      for _ in 0..<times {
        let found = now()
        seen.withLock { $0.append(found) }
      }
      isWatching.store(false, ordering: .releasing)
    }
  }

  /// If the runtime pinned a thread to a processor, it would do so only during a run, so another thread checks.
  @Test(.enabled(if: hasDefaultModels, needsRuntime))
  func runsAreTiedToNoProcessor() throws {
    let allowed = try AllowedProcessors()
    let before = allowed.now()
    let network = try PersonNetwork(.selfieLandscape)
    let image = Image(.bgra8, width: 320, height: 180)
    var matte = Matte(constant: 0, width: 1, height: 1)
    allowed.isWatching.store(true, ordering: .relaxed)
    Thread { allowed.watch(times: 500) }.start()
    while allowed.isWatching.load(ordering: .acquiring) { try network.update(&matte, from: image) }
    #expect(Set(allowed.seen.withLock { $0 }) == [before])
  }

  /// People cover between a tenth and nine tenths of these portraits, including the centre.
  @Test(.enabled(if: hasDefaultModels && TestData.isPresent, "needs BACKDROP_DATA and the network runtime"))
  func descriptionsFitTheirFiles() throws {
    let image = try testPicture()
    var found = 0
    for var description in NetworkDescription.all {
      description.file = TestData.path("models/" + description.file)
      guard FileKind(description.file) == .file else { continue }
      found += 1
      let network = try PersonNetwork(description)
      var matte = Matte(constant: 0, width: 1, height: 1)
      try network.update(&matte, from: image)
      #expect((0.1...0.9).contains(matte.coverage), "\(description.id): \(matte.coverage)")
      #expect(matte[matte.width / 2, matte.height / 2] > 0.8, "\(description.id)")
    }
    #expect(found >= 6)
  }

  private func testPicture() throws -> Image {
    // The colour picture of an RGB-D frame: a person in front of a wall.
    let bytes = try OutsideTool.run(
      "ffmpeg",
      [
        "-v", "error", "-i", TestData.path("matting/p3m/p_514ca06a.jpg"), "-vf", "scale=640:576", "-pix_fmt", "rgba",
        "-f", "rawvideo", "-",
      ])
    var image = Image(.rgba8, width: 640, height: 576)
    for y in 0..<576 {
      var row = image.mutableRow(y)
      for x in row.indices { row[x] = bytes[y * 640 * 4 + x] }
    }
    return image
  }

  @Test func descriptionsAreReadFromFiles() throws {
    let folder = TemporaryFolder()
    let file = folder.file("net.json")
    try Data(#"{"file": "net.onnx", "width": 320, "height": 320, "layout": "channelHeightWidth"}"#.utf8)
      .write(to: URL(fileURLWithPath: file))
    let found = try NetworkDescription.load(file)
    #expect(found.file == folder.file("net.onnx") && found.width == 320 && found.layout == .channelHeightWidth)
    #expect(found.meaning == .probability)
    for text in [
      "{}", "[", #"{"file": "x", "width": 0, "height": 3}"#,
      #"{"file": "x", "width": 4, "height": 3, "std": [0, 1, 1]}"#,
    ] {
      try Data(text.utf8).write(to: URL(fileURLWithPath: file))
      #expect(throws: BackdropError.self, "\(text)") { try NetworkDescription.load(file) }
    }
    let all = NetworkDescription.all
    #expect(Set(all.map(\.id)).count == all.count && Set(all.map(\.file)).count == all.count)
    for description in all {
      let data = try JSONEncoder().encode(description)
      #expect(try JSONDecoder().decode(NetworkDescription.self, from: data) == description)
    }
  }

  /// The cache returns a loaded network again, and loads another one if anything about the description differs.
  @Test(.enabled(if: hasDefaultModels, needsRuntime)) func aCacheLoadsOnce() throws {
    let cache = ModelCache()
    let first = try cache.networks([.selfieGeneral], classes: nil, threads: 1)[0]
    #expect(try cache.networks([.selfieGeneral], classes: nil, threads: 1)[0] === first)
    #expect(try cache.networks([.selfieGeneral], classes: nil, threads: 2)[0] !== first)
    #expect(try cache.networks([.selfieGeneral], classes: ["person"], threads: 1)[0] !== first)
    #expect(throws: BackdropError.self) { try cache.networks([.selfieGeneral], classes: ["dog"], threads: 1) }
    #expect(cache.count == 3)
    let faces = try cache.faceDetector()
    #expect(try cache.faceDetector() === faces)
    #expect(cache.count == 4)
  }
}
