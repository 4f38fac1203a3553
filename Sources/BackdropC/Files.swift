import Backdrop
import CBackdrop

final class PhotoFile: Handle {
  static let title = "photo"

  let photo: Photo

  init(_ photo: Photo) { self.photo = photo }

  struct Report: Encodable {
    var path: String
    var container: String?
    var width: Int, height: Int
    var mattes: [String]
    var hasDepth: Bool
    var parts: [String]
    var exifBytes: Int, xmpBytes: Int
    var frames: Int
    var faults: [String]
  }

  var report: Report {
    let contents = photo.contents
    return Report(
      path: FilePath.readable(photo.path), container: contents.container?.name, width: photo.width,
      height: photo.height, mattes: contents.mattes.map(\.rawValue), hasDepth: contents.auxiliary(.depth) != nil,
      parts: contents.auxiliaries.map { "\($0.kind)" }, exifBytes: contents.metadata.exif?.count ?? 0,
      xmpBytes: contents.metadata.xmp?.count ?? 0, frames: contents.frameCount,
      faults: contents.faults.map(\.description))
  }
}

/// Declared in backdrop.h.
@_cdecl("bd_photo_open")
public func bd_photo_open(
  _ path: UnsafePointer<CChar>!, _ depth: UnsafePointer<CChar>!, _ photo: UnsafeMutablePointer<OpaquePointer?>!
) -> bd_status {
  make(photo) { () throws(BackdropError) in
    PhotoFile(try Photo(try text(path, "path"), depth: depth.map { FilePath.text($0) }))
  }
}

/// Declared in backdrop.h.
@_cdecl("bd_photo_describe")
public func bd_photo_describe(
  _ photo: OpaquePointer!, _ json: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>!
) -> bd_status {
  perform(photo, PhotoFile.self) { (file) throws(BackdropError) in try give(file.report, to: json) }
}

/// Declared in backdrop.h.
@_cdecl("bd_photo_frame")
public func bd_photo_frame(_ photo: OpaquePointer!, _ frame: UnsafeMutablePointer<OpaquePointer?>!) -> bd_status {
  make(frame) { () throws(BackdropError) in
    try HandleTable.shared.with(photo, PhotoFile.self) { (file) throws(BackdropError) in
      try Frame(try file.photo.scene())
    }
  }
}

/// Declared in backdrop.h.
@_cdecl("bd_photo_write")
public func bd_photo_write(
  _ photo: OpaquePointer!, _ path: UnsafePointer<CChar>!, _ quality: Int32, _ overwrite: Int32
) -> bd_status {
  perform(photo, PhotoFile.self) { (file) throws(BackdropError) in
    let output = try OutputFile(try text(path, "path"), overwrite: overwrite != 0)
    guard (0...100).contains(quality) else {
      throw BackdropError(.wrongArgument, "the quality is \(quality)", hint: "use 1…100, or 0 for the default")
    }
    try file.photo.contents.write(to: output, options: PhotoFileOptions(quality: pictureQuality(quality)))
  }
}

/// Declared in backdrop.h.
@_cdecl("bd_photo_free")
public func bd_photo_free(_ photo: OpaquePointer!) { HandleTable.shared.remove(photo) }

/// The scenes of a file or a camera, one after the other.
final class Source: Handle {
  static let title = "source"

  private enum Feed {
    case file(any SceneSource)
    case camera(any SceneFeed)
  }

  private var feed: Feed
  private let name: String
  /// The sandbox that decodes it; `nil` for this process.
  private let sandbox: DecoderSandbox?
  /// The longest time that a camera may stay silent, in seconds.
  private static let maximumSilence = 15.0

  init(_ name: String, _ options: [(name: String, value: String?)]) throws(BackdropError) {
    self.name = name
    if name.hasPrefix("camera:") {
      let address = String(name.dropFirst("camera:".count))
      guard options.isEmpty else {
        throw BackdropError(.wrongArgument, "a camera has no option '\(options[0].name)'", hint: "remove it")
      }
      feed = .camera(try Camera(address.isEmpty ? "auto" : address).feed())
      sandbox = nil
    } else {
      var choice = FileOptions()
      for option in options where try !choice.accept(option.name, option.value) {
        throw BackdropError(
          .wrongArgument, "there is no parameter '\(option.name)'",
          hint: .known(FileOptions.parameters.parameters.map(\.name), insteadOf: option.name))
      }
      let decoder = try choice.decoder()
      let source = try decoder.decoding { () throws(BackdropError) in
        try SceneInput.open(name, options: choice.source.input)
      }
      (feed, sandbox) = (.file(source), decoder)
    }
  }

