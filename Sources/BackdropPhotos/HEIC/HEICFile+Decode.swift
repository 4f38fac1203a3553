import BackdropCodecs
import BackdropImaging
import CFFmpeg
import Synchronization

extension HEICFile {
  /// Decodes a picture for display: cropped, turned and mirrored by its "clap", "irot" and "imir".
  ///
  /// Decodes only this picture. Leaves out its alpha, which is a separate picture, unless the picture is composed of layers.
  ///
  /// - Parameters:
  ///   - item: the picture.
  ///   - threads: threads for its tiles; `nil` for one per processor.
  ///   - turned: whether to turn and mirror the picture. If not, it is only cropped, and ``HEICItem/geometry(limits:)`` gives its
  ///     orientation.
  ///
  /// - Throws: `badData` for a damaged or inconsistent picture; `overLimit` for one that is too large; `unsupported` for codecs other than
  ///   HEVC and JPEG, and unknown essential properties.
  package func decode(_ item: HEICItem, threads: Int? = nil, turned: Bool = true) throws(BackdropError) -> HEICPicture {
    let geometry = try item.geometry(limits: limits)
    // This is enough for a picture's parts, and stops a small file that decodes the same pixels repeatedly.
    var pixels = 4 * limits.picture.pixels
    let stored = try decodeStored(item, threads: threads, path: [], &pixels)
    return try stored.shown(turned ? geometry : geometry.turned(.up))
  }

  func decodeShown(_ item: HEICItem, threads: Int?, path: [Int], _ pixels: inout Int) throws(BackdropError)
    -> HEICPicture
  {
    try decodeStored(item, threads: threads, path: path, &pixels).shown(item.geometry(limits: limits))
  }

  /// A picture before its own crop and turns; `pixels` is the number that may still be decoded.
  private func decodeStored(_ item: HEICItem, threads: Int?, path: [Int], _ pixels: inout Int) throws(BackdropError)
    -> HEICPicture
  {
    guard !path.contains(item.id) else {
      throw BackdropError(.badData, "picture item \(item.id) refers to itself")
    }
    guard path.count < limits.depth else {
      throw BackdropError(.overLimit, "pictures refer to each other more than \(limits.depth) levels deep")
    }
    try checkEssentialProperties(of: item)
    let geometry = try item.geometry(limits: limits)
    pixels -= geometry.storedWidth * geometry.storedHeight
    guard pixels >= 0 else {
      throw BackdropError(
        .overLimit, "the picture is composed of more than \(4 * limits.picture.pixels) pixels of other pictures")
    }
    let stored: HEICPicture
    switch item.type {
    case "hvc1", "hev1": stored = try decodeTiles([item], item, grid: nil, threads: threads)
    case "grid":
      let grid = try HEICGrid(data(of: item, limit: 64))
      stored = try decodeTiles(try targets("dimg", from: item), item, grid: grid, threads: threads)
    case "jpeg": stored = try decodeJPEG(item)
    case "iden":
      let sources = try targets("dimg", from: item)
      guard sources.count == 1, let source = sources.first else {
        throw BackdropError(.badData, "picture item \(item.id) refers to \(sources.count) pictures instead of one")
      }
      stored = try decodeShown(source, threads: threads, path: path + [item.id], &pixels)
    case "iovl": stored = try decodeOverlay(item, threads: threads, path: path + [item.id], &pixels)
    case "unci":
      throw BackdropError(
        .unsupported, "picture item \(item.id) is uncompressed ('unci'), which Backdrop does not read")
    case "av01":
      throw BackdropError(
        .unsupported, "picture item \(item.id) holds AV1 data in a HEIC file", hint: "convert it to AVIF or PNG first")
    case "tmap":
      throw BackdropError(
        .unsupported, "picture item \(item.id) is a gain map ('tmap'); Backdrop can read its base picture")
    default:
      throw BackdropError(
        .unsupported, "picture item \(item.id) holds '\(item.type)' data, not HEVC or JPEG",
        hint: "convert it first, for example with heif-convert")
    }
    guard stored.width == geometry.storedWidth, stored.height == geometry.storedHeight else {
      throw BackdropError(
        .badData,
        "picture item \(item.id) has \(stored.width)×\(stored.height) pixels, but claims \(geometry.storedWidth)×\(geometry.storedHeight)"
      )
    }
    return stored
  }

