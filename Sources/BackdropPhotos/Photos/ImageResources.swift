import BackdropImaging

/// Photoshop's image resources: numbered blocks of data, which also contain IPTC's texts (Adobe Photoshop File Formats Specification,
/// "Image Resources Section"; IPTC-IIM 4.2).
struct ImageResources: Sendable, Equatable {
  struct Resource: Sendable, Equatable {
    /// Usually `8BIM`.
    var signature: [UInt8]
    /// Its kind.
    var id: Int
    /// A text after its length, usually empty.
    var name: [UInt8]
    var data: [UInt8]
  }

  private(set) var resources: [Resource] = []

  private enum ID {
    static let iptc = 1028
    /// Thumbnails in both forms, and the old picture's profile, EXIF and XMP, which a file holds outside these resources.
    static let ofOldPicture: Set<Int> = [1033, 1036, 1039, 1058, 1059, 1060]
    /// Paths, guides, slices and layers: positions in the old picture.
    static let paths = 2000...2998
    static let geometry: Set<Int> = [1024, 1026, 1032, 1050, 1069, 1072]
  }
  /// More than any program writes.
  private static let limit = 2000

  /// Reads blocks up to the first damaged one.
  init(_ bytes: [UInt8]) {
    do throws(BackdropError) {
      var reader = ByteReader(bytes)
      while reader.left >= 12, resources.count < Self.limit {
        let signature = try reader.data(4)
        guard signature.allSatisfy({ (0x20...0x7E).contains($0) }) else { return }
        let id = try reader.uint16()
        let length = try reader.uint8()
        let name = [UInt8(length)] + (try reader.data(length))
        if name.count % 2 != 0 { try reader.skip(1) }
        let count = try reader.uint32()
        let data = try reader.data(count)
        if count % 2 != 0 && reader.left > 0 { try reader.skip(1) }
        resources.append(Resource(signature: signature, id: id, name: name, data: data))
      }
    } catch { return }
  }

  /// The first byte of each IPTC record.
  static let iptcMark: UInt8 = 0x1C

  init(iptc: [UInt8]) {
    resources = [Resource(signature: Array("8BIM".utf8), id: ID.iptc, name: [0], data: iptc)]
  }

  /// Removes everything that contains or describes the old picture.
  mutating func describe(_ change: PictureReplacement) {
    resources.removeAll { resource in
      let isGeometry = ID.paths.contains(resource.id) || ID.geometry.contains(resource.id)
      return ID.ofOldPicture.contains(resource.id) || (isGeometry && !change.keepsGeometry)
        || (resource.data.count > PictureSignature.opaqueLimit && resource.id != ID.iptc && !isGeometry)
        || PictureSignature.isFound(in: resource.data)
    }
  }

  var encoded: [UInt8] {
    var writer = ByteWriter()
    for resource in resources {
      writer.data(resource.signature)
      writer.uint16(resource.id)
      writer.data(resource.name)
      if resource.name.count % 2 != 0 { writer.uint8(0) }
      writer.uint32(resource.data.count)
      writer.data(resource.data)
      if resource.data.count % 2 != 0 { writer.uint8(0) }
    }
    return writer.bytes
  }
}
