import BackdropImaging

extension HEICFile {
  /// The number of pictures to show: those of a burst or another collection, or those of a sequence (ISO/IEC 23008-12, 6.2 and 7).
  var pictureCount: Int { max(collectedPictures, sequencePictures) }

  /// Entity groups (ISO/IEC 14496-12, 8.18); none if they are damaged, since groups only describe relations.
  var groups: [(type: FourCC, members: [Int])] {
    var result: [(type: FourCC, members: [Int])] = []
    var left = limits.references
    do throws(BackdropError) {
      for groups in meta.others where groups.type == "grpl" {
        for group in try Box.all(in: groups.reader(bytes), limit: limits.boxes) {
          var (reader, _, _) = try group.fullReader(bytes)
          try reader.skip(4)
          let count = try reader.uint32()
          left -= count
          guard left >= 0 else { return [] }
          result.append((group.type, try (0..<count).map { _ throws(BackdropError) in try reader.uint32() }))
        }
      }
    } catch {
      return []
    }
    return result
  }

  /// Pictures that are not parts, previews, auxiliaries or other versions of another one.
  private var collectedPictures: Int {
    let coded: Set<FourCC> = ["hvc1", "hev1", "grid", "iovl", "iden", "jpeg", "av01", "unci"]
    let own: Set<FourCC> = ["thmb", "auxl"]
    var shown = Set(items.filter { !$0.isHidden && coded.contains($0.type) }.map(\.id))
    for reference in references {
      if own.contains(reference.type) { shown.remove(reference.from) }
      if reference.type == "dimg" { shown.subtract(reference.to) }
    }
    // The eyes of a stereo picture, and versions of which a reader shows one.
    for group in groups where group.type == "ster" || group.type == "altr" {
      shown.subtract(group.members.contains(primary.id) ? group.members[...] : group.members.dropFirst())
    }
    shown.insert(primary.id)
    return shown.count
  }

  /// The samples of the largest picture track; 0 without one, or if its tables are damaged, since the main picture does not need them.
  private var sequencePictures: Int {
    func inner(_ parents: [Box], _ type: FourCC) throws(BackdropError) -> [Box] {
      let boxes = try parents.map { parent throws(BackdropError) in
        try Box.all(in: parent.reader(bytes), limit: limits.boxes)
      }
      return boxes.joined().filter { $0.type == type }
    }
    var most = 0
    do throws(BackdropError) {
      for track in try inner(boxes.filter { $0.type == "moov" }, "trak") {
        let media = try inner([track], "mdia")
        guard let handler = try inner(media, "hdlr").first else { continue }
        var (reader, _, _) = try handler.fullReader(bytes)
        try reader.skip(4)
        guard FourCC(try reader.uint32()) == "pict" else { continue }
        let tables = try inner(inner(media, "minf"), "stbl")
        for sizes in try inner(tables, "stsz") + inner(tables, "stz2") {
          (reader, _, _) = try sizes.fullReader(bytes)
          // The size of all samples, or of a size.
          try reader.skip(4)
          most = max(most, try reader.uint32())
        }
      }
    } catch {
      return 0
    }
    return most
  }
}
