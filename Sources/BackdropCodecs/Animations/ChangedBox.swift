import BackdropImaging

/// The smallest rectangle with all differences between two pictures; a single pixel if nothing differs.
struct ChangedBox: Equatable {
  var left: Int, top: Int, width: Int, height: Int

  /// Compares pictures of one format and size, with one plane; without `before` everything differs. Left and top are multiples of `step`.
  init(_ before: Image?, _ image: Image, step: Int = 1) {
    (left, top, width, height) = (0, 0, image.width, image.height)
    guard let before else { return }
    let size = image.layout(0).rowBytes / image.width
    let rows = 0..<image.height
    func differs(_ y: Int) -> Bool {
      let (a, b) = (before.row(y), image.row(y))
      return !a.withUnsafeBytes { a in b.withUnsafeBytes { b in a.elementsEqual(b) } }
    }
    guard let first = rows.first(where: differs), let last = rows.last(where: differs) else {
      (width, height) = (1, 1)
      return
    }
    var (least, most) = (image.width, 0)
    for y in first...last {
      let (a, b) = (before.row(y), image.row(y))
      let count = size * image.width
      var start = 0
      while start < min(count, least * size) && a[start] == b[start] { start += 1 }
      least = min(least, start / size)
      var end = count
      while end > most * size && a[end - 1] == b[end - 1] { end -= 1 }
      most = max(most, (end + size - 1) / size)
    }
    left = least / step * step
    top = first / step * step
    (width, height) = (most - left, last + 1 - top)
  }
}
