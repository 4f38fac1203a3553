import BackdropDepth
import BackdropImaging

/// Finds the separate people in a picture with a known matte, by faces, and by bodies from the pose networks.
///
/// The matte separates people who do not touch in it; the bodies' outlines and the picture's edges separate others (``PeopleInPicture``).
/// It examines at most sixteen bodies; in a crowd the others join their neighbours. Loaded networks are kept. Use it from one thread at a
/// time.
package final class PeopleFinder {
  private let cache: ModelCache
  private let threads: Int
  private let store: ModelStore
  private let faces: FaceDetector

  /// The most views of a picture beside the whole.
  private static let maximumViews = 14

  /// Loads the networks, or takes loaded ones from `cache`; a run of the pose networks has `threads`.
  ///
  /// - Throws: `unsupported` if the runtime or a model is not installed.
  package init(
    networks cache: ModelCache = ModelCache(), threads: Int = 1, store: ModelStore = ModelStore()
  ) throws(BackdropError) {
    (self.cache, self.threads, self.store) = (cache, threads, store)
    faces = try cache.faceDetector(store: store)
    try LandmarkNetworks.check(store)
  }

  /// Finds the separate people of a single upright picture, of any size and format, by the matte of all people in it, at any size.
  ///
  /// - Throws: errors of the networks.
  package func find(in image: Image, matte: Matte) throws(BackdropError) -> PeopleInPicture {
    let tracker = PeopleTracker(self)
    tracker.isThorough = true
    return try tracker.update(image, matte: matte, depth: nil, faces: nil, time: 0)
  }

  /// Starts a search in the picture from ``PortraitSegmenter/reduced(_:)``. Faces are given in its pixels, or detected if `nil`; `expected`
  /// are heads to search for in close-up views, if they are not found at first. The number of a stream's search, `turn`, selects one of the
  /// views beside the whole picture; `nil` stands for all of them.
  func detection(
    at picture: Image, _ grid: PeopleGrid, given: [Rect]?, expected: [Rect], turn: Int?
  ) throws(BackdropError) -> PeopleDetection {
    var squares = views(grid, picture)
    if let turn, squares.count > 2 { squares = [nil, squares[1 + turn % (squares.count - 1)]] }
    return PeopleDetection(
      at: picture, grid, squares: squares, given: given, expected: expected, seeksCrowd: turn == nil,
      networks: PeopleDetection.Networks(faces: faces, poses: try cache.bodyNetworks(threads: threads, store: store)))
  }

  /// The whole picture, and squares round and along the matte's large blobs.
  private func views(_ grid: PeopleGrid, _ picture: Image) -> [PictureSquare?] {
    let blobs = GridBlobs(grid.opacity.map { $0 > 0.5 }, width: grid.width).members.sorted { $0.count > $1.count }
    var squares: [PictureSquare] = []
    for members in blobs.prefix(6) where 20 * members.count >= blobs[0].count {
      guard let box = IntegerRect(round: members, width: grid.width) else { continue }
      let scale = Double(grid.step) * Double(picture.width) / Double(grid.matteWidth)
      let (left, top) = (Double(box.x) * scale, Double(box.y) * scale)
      let (width, height) = (Double(box.width) * scale, Double(box.height) * scale)
      let side = 1.2 * max(width, height)
      squares.append(PictureSquare(x: left + width / 2 - side / 2, y: top + height / 2 - side / 2, side: side))
      // Squares along the longer side of the blob that overlap by half.
      let short = max(0.6 * side, 1.2 * min(width, height))
      let count = min(6, Int((max(width, height) / (0.5 * short)).rounded(.up)))
      guard short < 0.95 * side && count > 1 else { continue }
      for i in 0..<count {
        let part = (Double(i) + 0.5) / Double(count)
        let (x, y) =
          width > height
          ? (left + part * width - short / 2, top + height / 2 - short / 2)
          : (left + width / 2 - short / 2, top + part * height - short / 2)
        squares.append(PictureSquare(x: x, y: y, side: short))
      }
    }
    return [nil] + squares.prefix(Self.maximumViews).map { $0 }
  }
}