  /// A picture coded as a JPEG file (ISO/IEC 23008-12, annex H): used for lossless depth of up to 16 bits (ITU-T T.81, annex H), since HEVC
  /// decoders are limited to 12.
  private func decodeJPEG(_ item: HEICItem) throws(BackdropError) -> HEICPicture {
    let size = try item.storedSize(limits: limits)
    // Shared tables come first.
    let bytes = (item.property("jpgC")?.body ?? []) + (try data(of: item))
    let structure = try JPEGStructure(bytes, limits: limits.picture)
    guard (structure.width, structure.height) == size else {
      throw BackdropError(
        .badData,
        "a coded picture has \(structure.width)×\(structure.height) samples, but its item claims \(size.width)×\(size.height)"
      )
    }
    let bits = structure.precision
    guard (8...16).contains(bits), bits == 8 || structure.components == 1 else {
      throw BackdropError(.unsupported, "picture item \(item.id) is a JPEG of more than 8 bits that is not grey")
    }
    if structure.components > 1 {
      var image = try JPEG.decode(bytes, as: .rgba8, limits: limits.picture)
      image.orientation = .up
      image.color.space = try colorSpace(of: item) ?? image.color.space
      return HEICPicture(image)
    }
    let image = try GrayJPEG.decode(bytes, width: size.width, height: size.height)
    guard image.format == .gray16 else {
      return HEICPicture(.bytes(image), size: size, bitDepth: 8, isMonochrome: true, color: .jpeg)
    }
    // The decoder scales samples to 16 bits.
    let shift = UInt16(16 - bits)
    return HEICPicture(
      .words([image.plane(as: UInt16.self).map { $0 >> shift }]), size: size, bitDepth: bits, isMonochrome: true,
      color: .jpeg)
  }

  /// ISO/IEC 23008-12, 9.3.1: a reader must understand properties marked essential.
  private func checkEssentialProperties(of item: HEICItem) throws(BackdropError) {
    let known: Set<FourCC> = [
      "hvcC", "ispe", "pixi", "colr", "pasp", "auxC", "clap", "irot", "imir", "clli", "mdcv", "cclv", "amve", "udes",
      "altt", "crtt", "mdft", "rloc", "jpgC",
    ]
    if let odd = item.properties.first(where: { $0.isEssential && !known.contains($0.property.type) }) {
      throw BackdropError(
        .unsupported, "picture item \(item.id) needs the property '\(odd.property.type)', which Backdrop does not know")
    }
  }

  private func decodeTiles(_ tiles: [HEICItem], _ item: HEICItem, grid: HEICGrid?, threads: Int?)
    throws(BackdropError) -> HEICPicture
  {
    guard let first = tiles.first else { throw BackdropError(.badData, "picture item \(item.id) has no tiles") }
    let size = try first.storedSize(limits: limits)
    if let grid { try limits.picture.check(width: grid.width, height: grid.height) }
    let grid = grid ?? HEICGrid(rows: 1, columns: 1, width: size.width, height: size.height)
    try grid.check(tileWidth: size.width, tileHeight: size.height, count: tiles.count)
    let configuration = try checkTiles(tiles, size, of: item)
    let chroma = HEICChroma.of(format: configuration.chromaFormat)
    if configuration.chromaFormat > 0, tiles.count > 1,
      chroma.halvesWidth && size.width % 2 != 0 || chroma.halvesHeight && size.height % 2 != 0
    {
      throw BackdropError(.badData, "tiles of \(size.width)×\(size.height) pixels would share chroma samples")
    }

    let canvas = TileCanvas(width: grid.width, height: grid.height, like: configuration)
    let marks = Mutex<(color: ColorDescription, isRGB: Bool)>((.jpeg, false))
    let isSingle = tiles.count == 1
    try ParallelParts.run(tiles.count, threads: threads) { next throws(BackdropError) in
      var decoder: HEVCDecoder?
      while let index = next() {
        let tile = tiles[index]
        let parameters = try self.configuration(of: tile)
        // FFmpeg decodes a single picture in parallel if its coding allows this.
        let ready =
          if let decoder, decoder.configuration == parameters { decoder } else {
            try HEVCDecoder(parameters, threads: isSingle ? ParallelParts.threadCount(threads) : 1)
          }
        decoder = ready
        let data = try self.data(of: tile)
        try ready.decode(data) { frame throws(BackdropError) in
          try canvas.copy(
            frame, x: index % grid.columns * size.width, y: index / grid.columns * size.height,
            tileWidth: size.width, tileHeight: size.height)
          guard index == 0 else { return }
          let coded = (HEICFile.color(of: frame), frame.pointee.colorspace == AVCOL_SPC_RGB)
          marks.withLock { $0 = coded }
        }
      }
    }
    let coded = marks.withLock { $0 }
    var nclx = try item.nclx()
    if nclx == nil { nclx = try first.nclx() }
    var color = nclx?.description(fallback: coded.color) ?? coded.color
    if let space = try colorSpace(of: item) { color.space = space }
    let isRGB = nclx.map { $0.matrix == 0 || $0.matrix == 2 && coded.isRGB } ?? coded.isRGB
    var picture = canvas.picture(color: color, isRGB: isRGB && configuration.chromaFormat == 3)
    // Content light level (ISO/IEC 14496-12, 12.1.5): its brightest sample, 0 if unknown.
    if let level = item.property("clli")?.body, level.count >= 2 {
      picture.peak = Double(Int(level[0]) << 8 | Int(level[1]))
    }
    return picture
  }

