import BackdropDepth
import BackdropImaging

/// The frames of a folder, by its files.
package struct RecordingLayout {
  /// Frames of which both files are named, in order.
  package var entries: [RecordingEntry] = []
  /// Frames of which one is missing.
  var skipped = FaultTally<SkippedFrame>()
  /// Something wrong beside the frames.
  var warnings: [BackdropError] = []
  /// Units of the depth pictures per metre, where nothing else says.
  var unitsPerMetre = 1000.0
  /// The camera of the depth, where the kind of folder has one; of size 0 where that is the pictures'.
  var camera: Intrinsics?
  /// Both cameras, where depth is not registered and it is known how it would be.
  var cameras: CameraPair?
  /// Whether a camera file, or our own description, may lie beside the frames.
  var looksForCamera = false
  /// Whether poses lie beside the frames.
  var hasPoses = false
  /// Frames a second, where the files tell.
  var framesPerSecond: Double?
  /// The video whose frames the colours are, by their numbers.
  var video: String?

  init() {}

  /// Finds out how `folder` is laid out.
  ///
  /// - Throws: `wrongArgument` if there is no such folder, `badData` if no pair of colour and depth is found in it.
  package init(folder: String, _ options: RecordingOptions) throws(BackdropError) {
    let listing = try FolderListing(folder)
    let kind = RecordingFile.folders.first { $0.matches(listing) } ?? PairedFolder()
    self = try kind.layout(of: listing, options)
  }

  /// All files that are read, each once.
  package var files: [String] {
    (video.map { [$0] } ?? []) + entries.flatMap { video == nil ? [$0.color, $0.depth] : [$0.depth] }
  }

  /// Counts the frames' times from the first one's; where one has none, all are even.
  mutating func countTimes(_ options: RecordingOptions) {
    guard let start = entries.first?.time else { return }
    var (last, isOrdered) = (-Double.infinity, true)
    for entry in entries {
      // Written so that NaN is none.
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
