// Puts the person in a portrait in front of another picture, with the matte that the phone stored in the file.
import BackdropCodecs
import BackdropImaging
import BackdropLooks
import BackdropPhotos

let photo = try DepthPhoto.read("portrait.heic")
let picture = try photo.image(as: .rgba8)
guard let matte = try photo.matte(.portrait) else { fatalError("this photo has no portrait matte") }

let compositor = try Compositor(
  .backdrop, width: picture.width, height: picture.height, format: .rgba8, workers: WorkerPool())
compositor.estimatesForeground = true  // keeps the old background's colours out of soft edges
try compositor.setBackground(.picture(Picture.load("beach.jpg", as: .rgba8)))
var result = picture
try compositor.render(picture, matte: matte, into: &result)
try Picture.save(result, to: OutputFile("out.png", overwrite: false))
