import BackdropImaging

extension DepthPhoto {
  /// Makes a photo from an opened HEIC file without decoding any picture.
  ///
  /// - Throws: `badData` for damaged metadata. An error in an auxiliary picture affects only that picture.
  package init(_ file: HEICFile) throws(BackdropError) {
    let source = HEICItemPicture.Source(file)
    let orientation = try file.primary.geometry(limits: file.limits).orientation
    let metadata = PhotoMetadata(exif: try file.exif(), xmp: try file.xmp(of: file.primary))
    var auxiliaries: [AuxiliaryImage] = []
    var faults: [BackdropError] = []
    var confidence: HEICItemPicture?
    var left = file.limits.metadata
    // Alpha belongs to its own picture.
    for found in file.auxiliaries where found.targets.contains(file.primary.id) && !found.isAlpha {
      let image: AuxiliaryImage
      do throws(BackdropError) {
        if found.urn == AuxiliaryKind.confidenceURN {
          confidence = try HEICItemPicture(source, found.item, orientation: orientation)
          continue
        }
        image = try DepthPhoto.auxiliary(found, source, orientation)
      } catch {
        faults.append(error)
        continue
      }
      // Many items can share the same bytes, so their sum needs a limit.
      left -= image.xmp?.count ?? 0
      guard left >= 0, auxiliaries.count < file.limits.auxiliaries else {
        throw BackdropError(
          .overLimit,
          "the file has more than \(file.limits.auxiliaries) auxiliary pictures, or more than \(file.limits.metadata) bytes of XMP for them"
        )
      }
      auxiliaries.append(image)
    }
    if let confidence, let index = auxiliaries.firstIndex(where: { $0.kind == .depth }) {
      auxiliaries[index].confidence = confidence
    }
    self.init(
      picture: try HEICItemPicture(source, file.primary, orientation: orientation), auxiliaries: auxiliaries,
      orientation: orientation, metadata: metadata, container: HEICContainer())
    self.faults = faults
    frameCount = file.pictureCount
    guard let pair = file.stereoPair else { return }
    let eye: StereoEye? = pair.left.id == file.primary.id ? .left : pair.right.id == file.primary.id ? .right : nil
    guard let eye else { return }
    let other = eye == .left ? pair.right : pair.left
    do throws(BackdropError) {
      let turn = try other.geometry(limits: file.limits).orientation
      stereo = StereoPair(
        eye: eye, other: try HEICItemPicture(source, other, orientation: turn), orientation: turn,
        scale: file.cameras(of: file.primary, other).map { .cameras($0) } ?? .none)
      addStereoDepth()
    } catch {
      self.faults.append(error)
    }
  }

  private static func auxiliary(_ found: HEICAuxiliary, _ source: HEICItemPicture.Source, _ orientation: Orientation)
    throws(BackdropError) -> AuxiliaryImage
  {
    let kind = AuxiliaryKind(urn: found.urn)
    let picture = try HEICItemPicture(source, found.item, orientation: orientation, isDepth: kind == .depth)
    let xmp = try source.file.xmp(of: found.item)
    guard kind == .depth else { return AuxiliaryImage(kind, picture, xmp: xmp) }
    var depth = try xmp.flatMap { packet throws(BackdropError) in try AuxiliaryXMP(packet).depth }
    let range = try DepthRepresentation(found.subtype)
    // Files without Apple's XMP give the range in the auxiliary picture's properties.
    if depth == nil { depth = range?.properties }
    if let known = depth, known.first == nil, let range = range?.properties, range.quantity == known.quantity {
      depth?.first = range.first
      depth?.last = range.last
    }
    let bits = try found.item.bitDepth()
    if bits > 8, depth?.sample == .uint8 {
      if depth?.codes == 0...255 { depth?.codes = 0...((1 << bits) - 1) }
      depth?.sample = .uint16
    }
    return AuxiliaryImage(kind, picture, depth: depth, xmp: xmp)
  }
}

extension DepthRepresentation {
  /// The range in this library's form; `nil` if there is none.
  var properties: DepthProperties? {
    switch type {
    case 0, 1:
      if let least, let greatest { return DepthProperties(.disparity, .uint8, first: least, last: greatest) }
      // Inverse depth is quantized evenly between the two distances' inverses.
      guard type == 0, let near, let far, near > 0, far > 0 else { return nil }
      return DepthProperties(.disparity, .uint8, first: 1 / far, last: 1 / near)
    case 2:
      guard let near, let far else { return nil }
      return DepthProperties(.depth, .uint8, first: near, last: far)
    default: return nil
    }
  }

  /// The properties of stored depth; `nil` without a range.
  init?(_ properties: DepthProperties) {
    guard let first = properties.first, let last = properties.last, first.isFinite, last.isFinite else { return nil }
    switch properties.quantity {
    case .disparity: self.init(least: first, greatest: last, type: 1)
    case .depth: self.init(near: first, far: last, type: 2)
    }
  }
}
