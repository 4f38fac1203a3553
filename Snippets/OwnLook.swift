// Defines a look: the person in colour and a little brighter, in front of the real background, grey and blurred.
import Backdrop

let look = Look(
  id: "grey-room", summary: "The person in colour before a grey, blurred room.",
  parameters: [
    Parameter("blur", "Radius of the blur behind", unit: "px at 12 MP", in: 0...200, default: 40),
    Parameter("light", "Light on the person", unit: "EV", in: -2...2, default: 0.3),
  ],
  matte: .subject(feather: 2),
  layers: [
    Look.Layer(.realBackground, blur: .disc(radius: .parameter("blur")), grade: [Grade(.noir, 1)]),
    Look.Layer(.frame, grade: [Grade(.exposure, .parameter("light"))], through: .matte),
  ])

try await Photo("me.jpg").applying(look, ["blur": 25]).write(to: "grey-room.jpg")
