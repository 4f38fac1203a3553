import BackdropImaging

/// A picture of the background behind the person, with statistics of each pixel: mean colour, noise, and number of sightings.
///
/// Colours are R′, G′, B′ in 0…255.
package struct Plate: Sendable {
  package let width: Int, height: Int
  /// Mean colours, three values a sample, in row order.
  package let colors: [Float]
  /// Variance of a channel at each sample, in levels².
  package let variance: [Float]
  /// The number of frames with a sighting of each sample; 0 for unknown ones.
  package let seen: [Float]

  /// The number of frames that a sample of a picture counts as.
  static let pictureWeight: Float = 60
  /// The number of sightings before a sample counts.
  static let enough: Float = 3

  init(width: Int, height: Int, colors: [Float], variance: [Float], seen: [Float]) {
    precondition(colors.count == 3 * width * height && variance.count == width * height && seen.count == variance.count)
    self.width = width
    self.height = height
    self.colors = colors
    self.variance = variance
    self.seen = seen
  }

  /// Makes a plate from a picture without people; parts that are not opaque are unknown.
  package init(picture: Image) {
    let image = picture.converted(to: .bgra8, color: .jpeg)
    let count = image.width * image.height
    var colors = [Float](repeating: 0, count: 3 * count)
    var seen = [Float](repeating: 0, count: count)
    for y in 0..<image.height {
      let row = image.row(y)
      for x in 0..<image.width {
        let at = y * image.width + x
        for channel in 0..<3 { colors[3 * at + channel] = Float(row[4 * x + 2 - channel]) }
        // A sample mixed with an opaque neighbour does not have the background's colour.
        seen[at] = row[4 * x + 3] >= 250 ? Self.pictureWeight : 0
      }
    }
    self.init(
      width: image.width, height: image.height, colors: colors,
      variance: [Float](repeating: 9, count: count), seen: seen)
  }

  /// The fraction of samples that are known, 0…1.
  package var coverage: Double {
    seen.isEmpty ? 0 : Double(seen.reduce(0) { $0 + ($1 > 0 ? 1 : 0) }) / Double(seen.count)
  }

  /// The mean colours as a picture, `rgba8`; unknown parts are transparent.
  package var image: Image {
    var result = Image(.rgba8, width: width, height: height)
    for y in 0..<height {
      var row = result.mutableRow(y)
      for x in 0..<width {
        let at = y * width + x
        for channel in 0..<3 { row[4 * x + channel] = UInt8(min(max(colors[3 * at + channel], 0), 255) + 0.5) }
        row[4 * x + 3] = seen[at] > 0 ? 255 : 0
      }
    }
    result.alpha = .straight
    return result
  }
}
