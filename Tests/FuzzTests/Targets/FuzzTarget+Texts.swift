import Foundation

@testable import Backdrop
@testable import BackdropCameras
@testable import BackdropClouds
@testable import BackdropDepth
@testable import BackdropImaging
@testable import BackdropLive
@testable import BackdropLooks
@testable import BackdropMatting
@testable import BackdropSimulation
@testable import BackdropStudio

extension FuzzTarget {
  /// Text from users and pages: looks, settings, commands, names.
  static let texts = [
    FuzzTarget("look", maximumLength: 8192, words: lookWords, seeds: lookSeeds) {
      try FuzzFile.with($0, "a.json") { path in
        let look = try Look.load(path)
        _ = look.realBackgroundOpacity(0, try look.settings([:]))
        _ = look.showsRealBackground
      }
    },
    FuzzTarget("touch-up", words: touchUpWords, seeds: touchUpSeeds) { bytes in
      let touchUp = try TouchUp(json: bytes)
      let again = try TouchUp(json: touchUp.json())
      precondition(again == touchUp, "a touch-up is another one when it is read again")
      var matte = Matte(constant: 0.5, width: 24, height: 16)
      let painter = TouchUpPainter(Image(.rgb8, width: 24, height: 16, color: .jpeg), workers: WorkerPool(threads: 1))
      try painter.draw(touchUp.strokes.prefix(8), in: &matte)
    },
    FuzzTarget("page-edit", words: touchUpWords + ["background", "drop", "settings", "aspect"], seeds: editSeeds) {
      bytes in
      let edit: PhotoEdit
      do { edit = try JSONReader.decode(PhotoEdit.self, from: bytes) } catch {
        throw BackdropError(.wrongArgument, "no edit")
      }
      try edit.check()
    },
    FuzzTarget("live-json", words: settingWords, seeds: settingSeeds) {
      try FuzzFile.with($0, "live.json") { _ = try LiveConfiguration.load($0) }
    },
    FuzzTarget("ctl", maximumLength: 1024, words: commandWords, seeds: commandSeeds) { bytes in
      let command = try LiveCommand(json: bytes)
      attempt { _ = try JSONEncoder().encode(command) }
      // Apply the value to the settings.
      guard case .set(let name, let value) = command else { return }
      var settings = LiveSettings()
      try LiveSettings.parameters.set(name, to: value, in: &settings, isRunning: true)
    },
    FuzzTarget("ctl-words", maximumLength: 256, seeds: wordSeeds) { bytes in
      _ = try LiveCommand(words: String(decoding: bytes, as: UTF8.self).split(separator: " ").map(String.init))
    },
    FuzzTarget(
      "page-message", maximumLength: 1024, words: commandWords + ["subscription", "watch", "ping"], seeds: pageSeeds
    ) {
      _ = try PageMessage(String(decoding: $0, as: UTF8.self))
    },
    FuzzTarget(
      "address", maximumLength: 256,
      words: [
        "sim:", "?seed=", "&size=1280x720", "&fps=", "&seconds=", "&depth=", "v4l2:", "/dev/video0", "pipewire:",
        "rtsp://", "http://user:secret@", "openni:", "auto",
      ],
      seeds: {
        [
          "sim:", "sim:two-people?seed=2&seconds=10&size=1280x720&depth=640x480&fps=30", "http://a:b@c/d?e#f",
          "v4l2:/dev/video0", "auto",
        ].map { Array($0.utf8) }
      }, read: readAddress),
    FuzzTarget(
      "argument", maximumLength: 256,
      words: ["blur:", "bokeh:", "scene:dunes", "#204060", "subject", "spatial", "temporal"],
      seeds: {
        ["blur:20", "bokeh:3.5", "#204060", "10,20", "20,-10,0,1.2", "radius=1:5:3", "filtered", "4x3"].map {
          Array($0.utf8)
        }
      }, read: readArgument),
    FuzzTarget("pod", maximumLength: 1024, seeds: podSeeds, read: readPod),
  ]

  // MARK: - Words and seeds

