// Loads a look from a JSON file, and applies it to a photo.
import Backdrop

let look = try Look.load("mine.json")
for parameter in look.parameters { print(parameter.name, "–", parameter.summary) }
try await Photo("me.jpg").applying(look).write(to: "mine.jpg")
