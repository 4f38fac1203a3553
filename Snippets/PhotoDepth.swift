// Colours the depth of a phone's photo from near to far. The build includes no engine, looks or networks.
import BackdropPhotos

let photo = try DepthPhoto.read("portrait.jpg")
print("\(photo.width)×\(photo.height), mattes:", photo.mattes.map(\.rawValue))
if let depth = try photo.depth() {
  let distances = depth.disparity.depth
  let ends = distances.percentiles([1, 99])
  let colors = DepthColors(range: ends[0]...ends[1])
  try Picture.save(colors.image(of: distances), to: OutputFile("depth.png", overwrite: false))
}
