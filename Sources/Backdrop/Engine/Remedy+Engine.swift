import BackdropImaging

extension Remedy {
  static let writeSweep = Remedy("writeSweep", "write it like focus=0…1:12, with 2 to 600 values")
  static let leaveTouchUpOut = Remedy("leaveTouchUpOut", "give a photo, or remove it")
  static let leaveSweepOut = Remedy("leaveSweepOut", "give a photo, or remove it")
  static func addSweep(parameter: String) -> Remedy {
    Remedy("addSweep", "sweep a parameter, such as \(parameter), or name the output .jpg", ["parameter": parameter])
  }
  static let giveItsDepth = Remedy("giveItsDepth", "give its depth map")
  static let giveItsDepthOrPhoto = Remedy("giveItsDepthOrPhoto", "give its depth map, or a photo with depth")
  static let giveDepthFolder = Remedy("giveDepthFolder", "give a folder of 16-bit PNG files, one for each frame")
  static let leaveDepthOut = Remedy("leaveDepthOut", "remove the depth map")
  static let leaveDepthUnitOut = Remedy("leaveDepthUnitOut", "remove the depth unit: this input has no depth")
  static let leaveAnyAspectOut = Remedy("leaveAnyAspectOut", "remove the aspect: this input has no depth")
  static let leaveEyeOut = Remedy("leaveEyeOut", "remove the choice of an eye")
  static let leaveSideBySideOut = Remedy("leaveSideBySideOut", "remove the layout")
  static func takeOtherEye(other: String) -> Remedy {
    Remedy("takeOtherEye", "ask for the \(other) one to use that instead", ["other": other])
  }
  static let checkDepthUnit = Remedy("checkDepthUnit", "check the depth, and its unit")
  static let writePoint = Remedy("writePoint", "write X,Y in pixels of the picture, or subject")
  static let leaveFocusOut = Remedy("leaveFocusOut", "remove the focus, or use the look refocus")
  static let nameOutput = Remedy("nameOutput", "name one")
  static let nameResult = Remedy("nameResult", "name a result")
  static let giveStandardInputAlone = Remedy("giveStandardInputAlone", "give it as the only input, and name an output")
  static let giveDeviceAlone = Remedy("giveDeviceAlone", "give it as the only input, and name an output")
  static let renameMatte = Remedy("renameMatte", "give the matte another name")
  static let leavePictureCodecOut = Remedy("leavePictureCodecOut", "remove the codec, or name a video")
  static let leavePartOut = Remedy("leavePartOut", "give a video, or remove the part, size and rate")
  static let leaveStartOut = Remedy("leaveStartOut", "cut both first, or remove the start")
  static let chooseLosslessCodec = Remedy("chooseLosslessCodec", "write a .mkv with FFV1, or name a picture")
  static let renameOrOtherFolder = Remedy("renameOrOtherFolder", "rename one of them, or write each to its own folder")
  static let chooseOutputFolder = Remedy("chooseOutputFolder", "choose another folder")
  static let leaveLightWrapOut = Remedy(
    "leaveLightWrapOut",
    "turn light wrap off, or give a picture, a video or a colour")
  static let matteOrNoPlate = Remedy("matteOrNoPlate", "use mattes from the person network, or remove the plate")
  static let givePlate = Remedy("givePlate", "give a picture of the room")
  static let retakePlate = Remedy("retakePlate", "make one with the same camera")
  static let chooseNetwork = Remedy("chooseNetwork", "give a portrait photo, or choose a person network")
  static let cropOrChooseNetwork = Remedy(
    "cropOrChooseNetwork", "check the result, crop the picture to the people, or choose another network")
  static let allowFartherFaces = Remedy("allowFartherFaces", "allow faces that are farther away")
  static let hideRealBackground = Remedy(
    "hideRealBackground", "lower the cutoff or the margin, or make the matte narrower")
  static func blurMore(background: String) -> Remedy {
    Remedy("blurMore", "use \(background) or more", ["background": background])
  }
  static func blurMoreOrShowRealBackground(background: String) -> Remedy {
    Remedy(
      "blurMoreOrShowRealBackground", "use \(background) or more, or allow the room to show", ["background": background]
    )
  }
  static let leaveOverlayOut = Remedy(
    "leaveOverlayOut",
    "remove the overlay, or give the picture, with this file as its depth")
  static let leaveLegendOut = Remedy("leaveLegendOut", "remove the legend")
  static let leaveRangeOut = Remedy("leaveRangeOut", "remove the range")
  static let leaveEqualizeOut = Remedy("leaveEqualizeOut", "turn equalisation off")
  static let writeIntrinsics = Remedy(
    "writeIntrinsics",
    "write fx,fy,cx,cy in pixels of the depth map, with focal lengths above 0")
  static let giveCameras = Remedy("giveCameras", "give both cameras in an alignment file")
  static let leaveAlignOut = Remedy("leaveAlignOut", "turn alignment off")
  static let nameCamera = Remedy("nameCamera", "choose one from the list")
  static let connectCamera = Remedy("connectCamera", "plug one in, or try the simulated camera: sim:")
  static let leaveRecordingFormOut = Remedy("leaveRecordingFormOut", "remove the depth unit and the quality")
}
