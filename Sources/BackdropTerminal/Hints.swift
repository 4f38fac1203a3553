import BackdropImaging

/// The hints of errors for a user at a terminal. Only this file names flags and commands in hints of libraries.
package enum Hints {
  /// The sentence for each code of the libraries; `{name}` stands for a value of the hint.
  package static let sentences: [Hint.Code: String] = [
    "replaceOutput": "use --force to replace it",
    "allowMemory": "scale it down first, or allow more with --limit-memory",
    "allowPixels": "scale it down first, or raise --limit-pixels, up to 200000000",

    "leaveSandboxOut": "add --no-sandbox, but only for files that you trust",

    "installNetworks": "run: backdrop models install",
    "installNetwork": "run: backdrop models install {name}",
    "listNetworks": "check the name; to list the networks, run: backdrop models",
    "describeInputSize": "give the size in a JSON description; see: backdrop models --help",
    "leaveClassesOut": "remove --classes: this network finds only people",
    "chooseClassNetwork": "choose a network with classes: --model deeplab-257",
    "chooseNetwork": "give a portrait photo, or try another --model; --subject any also looks for things",
    "cropOrChooseNetwork":
      "check the result, crop the picture to the people, or try another --model; --strict makes this an error",

    "leaveDamagedSoundOut": "leave the sound out with --no-sound",
    "renameOrLeaveCodecOut": "end the name in {fileExtensions}, or remove --codec",
    "leavePictureCodecOut": "remove --codec, or name a video",
    "leavePartOut": "give a video, or remove --start, --duration, --size and --fps",
    "leaveStartOut": "cut both first, or remove --start",
    "chooseLosslessCodec": "write a .mkv with --codec ffv1, or name a picture",
    "chooseTransparentKind":
      "write .mov (ProRes 4444), .webm (VP9), .mkv with --codec ffv1, .apng, .gif, or numbered pictures: out/%05d.png",
    "leaveDynamicRangeOut": "name a video and use --codec h265, av1 or prores, or remove --hdr",
    "chooseCodecForSize": "use --codec {codecs}, or change the size with --size",
    "leaveQualityOut": "lower is better; without --crf, the result looks almost like the source",

    "pairPictures": "give rgb.txt and depth.txt, or rgb/1.png and depth/1.png, or 1.png and 1_depth.png; "
      + "give pictures without depth with --output-dir FOLDER",
    "allowAnyAspect":
      "if the depth covers the whole picture, add --any-aspect; Backdrop then scales x and y separately",
    "giveRawLayout": "give the layout with --raw 640x480:bgra8 for pictures, --raw-depth 640x480:float32 for depth",
    "giveDepthUnit": "give another unit with --depth-scale",
    "checkDepthUnit": "check the depth, and --depth-scale",
    "correctCamera": "give focal lengths and sizes above zero, or record again",
    "recordAgain": "record or convert it again",
    "copyRecordingAgain": "copy or export the recording again, with all of its files",
    "openTheBag":
      "open the .bag file itself, or convert it with distances: rs-convert -i FILE.bag -p OUT/x -v OUT/x",
    "leaveRecordingFormOut": "remove --output-scale and --crf",
    "leaveAlignOut": "leave --align and --align-to out",
    "giveCameras": "give both cameras: --align FILE",

    "giveDepth": "give a depth map with --depth FILE",
    "giveItsDepth": "give its depth map with --depth FILE",
    "giveItsDepthOrPhoto": "give its depth map with --depth FILE, or a photo with depth",
    "giveDepthFolder": "give a folder of 16-bit PNG files, one for each frame, with --depth FOLDER",
    "leaveDepthOut": "remove --depth",
    "leaveDepthUnitOut": "remove --depth-scale: this input has no depth",
    "leaveAnyAspectOut": "remove --any-aspect: this input has no depth",

    "leaveEyeOut": "remove --eye",
    "leaveSideBySideOut": "remove --side-by-side",
    "useOtherEye": "for the other one, use --eye {other}",

    "leaveMeshOut": "to write points instead, remove --mesh",
    "giveIntrinsics":
      "give --fov DEGREES (across the picture), or --intrinsics fx,fy,cx,cy in pixels of the depth map",
    "correctIntrinsics": "give focal lengths above 0 with --fov or --intrinsics",
    "writeIntrinsics": "write --intrinsics fx,fy,cx,cy in pixels of the depth map, with focal lengths above 0",
    "keepEdges": "keep them with --keep-edges",
    "leaveOverlayOut": "remove --overlay, or give the picture, with this file as --depth",
    "leaveLegendOut": "remove --legend",
    "leaveRangeOut": "remove --range",
    "leaveEqualizeOut": "remove --equalize",

    "startFromLook": "start from a built-in look: backdrop looks show backdrop --json",
    "compareLook": "compare it with a built-in look: backdrop looks show backdrop --json",

    "writeSweep": "write --sweep focus=0…1:12, with 2 to 600 values",
    "leaveTouchUpOut": "give a photo, or remove --touch-up",
    "leaveSweepOut": "give a photo, or remove --sweep",
    "addSweep": "add --sweep {parameter}=FROM…TO:60, or name the output .jpg",
    "writePoint": "write --at X,Y in pixels of the picture, or --at subject",
    "leaveFocusOut": "remove --at, or use the look refocus",
    "nameOutput": "name one with -o",
    "nameResult": "name a result with -o",
    "renameMatte": "give --save-matte another name",
    "renameOrOtherFolder": "rename one of them, or write each to its own --output-dir",
    "giveStandardInputAlone": "give it as the only input, and name the output with -o",
    "giveDeviceAlone": "give it as the only input, with -o",
    "chooseOutputFolder": "choose another --output-dir",
    "leaveLightWrapOut": "remove --light-wrap, or give a picture, a video or a colour",
    "allowFartherFaces": "add --farthest-face METRES",
    "hideRealBackground":
      "lower --cutoff or --margin, or make the matte narrower with --gamma or --radius; --strict makes this an error",
    "blurMore": "use --background {background} or more",
    "blurMoreOrShowRealBackground":
      "use {background} or more as the background, or add --show-room (backdrop ctl show-room on)",
    "nameScreenColor": "give the screen's colour, such as --screen '#00B140', or remove --matte chroma",
    "matteOrNoPlate": "add --matte person, or remove --plate",
    "givePlate": "give a picture; make one with: backdrop plate INPUT -o plate.png",
    "retakePlate": "make one with the same camera: backdrop plate INPUT -o plate.png --force",

    "listCameras": "list the cameras with: backdrop cameras",
    "connectOrListCameras": "connect it, then list the cameras with: backdrop cameras",
    "nameCamera": "list the cameras with: backdrop cameras",
    "connectCamera": "plug one in (backdrop cameras lists them), or try the simulated camera: sim:",
    "seeCameras": "see: backdrop cameras",
    "startSimulation": "plug one in, or give a network camera's address; without a camera, run: backdrop live sim:",
    "examineMachine": "check this computer with: backdrop doctor",
    "leaveRawOut": "remove --save-recording",
    "usePersonMattes": "add --matte person",
    "leaveWindowOut": "start Backdrop from a desktop, or remove -o window",
    "writeToDevice": "send pictures to it with --output {path}",
    "chooseLiveQuality": "choose --quality high",
    "chooseSmallerSize": "choose a smaller size: backdrop live --size 640x480",
    "chooseSocketName": "choose another name with --socket",
    "chooseSocketFolder": "choose another folder with --socket",
    "chooseSocketPlace": "choose another place with --socket",
    "endOtherSession": "end it with backdrop ctl quit, or give this one its own --socket",
    "startSession": "start a session: backdrop live (with the same --socket)",

    "givePassword":
      "give a password of 8 characters or more with --password-file or at the prompt, or forward the port with ssh, which is safer",
    "leavePortOut": "remove --port",
    "giveKeys":
      "give a file of keys with --keys FILE, or listen on 127.0.0.1; backdrop serve --new-key NAME makes a key",
    "addKey": "add a line with: backdrop serve --new-key NAME >> FILE",
    "choosePort": "choose another port with --port",
    "chooseOrLeavePortOut": "choose another port with --port, or remove --port",
  ]
}

extension Hint {
  /// The hint, with the command's flags.
  package var sentence: String {
    guard let code, let sentence = Hints.sentences[code] else { return text }
    return values.reduce(sentence) { $0.replacing("{\($1.key)}", with: $1.value) }
  }
}
