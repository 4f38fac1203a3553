/// The depth of a video: a folder of depth pictures in the order of their names, one per frame.
struct DepthPictures {
  let files: [String]
  private let options: RecordingOptions
  private let width: Int, height: Int
  private let orientation: Orientation
  private var position = 0

  /// Opens the depth that `input` names, for frames of `width × height` upright pixels, stored with `orientation`; `nil` if it names none
  /// and needs none.
  init?(
    _ input: SceneInput.Options, for video: String, width: Int, height: Int, orientation: Orientation = .up
  ) throws(BackdropError) {
    guard let path = input.depth else {
      guard input.needsDepth else { return nil }
      throw BackdropError(.wrongArgument, "this video has no depth", path: video, hint: .giveDepthFolder)
    }
    guard FileKind(path) == .folder else {
      throw BackdropError(
        .wrongArgument,
        FileKind(path) == .absent ? "no such folder" : "the depth of a video must be a folder of pictures",
        path: path, hint: "give a folder of 16-bit PNG files, one for each frame, named in order")
    }
    let names = try Folder.names(in: path)
    // Sort numbers by value: 10.png comes after 9.png.
    files = names.filter { $0.lowercased().hasSuffix(".png") && !$0.hasPrefix(".") }
      .sorted(by: FileName.isBefore).map { path + "/" + $0 }
    guard !files.isEmpty else {
      throw BackdropError(
        .wrongArgument, "the folder holds no depth pictures", path: path, hint: "depth pictures end in .png")
    }
    (options, self.width, self.height, self.orientation) = (input.recording, width, height, orientation)
    // Report an error that all pictures share before any work.
    _ = try DepthEncoding(.uint16, unitsPerMetre: options.unitsPerMetre ?? 1000).checkedScale()
    var first: DepthMap?
    // A damaged picture affects only its own frame.
    do throws(BackdropError) { first = try load(0) } catch {}
    try entry(0).checkAspect(of: first, width: width, height: height, options)
  }

  /// The depth of the next frame; `nil` after the last picture.
  ///
  /// - Throws: errors in this picture; the next call continues after it.
  mutating func next() throws(BackdropError) -> DepthMap? {
    guard position < files.count else { return nil }
    position += 1
    let map = try load(position - 1)
    try entry(position - 1).checkAspect(of: map, width: width, height: height, options)
    return map
  }

  /// A message for the end of the video if the numbers of pictures and frames differ.
  var leftOver: [String] {
    let count = files.count - position
    return count == 0 ? [] : ["\(count) depth pictures remain at the end; check that they belong to this video"]
  }

  private func load(_ index: Int) throws(BackdropError) -> DepthMap {
    let map = try entry(index).loadDepth(options, unitsPerMetre: options.unitsPerMetre ?? 1000, camera: nil)
    return RecordingEntry.turned(map, with: orientation, width: width, height: height)
  }

  private func entry(_ index: Int) -> RecordingEntry {
    RecordingEntry(number: index + 1, time: 0, color: "", depth: files[index])
  }
}
