/// A strip that shows the colours of distances and a scale in metres.
struct DepthLegend {
  /// Pixels per dot of the letters.
  let scale: Int
  let width: Int, height: Int

  /// The legend of a picture of this size; picture and legend together have an even height.
  init(width: Int, pictureHeight: Int) {
    self.width = width
    scale = min(max((width + 80) / 400, 1), 12)
    let strip = 32 * scale
    height = strip + (strip + pictureHeight) % 2
  }

  /// Draws the strip below the picture: at row `y` of an `rgba8` image.
  func draw(_ colors: DepthColors, into image: inout Image, y top: Int) {
    image.box(0, top, width, height, (22, 22, 22))
    let edge = 12 * scale
    let (left, right) = (min(edge, width / 4), width - min(edge, width / 4))
    let (barTop, barHeight) = (top + 6 * scale, 10 * scale)
    let (near, far) = (Double(colors.range.lowerBound), Double(colors.range.upperBound))
    let span = max(far - near, 1e-6)
    for x in left..<right {
      let color = colors.color(atMetres: Float(near + (Double(x - left) + 0.5) / Double(right - left) * span))
      image.box(x, barTop, 1, barHeight, color)
    }
    let maximumTicks = (right - left) / max(1, 44 * scale)
    let ticks = Ticks(from: near, to: far, atMost: min(max(maximumTicks, 1), 12))
    for (index, tick) in ticks.values.enumerated() {
      let x = left + Int((tick - near) / span * Double(right - left - 1))
      image.box(x, barTop + barHeight, scale, 2 * scale, (170, 170, 170))
      let text = ticks.text(tick) + (index == ticks.values.count - 1 ? " m" : "")
      let textWidth = BitmapFont.width(of: text, scale: scale)
      let start = min(
        max(x - BitmapFont.width(of: ticks.text(tick), scale: scale) / 2, 2), max(2, width - textWidth - 2))
      BitmapFont.draw(text, at: (start, barTop + barHeight + 4 * scale), scale: scale, ink: 225, into: &image)
    }
  }
}

/// The ticks of a scale, at round numbers.
struct Ticks {
  /// The numbers, rising.
  let values: [Double]
  private let digits: Int

  /// At most `count` multiples of 1, 2 or 5 times a power of ten; the lower end of the range if none lies inside.
  init(from low: Double, to high: Double, atMost count: Int) {
    let span = high - low
    guard span > 0 && span.isFinite && span > abs(high) * 1e-9 else {
      (values, digits) = ([low], 2)
      return
    }
    var (step, digits, turn) = (1e-6, 6, 0)
    while span / step > Double(max(count - 1, 1)) && step < 1e12 {
      // Every third factor begins the next power of ten.
      step *= turn % 3 == 1 ? 2.5 : 2
      (digits, turn) = (Self.digits(step), turn + 1)
    }
    let first = (low / step).rounded(.up)
    let found = (0...max(count, 1)).map { (first + Double($0)) * step }.filter { $0 <= high + step * 1e-6 }
    self.values = found.isEmpty ? [low] : found
    self.digits = found.isEmpty ? 2 : digits
  }

  private static func digits(_ step: Double) -> Int {
    var (rest, digits) = (step, 0)
    while digits < 6 && abs(rest - rest.rounded()) > 1e-6 {
      rest *= 10
      digits += 1
    }
    return digits
  }

  /// A number with as many digits as the scale needs.
  func text(_ value: Double) -> String { value.fixed(digits) }
}

extension Double {
  func fixed(_ digits: Int) -> String {
    let unit = (0..<digits).reduce(1.0) { result, _ in result * 10 }
    let whole = (abs(self) * unit).rounded()
    guard whole < 1e15 else { return "\(self)" }
    let number = Int(whole)
    let sign = self < 0 && number > 0 ? "-" : ""
    guard digits > 0 else { return sign + "\(number)" }
    let text = "\(number)".zeroPadded(to: digits + 1)
    return sign + text.dropLast(digits) + "." + text.suffix(digits)
  }
}
