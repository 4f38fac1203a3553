extension Hint {
  static let writeSweep = Hint("writeSweep", "write it like focus=0…1:12, with 2 to 600 values")
  static let leaveTouchUpOut = Hint("leaveTouchUpOut", "give a photo, or remove it")
  static let leaveSweepOut = Hint("leaveSweepOut", "give a photo, or remove it")
  static func addSweep(parameter: String) -> Hint {
    Hint("addSweep", "sweep a parameter, such as \(parameter), or name the output .jpg", ["parameter": parameter])
  }
  static let giveItsDepth = Hint("giveItsDepth", "give its depth map")
  static let giveItsDepthOrPhoto = Hint("giveItsDepthOrPhoto", "give its depth map, or a photo with depth")
  static let giveDepthFolder = Hint("giveDepthFolder", "give a folder of 16-bit PNG files, one for each frame")
  static let leaveDepthOut = Hint("leaveDepthOut", "remove the depth map")
  static let leaveDepthUnitOut = Hint("leaveDepthUnitOut", "remove the depth unit: this input has no depth")
  static let leaveAnyAspectOut = Hint("leaveAnyAspectOut", "remove the aspect: this input has no depth")
  static let leaveEyeOut = Hint("leaveEyeOut", "remove the choice of an eye")
  static let leaveSideBySideOut = Hint("leaveSideBySideOut", "remove the layout")
  static func useOtherEye(other: String) -> Hint {
    Hint("useOtherEye", "ask for the \(other) one to use that instead", ["other": other])
  }
  static let checkDepthUnit = Hint("checkDepthUnit", "check the depth, and its unit")
  static let writePoint = Hint("writePoint", "write X,Y in pixels of the picture, or subject")
  static let leaveFocusOut = Hint("leaveFocusOut", "remove the focus, or use the look refocus")
  static let nameOutput = Hint("nameOutput", "name one")
  static let nameResult = Hint("nameResult", "name a result")
  static let giveStandardInputAlone = Hint("giveStandardInputAlone", "give it as the only input, and name an output")
  static let giveDeviceAlone = Hint("giveDeviceAlone", "give it as the only input, and name an output")
  static let renameMatte = Hint("renameMatte", "give the matte another name")
  static let leavePictureCodecOut = Hint("leavePictureCodecOut", "remove the codec, or name a video")
  static let leavePartOut = Hint("leavePartOut", "give a video, or remove the part, size and rate")
  static let leaveStartOut = Hint("leaveStartOut", "cut both first, or remove the start")
  static let chooseLosslessCodec = Hint("chooseLosslessCodec", "write a .mkv with FFV1, or name a picture")
  static let renameOrOtherFolder = Hint("renameOrOtherFolder", "rename one of them, or write each to its own folder")
  static let chooseOutputFolder = Hint("chooseOutputFolder", "choose another folder")
  static let leaveLightWrapOut = Hint(
    "leaveLightWrapOut", "turn light wrap off, or give a picture, a video or a colour")
  static let matteOrNoPlate = Hint("matteOrNoPlate", "use mattes from the person network, or remove the plate")
  static let givePlate = Hint("givePlate", "give a picture of the room")
  static let retakePlate = Hint("retakePlate", "make one with the same camera")
  static let chooseNetwork = Hint("chooseNetwork", "give a portrait photo, or choose a person network")
  static let cropOrChooseNetwork = Hint(
    "cropOrChooseNetwork", "check the result, crop the picture to the people, or choose another network")
  static let allowFartherFaces = Hint("allowFartherFaces", "allow faces that are farther away")
  static let hideRealBackground = Hint(
    "hideRealBackground", "lower the cutoff or the margin, or make the matte narrower")
  static func blurMore(background: String) -> Hint {
    Hint("blurMore", "use \(background) or more", ["background": background])
  }
  static func blurMoreOrShowRealBackground(background: String) -> Hint {
    Hint(
      "blurMoreOrShowRealBackground", "use \(background) or more, or allow the room to show", ["background": background]
    )
  }
  static let leaveOverlayOut = Hint(
    "leaveOverlayOut", "remove the overlay, or give the picture, with this file as its depth")
  static let leaveLegendOut = Hint("leaveLegendOut", "remove the legend")
  static let leaveRangeOut = Hint("leaveRangeOut", "remove the range")
  static let leaveEqualizeOut = Hint("leaveEqualizeOut", "turn equalisation off")
  static let writeIntrinsics = Hint(
    "writeIntrinsics", "write fx,fy,cx,cy in pixels of the depth map, with focal lengths above 0")
  static let giveCameras = Hint("giveCameras", "give both cameras in an alignment file")
  static let leaveAlignOut = Hint("leaveAlignOut", "turn alignment off")
  static let nameCamera = Hint("nameCamera", "choose one from the list")
  static let connectCamera = Hint("connectCamera", "plug one in, or try the simulated camera: sim:")
  static let leaveRecordingFormOut = Hint("leaveRecordingFormOut", "remove the depth unit and the quality")
}
