import BackdropImaging

/// The kinds of recordings, each in a separate file.
package enum RecordingFormats {
  /// Folders; to add a kind, add a line here. The first match applies.
  package static let folders: [any RecordingFolderKind] = [
    TUMFolder(), SevenScenesFolder(), ScanNetFolder(), StrayScannerFolder(), PolycamFolder(), Record3DFolder(),
    RealSenseFolder(), PairedFolder(),
  ]

  /// Files; to add a kind, add a line here. The first match applies.
  package static let containers: [any RecordingContainer] = [
    Record3DContainer(), OniContainer(), BagContainer(), BagDatabaseContainer(), MatroskaContainer(),
  ]

  /// The extensions of these files, each once.
  package static var fileExtensions: [String] {
    containers.map(\.fileExtension).reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
  }

  /// The kind of a file, by its first 16 bytes and its name; `nil` if it is not a recording.
  package static func container(_ path: String, head: [UInt8]) throws(BackdropError) -> (any RecordingContainer)? {
    for container in containers where try container.matches(path, head: head) { return container }
    return nil
  }

  /// The writable kind for a path, by its extension; `nil` if there is none.
  package static func container(named path: String) -> (any WritableRecordingContainer)? {
    let fileExtension = FileName(path).fileExtension
    return containers.lazy.compactMap { $0 as? any WritableRecordingContainer }.first {
      $0.fileExtension == fileExtension
    }
  }
}
