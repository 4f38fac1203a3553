import Backdrop
import BackdropCameras
import BackdropImaging
import BackdropLive
import BackdropStudio

/// What to do about an error, as the person at a terminal does it. Only here are flags and commands named for the libraries.
enum Remedies {
  /// For each code of the libraries its sentence; `{name}` stands for a value of the remedy.
  static let sentences: [Remedy.Code: String] = [
    .replaceOutput: "use --force to replace it",
    .allowMemory: "scale it down first, or allow more with --limit-memory",
    .allowPixels: "scale it down first; --limit-pixels may be up to 200000000",

    .installNetworks: "run: backdrop models install",
    .installNetwork: "run: backdrop models install {name}",
    .listNetworks: "check the name; known ones are listed by: backdrop models",
    .describeInputSize: "give the size in a description: see backdrop models --help",
    .leaveClassesOut: "leave --classes out: this network knows people only",
    .chooseClassNetwork: "choose one with classes: --model deeplab-257",
    .chooseNetwork: "give a portrait photo, or try --model; --subject any looks for things, too",
    .cropOrChooseNetwork:
      "look at the result, crop the picture round the people, or try --model; --strict makes this an error",

    .leaveDamagedSoundOut: "leave them out: --no-sound",
    .renameOrLeaveCodecOut: "end the name in {endings}, or leave --codec out",
    .leavePictureCodecOut: "leave --codec out, or name a video",
    .leavePartOut: "give a video, or leave --start, --duration, --size and --fps out",
    .leaveStartOut: "cut both before, or leave --start out",
    .chooseLosslessCodec: "write a .mkv with --codec ffv1, or name a picture",
    .chooseTransparentKind:
      "write .mov (ProRes 4444), .webm (VP9), .mkv with --codec ffv1, .apng, .gif, or numbered pictures: out/%05d.png",
    .leaveDynamicRangeOut: "name a video, with --codec h265, av1 or prores if any, or leave --hdr out",
    .leaveQualityOut: "lower is better; without --crf it is hard to tell from the source",

    .pairPictures: "expected rgb.txt and depth.txt, or rgb/1.png and depth/1.png, or 1.png and 1_depth.png; "
      + "pictures without depth go to --output-dir FOLDER",
    .allowAnyAspect: "if it covers the whole picture, add --any-aspect: x and y are then scaled independently",
    .giveRawLayout: "say it with --raw 640x480:bgra8 for pictures, --raw-depth 640x480:float32 for depth",
    .giveDepthUnit: "say another by --depth-scale",
    .checkDepthUnit: "check the depth, and --depth-scale",
    .correctCamera: "focal lengths and sizes are above zero; correct them, or record again",
    .recordAgain: "record or convert it again",
    .leaveRecordingFormOut: "leave --output-scale and --crf out",
    .leaveAlignOut: "leave --align out",

    .giveDepth: "give a depth map with --depth FILE",
    .giveItsDepth: "give its depth map with --depth FILE",
    .giveItsDepthOrPhoto: "give its depth map with --depth FILE, or a photo with depth",
    .giveDepthFolder: "give a folder of 16-bit PNG files, one a frame, with --depth FOLDER",
    .leaveDepthOut: "leave --depth out",
    .leaveDepthUnitOut: "--depth-scale does nothing here",
    .leaveAnyAspectOut: "--any-aspect does nothing here",

    .leaveEyeOut: "leave --eye out",
    .takeOtherEye: "the other one's with --eye {other}",

    .leaveMeshOut: "take points instead: leave --mesh out",
    .giveIntrinsics:
      "give --fov DEGREES (across the picture), or --intrinsics fx,fy,cx,cy in pixels of the depth map",
    .correctIntrinsics: "focal lengths are above 0; give others with --fov or --intrinsics",
    .writeIntrinsics: "write --intrinsics fx,fy,cx,cy in pixels of the depth map; focal lengths are above 0",
    .keepEdges: "keep them: --keep-edges",
    .leaveOverlayOut: "leave --overlay out, or give the picture, and this file with --depth",
    .leaveLegendOut: "leave --legend out",
    .leaveRangeOut: "leave --range out",
    .leaveEqualizeOut: "leave --equalize out",

    .seeLook: "see: backdrop looks show backdrop --json",
    .startFromLook: "start from one that is: backdrop looks show backdrop --json",
    .compareLook: "compare: backdrop looks show backdrop --json",

    .writeSweep: "write --sweep focus=0…1:12, with 2 to 600 values",
    .leaveTouchUpOut: "give a photo, or leave --touch-up out",
    .leaveSweepOut: "give a photo, or leave --sweep out",
    .addSweep: "add --sweep {parameter}=FROM…TO:60, or name the output .jpg",
    .writePoint: "write --at X,Y in pixels of the picture, or --at subject",
    .leaveFocusOut: "leave --at out, or take refocus",
    .nameOutput: "name one with -o",
    .nameResult: "name a result with -o",
    .renameMatte: "give --save-matte another name",
    .renameOrOtherFolder: "rename one of them, or use another --output-dir for each",
    .giveStandardInputAlone: "give it alone, and an output by -o",
    .giveDeviceAlone: "give it alone, with -o",
    .chooseOutputFolder: "choose another --output-dir",
    .leaveLightWrapOut: "leave --light-wrap out, or give a picture, a video or a colour",
    .allowFartherFaces: "add --farthest-face METRES",
    .hideRealBackground:
      "lower --cutoff or --margin, or narrow the matte by --gamma or --radius; --strict makes this an error",
    .blurMore: "take --background {background} or more",
    .blurMoreOrShowRealBackground:
      "take {background} or more as the background, or add --show-room (backdrop ctl show-room on)",
    .nameScreenColor: "give the screen's colour, such as --screen '#00B140', or leave --matte chroma out",
    .matteOrNoPlate: "add --matte person, or leave --plate out",
    .givePlate: "give a picture: backdrop plate INPUT -o plate.png takes one",
    .retakePlate: "take one from the same camera: backdrop plate INPUT -o plate.png --force",

    .listCameras: "list what is there: backdrop cameras",
    .connectOrListCameras: "connect it; list what is there: backdrop cameras",
    .nameCamera: "backdrop cameras lists them",
    .connectCamera: "plug one in (backdrop cameras lists them), or try it with sim:",
    .seeCameras: "see: backdrop cameras",
    .startSimulation: "plug one in, or give a network camera's address; without one: backdrop live sim:",
    .examineMachine: "see: backdrop doctor",
    .leaveRawOut: "leave --save-recording out",
    .takePersonMattes: "add --matte person",
    .leaveWindowOut: "start it from a desktop, or leave out: -o window",
    .writeToDevice: "use it with: --output {path}",
    .chooseLiveQuality: "choose --quality high",
    .chooseSmallerSize: "choose a smaller size: backdrop live --size 640x480",
    .chooseSocketName: "choose another name with --socket",
    .chooseSocketFolder: "choose another with --socket",
    .chooseSocketPlace: "choose another place with --socket",
    .endOtherSession: "end it with backdrop ctl quit, or give this one its own --socket",
    .startSession: "start one: backdrop live (with the same --socket)",

    .givePassword:
      "give a password of 8 characters or more, by --password-file or when asked; better, forward the port by ssh",
    .leavePortOut: "leave --port out",
    .choosePort: "choose another one with --port",
    .chooseOrLeavePortOut: "choose another one with --port, or leave it out",
  ]
}

extension Remedy {
  /// What to do, with the command's flags.
  var sentence: String {
    guard let code, let sentence = Remedies.sentences[code] else { return text }
    return values.reduce(sentence) { $0.replacing("{\($1.key)}", with: $1.value) }
  }
}
