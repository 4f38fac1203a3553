import BackdropImaging
import Synchronization

extension HEICDraft {
  package struct PictureOptions: Sendable {
    package var quality = HEICQuality.standard
    package var orientation = Orientation.up
    /// Threads for encoding; by default one per processor.
    package var threads: Int?
  }

  /// The side of tiles, as phones write them. Pictures of at most twice this size, and grey ones of at most 4096, are a single piece.
  private static let tileSide = 512

  /// Encodes an image as the main picture, 8-bit 4:2:0 or grey. Ignores its orientation. Colours keep their space: the file carries the
  /// profile of ``/BackdropImaging/ColorDescription/space``, or its code points if it has these and no profile.
  package mutating func setPrimary(_ image: Image, _ options: PictureOptions = PictureOptions()) throws(BackdropError) {
    let source = HEVCSource(image)
    let (isGray, space) = (source.isMonochrome, source.color.space)
    var extra: [HEICProperty.Association] = []
    let codes = space.profile == nil ? space.codePoints : nil
    if codes == nil, let icc = space.profileBytes(forGray: isGray) {
      extra.append(.init(.icc(icc), isEssential: false))
    }
    let matrix =
      switch source.color.matrix {
      case .bt601: 6
      case .bt709: 1
      case .bt2020: 9
      }
    let nclx = NCLX(
      primaries: codes?.primaries ?? 2, transfer: codes?.transfer ?? 2, matrix: isGray ? 2 : matrix,
      isFullRange: isGray || source.color.range == .full)
    extra.append(.init(.nclx(nclx), isEssential: false))
    primary = try addPicture(source, extra, options, isHidden: false)
  }

  /// Encodes an auxiliary picture of the main one, which must be set, and returns its item's number.
  @discardableResult
  mutating func addAuxiliary(
    _ source: HEVCSource, urn: String, subtype: [UInt8] = [], _ options: PictureOptions = PictureOptions()
  ) throws(BackdropError) -> Int {
    guard index(of: primary) != nil else {
      throw BackdropError(.wrongArgument, "add the main picture before an auxiliary one")
    }
    let id = try addPicture(
      source, [.init(.auxiliaryType(urn, subtype: subtype), isEssential: true)], options, isHidden: true)
    references.append(ItemReference("auxl", from: id, to: [primary]))
    return id
  }

  /// Describes an item by an XMP packet (ISO/IEC 23008-12, A.3), replacing an existing one.
  package mutating func setXMP(_ packet: [UInt8]?, of item: Int) throws(BackdropError) {
    try setDescription(of: item, "mime", "application/rdf+xml", packet)
  }

  /// Sets the main picture's EXIF data, a TIFF structure (ISO/IEC 23008-12, A.2.1), replacing existing data.
  package mutating func setEXIF(_ tiff: [UInt8]?) throws(BackdropError) {
    // The offset of the TIFF header, then the prefix of EXIF in JPEG files, which all writers add.
    let mark: [UInt8] = [0, 0, 0, 6, 0x45, 0x78, 0x69, 0x66, 0, 0]
    try setDescription(of: primary, "Exif", nil, tiff.map { mark + $0 })
  }

  private mutating func setDescription(of item: Int, _ type: FourCC, _ contentType: String?, _ bytes: [UInt8]?)
    throws(BackdropError)
  {
    let describing = Set(references.filter { $0.type == "cdsc" && $0.to.contains(item) }.map(\.from))
    let old = items.first {
      describing.contains($0.info.id) && ($0.info.type ?? "mime") == type && $0.info.contentType == contentType
    }
    if let old {
      guard let bytes, let index = index(of: old.info.id) else { return remove(old.info.id) }
      items[index].content = Content(bytes)
    } else if let bytes {
      let info = ItemInfo(id: nextID, type: type, contentType: contentType, isHidden: true)
      let id = try add(Item(info: info, content: Content(bytes)))
      references.append(ItemReference("cdsc", from: id, to: [item]))
    }
  }

