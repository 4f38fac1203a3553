import BackdropCodecs
import BackdropImaging
import TestSupport

/// A grey person in front of a green screen: a picture whose matte needs no network.
enum ScreenPicture {
  static func image(width: Int = 320, height: Int = 180) -> Image {
    Image.drawn(.rgb8, width, height) { x, y in
      abs(x - width / 2) < width / 8 && y > height / 3 ? [120, 120, 120] : [26, 179, 64]
    }
  }

  /// A picture of one colour.
  static func plain(_ color: [UInt8], width: Int = 320, height: Int = 180) throws -> [UInt8] {
    var image = Image(.rgb8, width: width, height: height)
    for y in 0..<height {
      var row = image.mutableRow(y)
      for index in 0..<3 * width { row[index] = color[index % 3] }
    }
    return try Picture.encode(image, as: .png)
  }

  static func bytes(_ kind: PictureFormat = .png, width: Int = 320, height: Int = 180) throws -> [UInt8] {
    try Picture.encode(image(width: width, height: height), as: kind)
  }

  /// The picture as a video of `frames` frames.
  static func video(frames: Int, in folder: TemporaryFolder) throws -> [UInt8] {
    let (still, video) = (folder.file("screen.png"), folder.file("screen.mp4"))
    try Picture.save(image(), to: OutputFile(still, overwrite: true))
    try MediaTool.make("-loop 1 -i \(still) -frames:v \(frames) -r 25 -pix_fmt yuv420p", video)
    return try InputFile.read(video)
  }

  /// The colour of a pixel of a picture.
  static func pixel(_ bytes: [UInt8], x: Int, y: Int) throws -> [UInt8] {
    let image = try Picture.decode(bytes.span).converted(to: .rgb8)
    return (0..<3).map { image.row(y)[3 * x + $0] }
  }
}
