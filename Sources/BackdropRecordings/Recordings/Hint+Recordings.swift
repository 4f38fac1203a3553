import BackdropImaging

extension Hint {
  static let pairPictures = Hint(
    "pairPictures",
    "give rgb.txt and depth.txt, or rgb/1.png and depth/1.png, or 1.png and 1_depth.png; "
      + "give pictures without depth one by one")
  static let allowAnyAspect = Hint(
    "allowAnyAspect",
    "if the depth covers the whole picture, allow any aspect; Backdrop then scales x and y separately")
  static let giveRawLayout = Hint(
    "giveRawLayout", "write the layout as 640x480:bgra8 for pictures, 640x480:float32 for depth")
  static let giveDepthUnit = Hint("giveDepthUnit", "give another unit if that is wrong")
  package static let correctCamera = Hint("correctCamera", "give focal lengths and sizes above zero, or record again")
  package static let recordAgain = Hint("recordAgain", "record or convert it again")
  static let copyRecordingAgain = Hint(
    "copyRecordingAgain", "copy or export the recording again, with all of its files")
  static let openTheBag = Hint(
    "openTheBag", "open the .bag file itself, or convert it with distances: rs-convert -i FILE.bag -p OUT/x -v OUT/x")
}
