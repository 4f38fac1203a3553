extension Plane {
  @inlinable package init(width: Int, height: Int, _ sample: (_ x: Int, _ y: Int) -> Sample) {
    self.init(uninitializedWidth: width, height: height)
    for y in 0..<height {
      var row = mutableRow(y)
      for x in row.indices { row[x] = sample(x, y) }
    }
  }

  @inlinable package func map<Other>(_ change: (Sample) -> Other) -> Plane<Other> {
    var result = Plane<Other>(uninitializedWidth: width, height: height)
    for y in 0..<height {
      let from = row(y)
      var to = result.mutableRow(y)
      for x in from.indices { to[x] = change(from[x]) }
    }
    return result
  }

  @inlinable package mutating func update(_ change: (Sample) -> Sample) {
    for y in 0..<height {
      var row = mutableRow(y)
      for x in row.indices { row[x] = change(row[x]) }
    }
  }

  /// Replaces each sample by `change` of it and of the sample of another plane of the same size.
  @inlinable package mutating func update<Other>(with other: Plane<Other>, _ change: (Sample, Other) -> Sample) {
    precondition(width == other.width && height == other.height, "planes of different sizes")
    for y in 0..<height {
      let from = other.row(y)
      var row = mutableRow(y)
      for x in row.indices { row[x] = change(row[x], from[x]) }
    }
  }

  /// Becomes a copy of another plane, in its own memory if that fits, so that the other one's memory stays unshared.
  @inlinable package mutating func copy(_ other: Plane) {
    fit(other.width, other.height)
    update(with: other) { $1 }
  }

  /// The plane at another size, in which each sample is the one that contains its centre.
  @inlinable package func nearest(width newWidth: Int, height newHeight: Int) -> Plane {
    let columns = (0..<newWidth).map { (2 * $0 + 1) * width / (2 * newWidth) }
    var result = Plane(uninitializedWidth: newWidth, height: newHeight)
    for y in 0..<newHeight {
      let from = row((2 * y + 1) * height / (2 * newHeight))
      var to = result.mutableRow(y)
      for x in to.indices { to[x] = from[columns[x]] }
    }
    return result
  }

  /// A rectangle that may reach beyond the plane, where the samples are those at its edge.
  @inlinable package func window(_ rectangle: IntegerRect) -> Plane {
    precondition(width > 0 && height > 0, "an empty plane")
    if rectangle.x == 0 && rectangle.y == 0 && rectangle.width == width && rectangle.height == height { return self }
    let start = Swift.min(Swift.max(-rectangle.x, 0), rectangle.width)
    let end = Swift.min(Swift.max(width - rectangle.x, start), rectangle.width)
    var result = Plane(uninitializedWidth: rectangle.width, height: rectangle.height)
    for y in 0..<rectangle.height {
      let from = row(Swift.min(Swift.max(rectangle.y + y, 0), height - 1))
      var to = result.mutableRow(y)
      for x in 0..<start { to[x] = from[0] }
      for x in start..<end { to[x] = from[rectangle.x + x] }
      for x in end..<to.count { to[x] = from[width - 1] }
    }
    return result
  }
}