  private static let touchUpWords = [
    "\\x22strokes\\x22:", "\\x22does\\x22:", "\\x22keep\\x22", "\\x22erase\\x22", "\\x22size\\x22:",
    "\\x22softness\\x22:",
    "\\x22edges\\x22:", "\\x22points\\x22:", "0.0005", "1e999", "null", "true",
  ]
  private static let touchUpSeeds: @Sendable () throws -> [[UInt8]] = {
    let points = [SIMD2(0.4, 0.2), SIMD2(0.5, 0.3), SIMD2(0.5, 0.4)]
    let strokes = [
      TouchUp.Stroke(.keep, size: 0.1, softness: 0.5, followsEdges: true, points: points),
      TouchUp.Stroke(.erase, size: 0.0005, softness: 0, points: [SIMD2(0, 1)]),
    ]
    return [try TouchUp(strokes).json(), try TouchUp().json()]
  }
  private static let editSeeds: @Sendable () throws -> [[UInt8]] = {
    var edit = PhotoEdit()
    (edit.background, edit.drop) = ("blur:30", [[0.5, 0.25]])
    edit.settings = ["aspect": "1:1", "place-x": 0.25, "shadow": 1]
    edit.touchUp = try TouchUp(json: touchUpSeeds()[0])
    return try [edit, PhotoEdit()].map { try JSONWriter().encode($0) }
  }
  private static let lookWords = [
    "\\x22layers\\x22:", "\\x22source\\x22:", "\\x22frame\\x22", "\\x22through\\x22:", "\\x22matte\\x22:",
    "\\x22parameters\\x22:", "\\x22id\\x22:", "\\x22blur\\x22:", "\\x22grade\\x22:", "\\x22$radius\\x22", "1e999",
    "null", "true",
  ]
  private static let lookSeeds: @Sendable () throws -> [[UInt8]] = {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    return try Look.builtIn.map { Array(try encoder.encode($0)) }
  }

  private static let settingWords =
    LiveSettings.parameters.parameters.map { "\\x22\($0.name)\\x22:" } + [
      "\\x22camera\\x22:", "\\x22look\\x22:", "\\x22parameters\\x22:", "\\x22outputs\\x22:", "\\x22backgrounds\\x22:",
      "true",
      "null", "1e999",
    ]
  private static let settingSeeds: @Sendable () throws -> [[UInt8]] = {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    return [Array("{}".utf8), Array(try encoder.encode(LiveSettings()))]
  }

  private static let commandWords =
    LiveCommand.usages.map { "\\x22\($0.name)\\x22" } + [
      "\\x22do\\x22:", "\\x22name\\x22:", "\\x22value\\x22:", "\\x22raw\\x22:", "true", "null", "1e999",
      "\\x22radius\\x22",
    ]
  private static let commandSeeds: @Sendable () throws -> [[UInt8]] = {
    [
      #"{"do":"set","name":"smooth","value":0.5}"#, #"{"do":"status"}"#, #"{"do":"mirror","value":true}"#,
      #"{"do":"record","value":"a.mkv","raw":"b.r3d"}"#, #"{"do":"background","value":"blur:20"}"#,
    ].map { Array($0.utf8) }
  }
  private static let wordSeeds: @Sendable () throws -> [[UInt8]] = {
    ["set radius 8", "mirror on", "record a.mkv b.r3d", "status", "look noir"].map { Array($0.utf8) }
  }
  private static let pageSeeds: @Sendable () throws -> [[UInt8]] = {
    [#"{"do":"ping"}"#, #"{"do":"virtual-camera","value":true}"#, #"{"do":"set","name":"radius","value":5}"#]
      .map { Array($0.utf8) }
  }
  private static let podSeeds: @Sendable () throws -> [[UInt8]] = {
    let pod = PodObject(
      PodObject.format, id: 3,
      [
        1: .id(2), 2: .choice(.enumeration, [.id(1), .id(1), .id(7)]), 3: .rectangle(640, 480), 4: .fraction(30, 1),
        5: .choice(.range, [.int(1), .int(0), .int(9)]), 6: .long(5),
      ])
    return [pod.words.withUnsafeBytes { Array($0) }]
  }

  // MARK: - Reading

  private static let readAddress: @Sendable ([UInt8]) throws -> Void = { bytes in
    let text = String(decoding: bytes, as: UTF8.self)
    _ = Cameras.isAddress(text)
    _ = NetworkCamera.withoutSecrets(text)
    if SimulatedCamera.isAddress(text) { _ = try SimulatedCamera.Settings(text) }
    try LiveInputs.check(text)
  }

  /// Parses text as each kind of argument, except file names.
  private static let readArgument: @Sendable ([UInt8]) throws -> Void = { bytes in
    let text = String(decoding: bytes, as: UTF8.self)
    attempt { _ = try Job.Focus(text) }
    attempt { _ = try CloudView(text) }
    attempt { _ = try ParameterSweep(text) }
    attempt { _ = try DepthFilterChain(parsing: text) }
    for parameter in LiveSettings.parameters.parameters { attempt { _ = try parameter.value(parsing: text) } }
    _ = RGBColor(text: text)
    guard ["#", "blur", "bokeh"].contains(where: text.hasPrefix) else { return }
    _ = try BackgroundSource(BackgroundChoice(parsing: text), width: 16, height: 12)
  }

  /// Reads PipeWire's data, writes it, and reads it again.
  private static let readPod: @Sendable ([UInt8]) throws -> Void = { bytes in
    guard let pod = bytes.withUnsafeBytes({ PodObject($0) }) else { throw BackdropError(.badData, "no object") }
    for property in pod.properties { _ = (property.value.preferred, property.value.alternatives) }
    _ = pod.words.withUnsafeBytes { PodObject($0) }
    _ = PipeWireFormat(pod)
    precondition(PipeWireFormat.modes(pod).count < 100, "a short list has a hundred modes")
  }
}
