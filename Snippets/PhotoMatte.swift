// Writes the matte of the people in a picture, white on black.
import Backdrop

let image = try Picture("me.jpg").image
let matte = try MattePipeline(quality: .best).matte(of: image)
try Picture(matte.scaled(toWidth: image.width, height: image.height).image).write(to: "matte.png")
