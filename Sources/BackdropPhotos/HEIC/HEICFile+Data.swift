import BackdropImaging

extension HEICFile {
  /// The bytes of an item, assembled from its pieces.
  ///
  /// - Throws: `badData` if a piece lies outside its container, or if items refer to each other in a loop; `overLimit`
  ///   if there are more than `limit` bytes; `unsupported` if they are in another file.
  package func data(of item: HEICItem, limit: Int? = nil) throws(BackdropError) -> [UInt8] {
    let pieces = try pieces(of: item.id)
    let count = pieces.reduce(0) { $0 + $1.count }
    if let limit, count > limit {
      throw BackdropError(.overLimit, "item \(item.id) ('\(item.type)') has \(count) bytes, over the limit of \(limit)")
    }
    var result: [UInt8] = []
    result.reserveCapacity(count)
    for piece in pieces { result += bytes[piece] }
    return result
  }

  /// The ranges of an item's bytes in the file, in order; together no more than the file has.
  func pieces(of item: Int) throws(BackdropError) -> [Range<Int>] {
    var steps = limits.steps
    return try pieces(of: item, path: [], &steps)
  }

  private func pieces(of item: Int, path: [Int], _ steps: inout Int) throws(BackdropError) -> [Range<Int>] {
    func error(_ problem: String, _ kind: BackdropError.Kind = .badData) -> BackdropError {
      BackdropError(kind, "item \(item) \(problem)")
    }
    guard !path.contains(item) else { throw error("contains itself") }
    guard path.count < limits.depth else {
      throw error("contains other items more than \(limits.depth) levels deep", .overLimit)
    }
    guard let location = meta.locations[item] else { throw error("has no position in the file") }
    guard isInThisFile(location) else { throw error("lies in another file", .unsupported) }
    guard !location.extents.isEmpty else { return [] }

    let targets =
      location.construction == .item ? (outgoing[item] ?? []).filter { $0.type == "iloc" }.flatMap(\.to) : []
    steps -= 1 + targets.count
    var sources: [Int: [Range<Int>]] = [:]
    var result: [Range<Int>] = []
    var total = 0
    for extent in location.extents {
      let source: [Range<Int>]
      switch location.construction {
      case .file: source = [bytes.indices]
      case .itemData:
        guard let data = meta.itemData else { throw error("lies in an 'idat' box, which the file does not have") }
        source = [data]
      case .item:
        // Index 0 means that the field is absent; the first reference then applies.
        let index = max(extent.index, 1) - 1
        guard targets.indices.contains(index) else {
          throw error("needs its reference \(extent.index), and has \(targets.count)")
        }
        if let known = sources[index] {
          source = known
        } else {
          source = try pieces(of: targets[index], path: path + [item], &steps)
          sources[index] = source
        }
      }
      // A hostile file can multiply the work without adding pieces, so limit the steps.
      steps -= 1 + source.count
      guard steps >= 0 else { throw error("needs more than \(limits.steps) steps to assemble", .overLimit) }
      let found = try cut(source, location.baseOffset, extent, error)
      result += found
      total += found.reduce(0) { $0 + $1.count }
      // Pieces may overlap, but no valid item is longer than its file.
      guard total <= bytes.count else {
        throw error("claims more than the file's \(bytes.count) bytes")
      }
    }
    return result
  }

  /// The part of `source` that an extent selects. The pieces of `source` count as consecutive.
  private func cut(
    _ source: [Range<Int>], _ base: UInt64, _ extent: ItemLocation.Extent,
    _ error: (String, BackdropError.Kind) -> BackdropError
  ) throws(BackdropError) -> [Range<Int>] {
    let available = source.reduce(0) { $0 + $1.count }
    let (start, overflows) = base.addingReportingOverflow(extent.offset)
    guard !overflows, start <= UInt64(available), extent.length <= UInt64(available) - start else {
      throw error("has \(extent.length) bytes from \(start) of \(available)", .badData)
    }
    // 8.11.3.1: a length of 0, or none, means everything.
    let length = extent.length == 0 ? available - Int(start) : Int(extent.length)
    var skip = Int(start)
    var left = length
    var result: [Range<Int>] = []
    for piece in source where left > 0 {
      if skip >= piece.count {
        skip -= piece.count
        continue
      }
      let first = piece.lowerBound + skip
      let count = min(left, piece.upperBound - first)
      result.append(first..<first + count)
      skip = 0
      left -= count
    }
    return result
  }

  private func isInThisFile(_ location: ItemLocation) -> Bool {
    guard location.construction == .file, location.dataReference > 0 else { return true }
    let index = location.dataReference - 1
    return meta.selfReferences.indices.contains(index) && meta.selfReferences[index]
  }
}
