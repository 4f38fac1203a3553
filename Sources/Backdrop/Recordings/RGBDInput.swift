/// Opens the source of frames with depth that a name refers to.
///
///     var source = try RGBDInput.open("walk.r3d")
///     while let frame = try source.next() { … }
package enum RGBDInput {
  /// Opens `sim:…`, `openni:[ADDRESS]`, `iphone:[UDID]`, `realsense:[SERIAL]`, a folder of pictures
  /// (``/BackdropRecordings/PictureFolderRecording``), or a file of one of the kinds of `RecordingFormats`, recognized by content.
  package static func open(
    _ name: String, options: RecordingOptions = RecordingOptions()
  ) throws(BackdropError) -> any SceneSource {
    guard let source = try find(name, options: options) else {
      let known = RecordingFormats.fileExtensions.map { "." + $0 }.listed("or")
      throw BackdropError(
        .badData, "Backdrop finds no depth here", path: name,
        hint: "give a folder with colour and depth, a \(known) file with depth, or sim:")
    }
    return source
  }

  /// As ``open(_:options:)``, but `nil` for files without depth: other pictures and videos.
  static func find(_ name: String, options: RecordingOptions) throws(BackdropError) -> (any SceneSource)? {
    var reading = options
    reading.allowsAnyAspect = options.allowsAnyAspect || options.alignment != nil
    guard let source = try unaligned(name, options: reading) else { return nil }
    return try aligned(source, options)
  }

  /// A source whose depth and pictures share one view, aligned as the options say or by the source's own description of its cameras.
  static func aligned(_ source: any SceneSource, _ options: RecordingOptions) throws(BackdropError) -> any SceneSource {
    let own = source.info.cameras.map { RecordingAlignment($0, view: options.view ?? .color) }
    guard let alignment = options.alignment ?? own else {
      guard options.view == nil else {
        throw BackdropError(
          .wrongArgument, "this recording does not describe its cameras, so you cannot choose one", path: source.name,
          hint: .giveCameras)
      }
      return source
    }
    return try AlignedSource(source, alignment)
  }

  /// Whether a name is the address of a camera, which never ends.
  package static func isCamera(_ name: String) -> Bool {
    SimulatedCamera.isAddress(name) || name.hasPrefix(OpenNISource.prefix) || IPhoneSource.isAddress(name)
      || RealSenseSource.isAddress(name)
  }

  private static func unaligned(_ name: String, options: RecordingOptions) throws(BackdropError) -> (any SceneSource)? {
    if SimulatedCamera.isAddress(name) { return SimulationStream(try SimulatedCamera(address: name), name: name) }
    if name.hasPrefix(OpenNISource.prefix) { return try OpenNISource(name, options: options) }
    if IPhoneSource.isAddress(name) { return try IPhoneSource(name, options: options, rate: nil) }
    if RealSenseSource.isAddress(name) { return try RealSenseSource(name, options: options) }
    switch try FileKind(input: name) {
    case .absent:
      throw BackdropError(
        .wrongArgument, "no such file", path: name, hint: "check the name, or try the simulated camera: sim:")
    case .folder: return try RecordingFormats.openFolder(name, options: options)
    case .file: break
    case .other: return nil
    }
    if options.raw != nil && RecordingEntry.isRaw(name, options) { return nil }
    let container = try RecordingFormats.container(name, head: try InputFile.head(name, count: 16))
    return try container?.open(name, options: options)
  }
}
