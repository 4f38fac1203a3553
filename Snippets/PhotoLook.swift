// Applies a look to a photo, and prints warnings, errors and hints.
import Backdrop

do {
  let photo = try Photo("me.jpg")
  var edit = photo.applying(.portrait, ["blur": 60, "room": -1])
  edit.plan.writing.photoQuality = 90
  let summary = try await edit.write(to: "portrait.jpg", matte: "matte.png", overwrite: true)
  for warning in summary.warnings { print("warning:", warning.text) }

  let cutout = try await photo.replacingBackground(with: .transparent).image()
  try Picture(cutout).write(to: "cutout.png", overwrite: true)
} catch {
  switch error.kind {
  case .badData: print("this photo cannot be edited:", error)
  case .unsupported: print("not possible here:", error)
  default: print(error)
  }
  if let hint = error.hint { print("hint:", hint) }
}
