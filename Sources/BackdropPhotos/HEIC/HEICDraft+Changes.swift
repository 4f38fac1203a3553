import BackdropImaging

extension HEICDraft {
  /// Replaces an item's transformations.
  mutating func turn(at index: Int, _ geometry: HEICGeometry) {
    let moving: Set<FourCC> = ["irot", "imir", "clap"]
    items[index].properties.removeAll { moving.contains($0.property.type) }
    items[index].properties += geometry.transforms.map { .init(HEICProperty($0), isEssential: true) }
  }

  /// Turns all pictures of the file together, from the main one's orientation to another.
  mutating func turn(from old: Orientation, to new: Orientation) {
    guard old != new else { return }
    let change = old.change(to: new)
    let grids = Set(items.filter { $0.info.type == "grid" }.map(\.info.id))
    let tiles = Set(references.filter { $0.type == "dimg" && grids.contains($0.from) }.flatMap(\.to))
    for index in items.indices where !tiles.contains(items[index].info.id) {
      let view = HEICItem(items[index].info, items[index].properties)
      do {
        switch view.type {
        case "tmap", "iden", "iovl":
          // It is derived from pictures that are turned themselves, so only its size changes.
          guard change.swapsSides else { continue }
          let size = try view.storedSize()
          items[index].properties = items[index].properties.map {
            $0.property.type == "ispe"
              ? .init(.size(width: size.height, height: size.width), isEssential: $0.isEssential) : $0
          }
        default:
          guard view.property("ispe") != nil else { continue }
          let geometry = try view.geometry()
          turn(at: index, geometry.turned(geometry.orientation.followed(by: change)))
        }
      } catch {
        // A picture with damaged properties cannot be displayed in any orientation.
        continue
      }
    }
  }
}
