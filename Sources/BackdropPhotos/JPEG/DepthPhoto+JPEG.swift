import BackdropCodecs
import BackdropDepth
import BackdropImaging

extension DepthPhoto {
  /// Reads a JPEG photo: Apple's form (further JPEG images, listed in a Multi-Picture index, each with XMP), Google's
  /// GDepth (text in the XMP) and Dynamic Depth (files after the picture), or a picture alone.
  static func readJPEG(_ bytes: [UInt8], limits: ImageLimits) throws(BackdropError) -> DepthPhoto {
    var picture = try JPEGPicture(bytes, limits: limits)
    var photo = DepthPhoto(picture: picture, metadata: PhotoMetadata(picture), container: JPEGContainer())
    photo.orientation = photo.metadata.exifOrientation ?? .up
    var end = picture.structure.range.upperBound

    if let index = picture.structure.payloads(0xE2, mark: JPEGStructure.Segment.mpfMark, in: bytes).first {
      photo.read(index, of: bytes, limits: limits, end: &end)
    }
    do throws(BackdropError) {
      end = try photo.addGoogle(picture, bytes, after: end, limits: limits)
    } catch {
      photo.faults.append(error)
    }
    photo.addTrailer(picture, bytes, from: end, limits: limits)
    // iOS pads files with zeros.
    if bytes[end...].contains(where: { $0 != 0 }) { picture.trailer = end..<bytes.count }
    photo.picture = picture
    if let layout = StereoLayout(picture), photo.stereo == nil {
      do throws(BackdropError) { photo = try photo.split(layout) } catch { photo.faults.append(error) }
    }
    photo.addStereoDepth()
    return photo
  }

  /// A description of two lenses side by side, from nominal numbers: it gives distances in the right order only.
  private func lenses(of other: JPEGPicture) -> StereoDepth.Scale {
    guard let view = MPFIndex.View(of: other), let length = metadata.focalLength35Millimetres else { return .none }
    // The focal length for the same horizontal angle on film of 36 mm by 24 mm.
    let (width, height) = (Double(picture.width), Double(picture.height))
    let diagonal = (width * width + height * height).squareRoot()
    let film = (36.0 * 36 + 24 * 24).squareRoot()
    return .lenses(
      baseline: view.baseline, convergence: view.convergence, focalLength: length / film * diagonal / max(width, height)
    )
  }

  /// Adds the readable images in an index; sets `end` to the end of the last.
  private mutating func read(_ index: Range<Int>, of bytes: [UInt8], limits: ImageLimits, end: inout Int) {
    do throws(BackdropError) {
      let index = try MPFIndex(bytes, in: index)
      faults += index.faults
      for entry in index.entries.dropFirst() {
        end = max(end, entry.range.upperBound)
        do throws(BackdropError) {
          let image = try Self.auxiliary(entry, in: bytes, limits: limits)
          auxiliaries.append(image)
          // Images are numbered from the left (section 5.2.4.3).
          if stereo == nil, entry.type == MPFIndex.disparity, index.entries[0].type == MPFIndex.disparity,
            let other = image.picture as? JPEGPicture
          {
            stereo = StereoPair(
              eye: .left, other: other, orientation: PhotoMetadata(other).exifOrientation ?? orientation,
              scale: lenses(of: other))
          }
        } catch {
          faults.append(error)
        }
      }
    } catch {
      faults.append(error)
    }
    let isConfidence = AuxiliaryKind.other(AuxiliaryKind.confidenceURN)
    guard let index = auxiliaries.firstIndex(where: { $0.kind == isConfidence }), var depth = auxiliary(.depth) else {
      return
    }
    depth.confidence = auxiliaries.remove(at: index).picture
    set(depth)
  }

  /// Adds the contents of Google's forms, and returns their end in the file.
  private mutating func addGoogle(
    _ picture: JPEGPicture, _ bytes: [UInt8], after end: Int, limits: ImageLimits
  ) throws(BackdropError) -> Int {
    // Do not parse packets without Google's namespaces: errors in them do not concern depth.
    let rests = picture.structure.payloads(0xE1, mark: JPEGStructure.Segment.extendedXMPMark, in: bytes)
    guard let xmp = metadata.xmp,
      GoogleNamespace.isMentioned(in: xmp[...]) || rests.contains(where: { GoogleNamespace.isMentioned(in: bytes[$0]) })
    else { return end }
    let packet = try XMPPacket(xmp)
    // If a file has depth in two forms, the first applies.
    let google = try DynamicDepth.read(packet, bytes, primaryEnd: picture.structure.range.upperBound, limits: limits)
    for found in google.auxiliaries where auxiliary(found.kind) == nil { auxiliaries.append(found) }
    original = google.original
    faults += google.faults
    var extended: XMPPacket?
    if let identifier = ExtendedXMP.identifier(in: packet) {
      extended = try XMPPacket(ExtendedXMP.assemble(identifier, of: picture.structure, in: bytes))
    }
    var older = try GDepth.read(packet, extended: extended, limits: limits)
    // A photo of half a sphere stores the right eye's picture in place of the original ("VR180 Photo Format").
    if packet[GoogleNamespace.panorama, "ProjectionType"] != nil, older.auxiliaries.isEmpty, let right = older.original
    {
      older.original = nil
      stereo = StereoPair(eye: .left, other: right, orientation: .up, isSpherical: true)
    }
    if let depth = older.auxiliaries.first, auxiliary(.depth) == nil {
      auxiliaries.append(depth)
      faults += older.faults
    }
    original = original ?? older.original
    return max(end, google.end)
  }

  private static func auxiliary(
    _ entry: MPFIndex.Entry, in bytes: [UInt8], limits: ImageLimits
  ) throws(BackdropError) -> AuxiliaryImage {
    let picture = try JPEGPicture(bytes, in: entry.range, limits: limits)
    let description = try picture.xmp.map { xmp throws(BackdropError) in try AuxiliaryXMP(xmp) }
    return AuxiliaryImage(
      description?.kind ?? .other("mpf:\(String(entry.type, radix: 16))"), picture, depth: description?.depth,
      xmp: picture.xmp)
  }
}

extension PhotoMetadata {
  init(_ picture: JPEGPicture) {
    let (structure, bytes) = (picture.structure, picture.file)
    self.init()
    exif = structure.payloads(0xE1, mark: JPEGStructure.Segment.exifMark, in: bytes).first.map { Array(bytes[$0]) }
    xmp = picture.xmp
    let resources = structure.payloads(0xED, mark: JPEGStructure.Segment.photoshopMark, in: bytes)
    if !resources.isEmpty { imageResources = resources.flatMap { bytes[$0] } }
    texts = structure.segments.filter { $0.marker == 0xFE }.map { PictureText(Array(bytes[$0.payload])) }
    density = structure.segments.first { $0.marker == 0xE0 }.flatMap { PixelDensity(jfif: bytes[$0.payload]) }
  }
}
