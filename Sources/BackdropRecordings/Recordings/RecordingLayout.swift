import BackdropDepth
import BackdropImaging

/// The frames that the files of a folder form.
package struct RecordingLayout {
  /// Frames with both files, in order.
  package var entries: [RecordingEntry] = []
  /// Frames with a missing file.
  var skipped = FaultTally<SkippedFrame>()
  var warnings: [BackdropError] = []
  /// Units per metre of the depth pictures, unless given elsewhere.
  var unitsPerMetre = 1000.0
  /// The camera of the depth, if the folder gives it; of size 0 if it has the pictures' size.
  var camera: Intrinsics?
  /// Both cameras, if depth is not registered and they are known.
  var cameras: CameraPair?
  /// Whether a camera file or Backdrop's own description may exist beside the frames.
  var looksForCamera = false
  var hasPoses = false
  var framesPerSecond: Double?
  /// The video that holds the colour frames in order.
  var video: String?

  init() {}

  /// Determines the layout of `folder`.
  package init(folder: String, _ options: RecordingOptions) throws(BackdropError) {
    let listing = try FolderListing(folder)
    let kind = RecordingFormats.folders.first { $0.matches(listing) } ?? PairedFolder()
    self = try kind.layout(of: listing, options)
  }

  /// All files to read, each once.
  package var files: [String] {
    (video.map { [$0] } ?? []) + entries.flatMap { video == nil ? [$0.color, $0.depth] : [$0.depth] }
  }

  /// Makes the frames' times start at the first frame; frames without rising times are spaced evenly.
  mutating func countTimes(_ options: RecordingOptions) {
    guard let start = entries.first?.time else { return }
    var (last, isOrdered) = (-Double.infinity, true)
    for entry in entries {
      // Written so that NaN fails.
      isOrdered = isOrdered && entry.time > last && entry.time - start < 1e9
      last = entry.time
    }
    let rate = framesPerSecond ?? max(options.framesPerSecond, 1e-3)
    for index in entries.indices {
      entries[index].time = isOrdered ? entries[index].time - start : Double(entries[index].number - 1) / rate
    }
    if isOrdered, framesPerSecond == nil, entries.count > 1, last > start {
      framesPerSecond = min(max(Double(entries.count - 1) / (last - start), 0.01), 1000)
    }
  }
}
