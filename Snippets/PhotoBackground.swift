// Puts the people of a photo in front of another picture.
import Backdrop

let beach = try Picture("beach.jpg")
let edit = try Photo("me.jpg").replacingBackground(with: .picture(beach))
try await edit.write(to: "out.jpg")
