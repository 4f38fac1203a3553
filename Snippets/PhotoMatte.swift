// Finds the people of a picture and writes where they are, white on black.
import Backdrop

let image = try Picture("me.jpg").image
let matte = try MattePipeline(quality: .best).matte(of: image)
try Picture(matte.scaled(toWidth: image.width, height: image.height).image).write(to: "matte.png")
