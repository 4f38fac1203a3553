// Puts the people in a photo in front of another picture.
import Backdrop

let beach = try Picture("beach.jpg")
try await Photo("me.jpg").replacingBackground(with: .picture(beach)).write(to: "out.jpg")
