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
  /// - Throws: what is wrong with it; `badData` for files that hold no depth.
  public static func open(
    _ name: String, options: RecordingOptions = RecordingOptions()
  ) throws(BackdropError) -> any SceneSource {
    guard let source = try find(name, options: options) else {
      let known = RecordingFile.containers.map { "." + $0.ending }.listed("and")
      throw BackdropError(
        .badData, "Backdrop finds no depth here", path: name,
        hint: "give a folder with colour and depth, a \(known) file with depth, or sim:")
    }
    return source
  }

  /// As ``open(_:options:)``, but `nil` for files that hold no depth: other pictures and videos.
  static func find(_ name: String, options: RecordingOptions) throws(BackdropError) -> (any SceneSource)? {
    guard let alignment = options.alignment else { return try unaligned(name, options: options) }
    var reading = options
    reading.allowsAnyAspect = true
    guard let source = try unaligned(name, options: reading) else { return nil }
    return try AlignedSource.open(source, alignment)
  }

  private static func unaligned(_ name: String, options: RecordingOptions) throws(BackdropError) -> (any SceneSource)? {
    if SimulatedCamera.isAddress(name) {
      return SimulationStream(try SimulatedCamera(address: name), name: name)
    }
    if IPhoneSource.isAddress(name) { return try IPhoneSource.open(name, options: options, rate: nil) }
    if name.hasPrefix(OpenNISource.prefix) { return try OpenNISource.open(name, options: options) }
    switch FileKind(name) {
    case .absent:
      throw BackdropError(
        .wrongArgument, "no such file", path: name,
        hint: "check the name, or try the simulated camera: sim:")
    case .folder: return try RGBDRecording(folder: name, options: options)
    case .file: break
    case .other: return nil
    }
    if options.raw != nil && RecordingEntry.isRaw(name, options) { return nil }
    let container = try RecordingFile.container(name, head: try InputFile.head(name, count: 16))
    return try container?.open(name, options: options)
  }
}
