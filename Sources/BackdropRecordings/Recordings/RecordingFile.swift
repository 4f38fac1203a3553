import BackdropImaging

/// The kinds of files that recordings are.
package enum RecordingFile {
  /// All of them; a new one is a line here.
  package static let containers: [any RecordingContainer] = [
    Record3DContainer(),
    OniContainer(),
    MatroskaContainer(),
  ]

  /// The kind of a file, by its first 16 bytes and its name; `nil` if it is no recording.
  package static func container(_ path: String, head: [UInt8]) throws(BackdropError) -> (any RecordingContainer)? {
    for container in containers where try container.matches(path, head: head) { return container }
    return nil
  }

  /// The kind of file that is written under a name, by its extension; `nil` if none.
  package static func container(named path: String) -> (any WritableRecordingContainer)? {
    let ending = FileName(path).ending
    return containers.first { $0.ending == ending } as? any WritableRecordingContainer
  }
}
