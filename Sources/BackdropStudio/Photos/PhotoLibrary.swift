import Backdrop
import BackdropHTTP

/// The photos of the workspace: the recently viewed ones with their analysis, the others as files with their edits.
///
/// Used only on the photo workspace's queue.
final class PhotoLibrary {
  /// A dropped photo.
  final class Entry {
    var info: PhotoInfo
    let path: String
    var edit = PhotoEdit()
    fileprivate(set) var open: OpenPhoto?

    init(_ info: PhotoInfo, path: String, open: OpenPhoto) { (self.info, self.path, self.open) = (info, path, open) }
  }

  /// The maximum number of photos, and of those in memory; the least recently viewed is removed first.
  static let maximumPhotos = 60, maximumOpen = 6

  let workers = WorkerPool()
  /// A separate cache, because the other workspaces run their networks at the same time.
  let networks = ModelCache()
  let backgrounds: PhotoBackgrounds
  private let files: DropFolder
  /// The most recently viewed photo is last.
  private var entries: [Entry] = []
  /// The photo in the close-up view.
  private var whole: (id: Int, edit: PhotoEdit, preview: LookPreview)?

  init(_ files: DropFolder) {
    self.files = files
    backgrounds = PhotoBackgrounds(files)
  }

  /// The photo with an id, which becomes the most recently viewed.
  func entry(_ id: Int) throws(BackdropError) -> Entry {
    guard let index = entries.firstIndex(where: { $0.info.id == id }) else {
      throw BackdropError(.wrongArgument, "this photo is closed", hint: "open it again")
    }
    let entry = entries.remove(at: index)
    entries.append(entry)
    return entry
  }

  /// A photo with its analysis, which is repeated if it was released.
  func photo(_ id: Int) throws(BackdropError) -> OpenPhoto {
    let entry = try entry(id)
    if let open = entry.open { return open }
    let open = try open(DepthPhoto.read(entry.path), path: entry.path)
    try open.change(to: entry.edit)
    entry.open = open
    giveUp()
    return open
  }

  func add(_ photo: DepthPhoto, info: PhotoInfo, path: String) throws(BackdropError) -> Entry {
    let open = try open(photo, path: path)
    let entry = Entry(info, path: path, open: open)
    entry.info.state = open.state()
    entries.append(entry)
    while entries.count > Self.maximumPhotos { files.remove(entries.removeFirst().path) }
    giveUp()
    return entry
  }

  /// Applies the page's edit; an invalid edit changes nothing. A photo that is not open applies it when it is next viewed or saved.
  func change(_ id: Int, to edit: PhotoEdit) throws(BackdropError) -> PhotoInfo.State {
    if let closed = entries.first(where: { $0.info.id == id && $0.open == nil }) {
      _ = try OpenPhoto.plan(edit, backgrounds)
      closed.edit = edit
      return closed.info.state
    }
    let (open, entry) = (try photo(id), try entry(id))
    try open.change(to: edit)
    (entry.edit, entry.info.state) = (edit, open.state())
    return entry.info.state
  }

  func remove(_ id: Int) throws(BackdropError) {
    let entry = try entry(id)
    entries.removeAll { $0 === entry }
    if whole?.id == id { whole = nil }
    files.remove(entry.path)
  }

  /// The photo at its full size, with its edit.
  func whole(_ id: Int) throws(BackdropError) -> LookPreview {
    let open = try photo(id)
    if let whole, whole.id == id, whole.edit == open.edit { return whole.preview }
    whole = nil
    let preview = try open.whole()
    whole = (id, open.edit, preview)
    return preview
  }

  private func open(_ photo: DepthPhoto, path: String) throws(BackdropError) -> OpenPhoto {
    try OpenPhoto(photo, path: path, networks: networks, workers: workers, backgrounds: backgrounds)
  }

  /// Releases the analysis of the least recently viewed photos.
  private func giveUp() {
    for entry in entries.filter({ $0.open != nil }).dropLast(Self.maximumOpen) { entry.open = nil }
  }
}
