import Backdrop
import BackdropLive

// The state of the live workspace that survives a restart.

extension LiveWorkspace {
  /// Opens a session with the saved settings, or with the studio's start options if those fail.
  static func open(
    _ options: StudioOptions, _ before: KeptLive?, _ inputs: LiveInputs
  ) throws(BackdropError) -> LiveSession {
    // Saved settings may have a look or a value of another version.
    if let before, let session = try? LiveSession(before.begin(options), inputs: inputs) { return session }
    return try LiveSession(options.live, inputs: inputs)
  }

  /// Restores saved state that is not part of the session, and removes unused files.
  func resume(_ before: KeptLive?, _ options: StudioOptions) {
    let settings = session.settings
    kept.withLock { $0 = (before?.presets ?? [], !options.asksForCamera || before?.hasChosen ?? false, before) }
    let used = Set(settings.backgrounds + [settings.background, settings.camera])
    for (path, title) in before?.titles ?? [:] where used.contains(path) && FileKind(path) == .file {
      let size = FileCalls.status(path).map { Int($0.st_size) } ?? 0
      library.add(path, title: title, reservation: try? files.quota.reservation(for: size))
    }
    // If the folder cannot be listed, the next start tries again.
    for name in (try? Folder.names(in: droppedFilesPath)) ?? [] where !library.owns(droppedFilesPath + "/" + name) {
      FileCalls.removeFile(droppedFilesPath + "/" + name)
    }
  }

  /// Saves the settings if they have changed.
  func keep() {
    let (presets, hasChosen, saved) = kept.withLock { $0 }
    let now = KeptLive(
      settings: session.settings, titles: library.titles, presets: presets, hasChosen: hasChosen
    ).withoutSecrets
    guard now != saved else { return }
    kept.withLock { $0.saved = now }
    keeping.save(now, "live")
  }

  // MARK: - Presets

  func savePreset(_ name: String) throws(BackdropError) {
    let name = name.trimmed
    guard !name.isEmpty, name.count <= LivePreset.maximumName else {
      throw BackdropError(
        .wrongArgument, "a preset's name needs 1 to \(LivePreset.maximumName) letters", hint: "type a name")
    }
    let preset = LivePreset(name, session.settings)
    let isKept = kept.withLock { kept in
      kept.presets.removeAll { $0.name == name }
      guard kept.presets.count < LivePreset.maximumCount else { return false }
      kept.presets.append(preset)
      return true
    }
    guard isKept else {
      throw BackdropError(.overLimit, "you already have \(LivePreset.maximumCount) presets", hint: "remove one of them")
    }
  }

  func usePreset(_ name: String) throws(BackdropError) {
    guard let preset = kept.withLock({ $0.presets.first { $0.name == name } }) else {
      throw BackdropError(.wrongArgument, "the studio has no preset with that name", hint: "choose one from the list")
    }
    for command in preset.commands { try session.perform(command) }
  }
}