  private mutating func addPicture(
    _ source: HEVCSource, _ extra: [HEICProperty.Association], _ options: PictureOptions, isHidden: Bool
  ) throws(BackdropError) -> Int {
    try options.quality.check()
    try ImageLimits.standard.check(width: source.width, height: source.height)
    let side = HEICDraft.tileSide
    // Phones write mattes as a single piece, within the limits of decoders.
    let limit = source.isMonochrome ? 4096 : 2 * side
    let isSingle = source.width <= limit && source.height <= limit
    // The encoder needs at least 16 samples, and for 4:2:0 an even number.
    let step = source.isMonochrome ? 1 : 2
    let coded = (
      width: max(16, (source.width + step - 1) / step * step), height: max(16, (source.height + step - 1) / step * step)
    )
    let tile = isSingle ? coded : (width: side, height: side)
    let grid = HEICGrid(
      rows: (coded.height + tile.height - 1) / tile.height, columns: (coded.width + tile.width - 1) / tile.width,
      width: coded.width, height: coded.height)
    let (configuration, pictures) = try HEICDraft.code(source, grid, tile, options)

    var properties: [HEICProperty.Association] = [
      .init(.size(width: coded.width, height: coded.height), isEssential: false),
      .init(.bits([Int](repeating: source.bitDepth, count: source.isMonochrome ? 1 : 3)), isEssential: false),
    ]
    properties += extra
    let geometry = HEICGeometry(
      storedWidth: coded.width, storedHeight: coded.height,
      crop: IntegerRect(x: 0, y: 0, width: source.width, height: source.height), orientation: options.orientation)
    properties += geometry.transforms.map { .init(HEICProperty($0), isEssential: true) }
    let parameters = HEICProperty.Association(HEICProperty("hvcC", body: configuration), isEssential: true)
    guard !isSingle else {
      return try add("hvc1", Content(pictures[0]), [parameters] + properties, isHidden: isHidden)
    }
    let tileSize = HEICProperty.Association(.size(width: tile.width, height: tile.height), isEssential: false)
    let tiles = try pictures.map { picture throws(BackdropError) in
      try add("hvc1", Content(picture), [parameters, tileSize, properties[1]], isHidden: true)
    }
    let id = try add("grid", Content(grid.bytes), properties, isHidden: isHidden, isInline: true)
    references.append(ItemReference("dimg", from: id, to: tiles))
    return id
  }

  private static func code(
    _ source: HEVCSource, _ grid: HEICGrid, _ tile: (width: Int, height: Int), _ options: PictureOptions
  ) throws(BackdropError) -> (configuration: [UInt8], pictures: [[UInt8]]) {
    struct Results: Sendable {
      var configuration: [UInt8] = []
      var pictures: [Int: [UInt8]] = [:]
    }
    let results = Mutex(Results())
    let count = grid.rows * grid.columns
    try ParallelParts.run(count, threads: options.threads) { next throws(BackdropError) in
      guard var index = next() else { return }
      let encoder = try HEVCEncoder(
        like: source, width: tile.width, height: tile.height, options.quality,
        threads: count == 1 ? ParallelParts.threadCount(options.threads) : nil)
      func keep(_ number: Int, _ picture: [UInt8]) { results.withLock { $0.pictures[number] = picture } }
      while true {
        try encoder.send(
          source, x: index % grid.columns * tile.width, y: index / grid.columns * tile.height, number: index)
        try encoder.receive(isLast: false, keep)
        guard let following = next() else { break }
        index = following
      }
      try encoder.receive(isLast: true, keep)
      results.withLock { $0.configuration = encoder.configuration }
    }
    let done = results.withLock { $0 }
    let pictures = (0..<count).compactMap { done.pictures[$0] }
    guard pictures.count == count else {
      throw BackdropError(.system, "the HEVC encoder returned \(pictures.count) of \(count) pictures")
    }
    return (done.configuration, pictures)
  }
}