  /// Checks that all tiles are alike and small enough in total; returns their coding parameters.
  private func checkTiles(_ tiles: [HEICItem], _ size: (width: Int, height: Int), of item: HEICItem)
    throws(BackdropError) -> HEVCConfiguration
  {
    if let other = tiles.first(where: { $0.type != "hvc1" && $0.type != "hev1" }) {
      throw BackdropError(.unsupported, "a tile of picture item \(item.id) holds '\(other.type)' data, not HEVC")
    }
    let first = try configuration(of: tiles[0])
    var total = 0
    for tile in tiles {
      let tileSize = try tile.storedSize(limits: limits)
      guard tileSize == size else {
        throw BackdropError(
          .badData,
          "the tiles of picture item \(item.id) have different sizes, \(size.width)×\(size.height) and \(tileSize.width)×\(tileSize.height) pixels"
        )
      }
      if tile.id != item.id {
        try checkEssentialProperties(of: tile)
        guard try tile.transforms().isEmpty else {
          throw BackdropError(.unsupported, "picture item \(item.id) has a tile with a rotation or crop of its own")
        }
      }
      let parameters = try configuration(of: tile)
      // Coded pictures are whole blocks of up to 64 samples.
      guard (size.width..<size.width + 64).contains(parameters.width),
        (size.height..<size.height + 64).contains(parameters.height)
      else {
        throw BackdropError(
          .badData,
          "item \(tile.id) has \(parameters.width)×\(parameters.height) samples, but claims \(size.width)×\(size.height)"
        )
      }
      guard parameters.chromaFormat == first.chromaFormat, parameters.bitDepth == first.bitDepth else {
        throw BackdropError(.badData, "the tiles of one picture have different pixel formats")
      }
      total += try pieces(of: tile.id).reduce(0) { $0 + $1.count }
      // Tiles may share bytes, as blank ones do, but a small file must not take hours.
      guard total <= 4 * bytes.count + 1 << 24 else {
        throw BackdropError(
          .overLimit, "the tiles of picture item \(item.id) claim more than four times the file's \(bytes.count) bytes")
      }
    }
    return first
  }

  private func configuration(of item: HEICItem) throws(BackdropError) -> HEVCConfiguration {
    guard let property = item.property("hvcC") else {
      throw BackdropError(.badData, "picture item \(item.id) has no HEVC parameters")
    }
    return try HEVCConfiguration(property.body)
  }

  /// The colours of a picture's samples, from the picture or its first tile; `nil` if neither has them.
  func colorSpace(of item: HEICItem) throws(BackdropError) -> ColorSpace? {
    if let own = try item.colorSpace() { return own }
    return item.type == "grid" ? try targets("dimg", from: item).first?.colorSpace() : nil
  }

  private static func color(of frame: UnsafeMutablePointer<AVFrame>) -> ColorDescription {
    let matrix: ColorDescription.Matrix =
      switch frame.pointee.colorspace {
      case AVCOL_SPC_BT709: .bt709
      case AVCOL_SPC_BT2020_NCL, AVCOL_SPC_BT2020_CL: .bt2020
      default: .bt601
      }
    return ColorDescription(
      matrix: matrix, range: frame.pointee.color_range == AVCOL_RANGE_JPEG ? .full : .limited,
      space: ColorSpace(
        primaries: Int(frame.pointee.color_primaries.rawValue), transfer: Int(frame.pointee.color_trc.rawValue)))
  }
}
