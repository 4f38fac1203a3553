import BackdropImaging

extension Remedy.Code {
  /// Name pictures so that each has its depth, or take pictures without depth.
  package static let pairPictures = Self("pairPictures")
  /// Allow depth of a different aspect to cover the picture.
  package static let allowAnyAspect = Self("allowAnyAspect")
  /// Describe the contents of raw files.
  package static let giveRawLayout = Self("giveRawLayout")
  package static let giveDepthUnit = Self("giveDepthUnit")
  /// Correct the camera's intrinsics, or record again.
  package static let correctCamera = Self("correctCamera")
  /// Record or convert the recording with the damaged description again.
  package static let recordAgain = Self("recordAgain")
  /// Copy or export a recording again, with all of its files.
  package static let copyRecordingAgain = Self("copyRecordingAgain")
  /// Open the `.bag` file from which pictures were converted.
  package static let openTheBag = Self("openTheBag")
}

extension Remedy {
  static let pairPictures = Remedy(
    .pairPictures,
    "give rgb.txt and depth.txt, or rgb/1.png and depth/1.png, or 1.png and 1_depth.png; "
      + "give pictures without depth one by one")
  static let allowAnyAspect = Remedy(
    .allowAnyAspect,
    "if the depth covers the whole picture, allow any aspect; Backdrop then scales x and y separately")
  static let giveRawLayout = Remedy(
    .giveRawLayout, "write the layout as 640x480:bgra8 for pictures, 640x480:float32 for depth")
  static let giveDepthUnit = Remedy(.giveDepthUnit, "give another unit if that is wrong")
  static let correctCamera = Remedy(
    .correctCamera, "give focal lengths and sizes above zero, or record again")
  static let recordAgain = Remedy(.recordAgain, "record or convert it again")
  static let copyRecordingAgain = Remedy(
    .copyRecordingAgain, "copy or export the recording again, with all of its files")
  static let openTheBag = Remedy(
    .openTheBag, "open the .bag file itself, or convert it with distances: rs-convert -i FILE.bag -p OUT/x -v OUT/x")
}
