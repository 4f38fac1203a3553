import BackdropImaging

/// Networks that draw edges, not only find people: what ``PortraitSegmenter`` asks beside the person networks.
///
/// The smaller a matting network sees a person, the surer it is what belongs to them, and the larger, the better it draws: so
/// the former say where people are, and the latter how they end.
struct PortraitMatting {
  /// Which look at people small, the largest of them first: that one finds them in the whole picture.
  let voters: [any PersonSegmenting]
  /// Which draws.
  let artist: any PersonSegmenting

  /// Robust Video Matting at half and at a quarter of the pixels that it was made for, and with its refiner; `nil` where it is
  /// not installed.
  static func installed(
    networks shelf: ModelCache, threads: Int, store: ModelStore = ModelStore()
  ) throws(BackdropError) -> PortraitMatting? {
    let network = NetworkDescription.robustVideoMattingViews
    guard store.path(of: network.file) != nil else { return nil }
    let found = try shelf.networks(
      [network.limited(toPixels: 90_000), network.limited(toPixels: 40_000), .robustVideoMattingFine], classes: nil,
      threads: threads)
    return PortraitMatting(voters: [found[0], found[1]], artist: found[2])
  }
}
