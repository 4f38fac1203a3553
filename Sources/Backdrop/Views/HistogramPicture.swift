/// Draws a histogram of depth: bars in the colours of their distances, a scale in metres, and the percentage of holes.
package struct HistogramPicture {
  package static let width = 1120, height = 560

  /// Draws a histogram in `rgb8`; the highest bar has the full height, and the nearest is at the left. The caption's font has lower-case
  /// letters, digits and `-._=%`.
  package static func draw(_ histogram: DepthHistogram, palette: DepthPalette, caption: String) -> Image {
    var image = Image(.rgb8, width: width, height: height, color: .jpeg)
    image.fill(RGBColor(red: 0.086, green: 0.086, blue: 0.095))
    let (left, right, top, bottom) = (84, width - 32, 64, height - 64)
    let all = histogram.counts.reduce(0, +) + histogram.nearer + histogram.farther + histogram.holes
    let most = max(histogram.counts.max() ?? 0, 1)
    let percent = 100.0 / Double(max(all, 1))

    let rises = Ticks(from: 0, to: Double(most) * percent, atMost: 6)
    for value in rises.values {
      let y = bottom - Int(value / (Double(most) * percent) * Double(bottom - top))
      image.box(left, y, right - left, 1, (46, 46, 52))
      let text = rises.text(value) + "%"
      BitmapFont.draw(
        text, at: (left - 10 - BitmapFont.width(of: text, scale: 2), y - 7), scale: 2, ink: 150, into: &image)
    }
    let range = Float(histogram.near)...Float(histogram.far)
    let colors = DepthColors(palette, range: range)
    let bins = histogram.counts.count
    for x in left..<right {
      // For bins narrower than a pixel, take the highest.
      let first = (x - left) * bins / (right - left)
      let last = max(first + 1, (x - left + 1) * bins / (right - left))
      let count = histogram.counts[first..<min(last, bins)].max() ?? 0
      let color = colors.color(
        atMetres: Float(
          histogram.near + (Double(x - left) + 0.5) / Double(right - left) * (histogram.far - histogram.near)))
      let rows = Int((Double(count) / Double(most) * Double(bottom - top)).rounded(.up))
      image.box(x, bottom - rows, 1, rows, color)
    }
    image.box(left, bottom, right - left, 2, (150, 150, 150))
    let ticks = Ticks(from: histogram.near, to: histogram.far, atMost: 10)
    for (index, tick) in ticks.values.enumerated() {
      let x = left + Int((tick - histogram.near) / (histogram.far - histogram.near) * Double(right - left - 1))
      image.box(x, bottom + 2, 2, 6, (150, 150, 150))
      let text = ticks.text(tick) + (index == ticks.values.count - 1 ? " m" : "")
      let start = min(
        x - BitmapFont.width(of: ticks.text(tick), scale: 2) / 2, width - 4 - BitmapFont.width(of: text, scale: 2))
      BitmapFont.draw(text, at: (start, bottom + 16), scale: 2, ink: 215, into: &image)
    }
    func share(_ count: Int) -> String { (Double(count) * percent).fixed(1) + "%" }
    var rest = "holes " + share(histogram.holes)
    if histogram.nearer > 0 { rest += "   nearer " + share(histogram.nearer) }
    if histogram.farther > 0 { rest += "   farther " + share(histogram.farther) }
    let restAt = right - BitmapFont.width(of: rest, scale: 2)
    BitmapFont.draw(rest, at: (restAt, 24), scale: 2, ink: 215, into: &image)
    let maximumLength = max(0, (restAt - left) / 12 - 2)
    BitmapFont.draw(String(caption.prefix(maximumLength)), at: (left, 24), scale: 2, ink: 215, into: &image)
    return image
  }
}
