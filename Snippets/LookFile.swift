// A look from a file, which anybody can change without a compiler.
import Backdrop

let look = try Look.load("mine.json")
for parameter in look.parameters { print(parameter.name, "–", parameter.summary) }
try await Photo("me.jpg").applying(look).write(to: "mine.jpg")
