/// Chooses the extension of a result where the user names none: in batches, through pipes, and over HTTP.
package struct ResultNaming {
  package var isMatte: Bool
  /// Whether they are transparent; mattes are not.
  package var keepsAlpha: Bool
  package var writing: StreamOutput.Options
  /// The extensions to choose from; `nil` for all that Backdrop writes. The defaults are always allowed.
  package var known: [String]?

  package init(_ plan: Job.Plan, isMatte: Bool, known: [String]? = nil) {
    (self.isMatte, keepsAlpha) = (isMatte, plan.isTransparent && !isMatte)
    (writing, self.known) = (plan.writing, known)
  }

  /// The extension of a picture: the input's own, if Backdrop writes that format and it can hold the result, else `png`. Mattes are PNG.
  ///
  /// - Parameter fileExtension: the input's extension, which stays as it is written; empty for the format's usual one.
  package func picture(_ own: (any PhotoContainer)?, _ fileExtension: String = "") -> String {
    guard !isMatte, let own = own as? any WritablePhotoContainer, !keepsAlpha || own.holdsAlpha,
      !writing.photoIsLossless || own.compression != .lossy, let usual = own.fileExtensions.first,
      known?.contains(usual) ?? true
    else { return "png" }
    return fileExtension.isEmpty ? usual : fileExtension
  }

  /// The extension of a video from one with that extension, or from a recording (empty): the input's own, if it can hold the result; else
  /// `mp4`, or `mov` if transparent; else `mkv`. Mattes are `mkv`, without loss.
  package func video(_ fileExtension: String) -> String {
    guard !isMatte else { return "mkv" }
    let isKnown = known?.contains(fileExtension.lowercased()) ?? true
    if isKnown && AnimationKind(fileExtension: fileExtension.lowercased()) != nil && writing.codec == nil {
      return fileExtension
    }
    // Only of WebM do transparent results keep the extension. Its sound is mostly in a codec that mov cannot hold.
    let keeps = isKnown && !fileExtension.isEmpty && (!keepsAlpha || fileExtension.lowercased() == "webm")
    let wanted = (keeps ? [fileExtension] : []) + [keepsAlpha ? "mov" : "mp4"]
    return wanted.first(where: holds) ?? "mkv"
  }

  /// Whether a video with that extension can be written, with that codec if given.
  private func holds(_ fileExtension: String) -> Bool {
    do throws(BackdropError) {
      let usual = try VideoSettings.codec(forPath: "x." + fileExtension, keepingAlpha: keepsAlpha)
      return try VideoSettings.canHold(writing.codec ?? usual, path: "x." + fileExtension)
    } catch {
      return false
    }
  }
}