  /// The next scene; `nil` at the end.
  func next() throws(BackdropError) -> Scene? {
    switch feed {
    case .file(var source):
      defer { feed = .file(source) }
      return try sandbox.decoding { () throws(BackdropError) in try source.next() }
    case .camera(var source):
      defer { feed = .camera(source) }
      let end = MonotonicClock.seconds + Self.maximumSilence
      while MonotonicClock.seconds < end {
        switch try source.next() {
        case .scene(let scene): return scene
        case .nothing: continue
        case .end: return nil
        }
      }
      throw BackdropError(
        .system, "the camera sent no picture for \(Int(Self.maximumSilence)) seconds", path: name,
        hint: "check whether another program shows its picture")
    }
  }

  struct Report: Encodable {
    var name: String
    var width: Int?, height: Int?
    var framesPerSecond: Double?
    var frames: Int?
    var isStill: Bool, hasDepth: Bool?
  }

  var report: Report {
    guard case .file(let source) = feed else {
      return Report(name: FilePath.readable(name), isStill: false, hasDepth: nil)
    }
    return Report(
      name: FilePath.readable(source.name), width: source.width, height: source.height,
      framesPerSecond: source.framesPerSecond, frames: source.frameCount, isStill: source.isStill,
      hasDepth: source.providesDepth)
  }
}

/// The options of an input in C: those of ``SourceOptions``, and the program that decodes it. Other interfaces do not have the
/// program as a setting, since choosing it means running any program.
struct FileOptions: Parameterized {
  var source = SourceOptions()
  /// The path of the command `backdrop`, whose processes decode files; `nil` decodes in this process.
  var sandbox: String?

  /// Makes the sandbox that decodes files; `nil` without a program.
  func decoder() throws(BackdropError) -> DecoderSandbox? {
    try sandbox.map { program throws(BackdropError) in
      try DecoderSandbox(.init(program: program, limits: source.input.limits))
    }
  }

  static let parameters: ParameterTable<Self> =
    [
      .depth: [
        .file(
          "sandbox", "Decode files in processes of this program, which can do nothing else", \.sandbox,
          of: "the path of the command backdrop", automatic: "in this process")
      ]
    ] + SourceOptions.parameters.lifted(to: \.source)
}

/// Declared in backdrop.h.
@_cdecl("bd_source_open")
public func bd_source_open(
  _ name: UnsafePointer<CChar>!, _ options: UnsafePointer<bd_option>!, _ option_count: Int,
  _ source: UnsafeMutablePointer<OpaquePointer?>!
) -> bd_status {
  make(source) { () throws(BackdropError) in
    try Source(try text(name, "name"), try namedOptions(options, option_count))
  }
}

/// Declared in backdrop.h.
@_cdecl("bd_source_describe")
public func bd_source_describe(
  _ source: OpaquePointer!, _ json: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>!
) -> bd_status {
  perform(source, Source.self) { (source) throws(BackdropError) in try give(source.report, to: json) }
}

/// Declared in backdrop.h.
@_cdecl("bd_source_next")
public func bd_source_next(_ source: OpaquePointer!, _ frame: UnsafeMutablePointer<OpaquePointer?>!) -> bd_status {
  frame?.pointee = nil
  return call(source, Source.self) { (source) throws(BackdropError) in
    let result = try resultPointer(frame)
    guard let scene = try source.next() else { return bd_status(BD_END) }
    result.pointee = HandleTable.shared.add(try Frame(scene))
    return bd_status(BD_OK)
  }
}

/// Declared in backdrop.h.
@_cdecl("bd_source_free")
public func bd_source_free(_ source: OpaquePointer!) { HandleTable.shared.remove(source) }
