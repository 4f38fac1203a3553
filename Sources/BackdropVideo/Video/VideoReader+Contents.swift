import BackdropFFmpeg
import BackdropImaging
import CFFmpeg

extension VideoReader {
  /// What the file holds beside its pictures, as a sentence lists it: `sound`, `subtitles`, `chapters`, `metadata`.
  package var contentsBesidePictures: [String] {
    [
      (audioStreamCount > 0, "sound"), (subtitleStreamCount > 0, "subtitles"), (chapterCount > 0, "chapters"),
      (hasMetadata, "metadata"),
    ].filter(\.0).map(\.1)
  }

  /// Whether there is a title, a date or the like: more than programs write about themselves.
  private var hasMetadata: Bool {
    let own: Set = ["major_brand", "minor_version", "compatible_brands", "encoder"]
    var entry: UnsafeMutablePointer<AVDictionaryEntry>?
    while let found = av_dict_get(input.pointer.pointee.metadata, "", entry, AV_DICT_IGNORE_SUFFIX) {
      if !own.contains(String(cString: found.pointee.key).lowercased()) { return true }
      entry = found
    }
    return false
  }
}
