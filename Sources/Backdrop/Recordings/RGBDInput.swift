import BackdropDepth
import BackdropImaging
import BackdropRecordings
import BackdropSimulation

/// Finds the source of frames with depth for a name.
///
///     var source = try RGBDInput.open("walk.r3d")
///     while let frame = try source.next() { … }
public enum RGBDInput {
  /// Opens `sim:…`, `openni:[ADDRESS]`, `iphone:[UDID]`, a folder of pictures (``/BackdropRecordings/RGBDRecording``), or a file of one of the
  /// kinds of `RecordingFile`, told apart by content.
  ///
  /// - Throws: errors in it; `badData` for files that hold no depth.
  public static func open(
    _ name: String, options: RecordingOptions = RecordingOptions()
  ) throws(BackdropError) -> any SceneSource {
    guard let source = try find(name, options: options) else {
      let known = RecordingFile.endings.map { "." + $0 }.listed("or")
      throw BackdropError(
        .badData, "Backdrop finds no depth here", path: name,
        hint: "give a folder with colour and depth, a \(known) file with depth, or sim:")
    }
    return source
  }

  /// As ``open(_:options:)``, but `nil` for files that hold no depth: other pictures and videos.
  static func find(_ name: String, options: RecordingOptions) throws(BackdropError) -> (any SceneSource)? {
    var reading = options
    reading.allowsAnyAspect = options.allowsAnyAspect || options.alignment != nil
    guard let source = try unaligned(name, options: reading) else { return nil }
    let own = (source as? any TwoCameraSource)?.cameras.map { RecordingAlignment($0, view: options.view ?? .color) }
    guard let alignment = options.alignment ?? own else {
      guard options.view == nil else {
        throw BackdropError(
          .wrongArgument, "this recording does not describe its cameras, so you cannot choose one", path: name,
          hint: .giveCameras)
      }
      return source
    }
    return try AlignedSource.open(source, alignment)
  }

  private static func unaligned(_ name: String, options: RecordingOptions) throws(BackdropError) -> (any SceneSource)? {
    if SimulatedCamera.isAddress(name) {
      return SimulationStream(try SimulatedCamera(address: name), name: name)
    }
    if name.hasPrefix(OpenNISource.prefix) { return try OpenNISource.open(name, options: options) }
    if IPhoneSource.isAddress(name) { return try IPhoneSource.open(name, options: options, rate: nil) }
    switch FileKind(name) {
    case .absent:
      throw BackdropError(
        .wrongArgument, "no such file", path: name,
        hint: "check the name, or try the simulated camera: sim:")
    case .folder: return try RecordingFile.openFolder(name, options: options)
    case .file: break
    case .other: return nil
    }
    if options.raw != nil && RecordingEntry.isRaw(name, options) { return nil }
    let container = try RecordingFile.container(name, head: try InputFile.head(name, count: 16))
    return try container?.open(name, options: options)
  }
}
