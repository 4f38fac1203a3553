/// The examples at the end of help texts and manual pages.
enum Examples {
  /// The examples of each command, without `backdrop`.
  static let all: [String: [String]] = [
    "": [
      "backdrop replace me.jpg --background beach.jpg -o out.jpg",
      "backdrop live",
      "backdrop studio",
    ],
    "replace": [
      "backdrop replace me.jpg --background beach.jpg -o out.jpg",
      "backdrop replace talk.mp4 --background none -o talk.mov",
      "backdrop replace call.mp4 --background blur:20 --start 10 --duration 30 -o part.mp4",
      "backdrop replace talk.mp4 --background scene:dunes --radius 0@0,20@3.5 -o moving.mp4",
      "backdrop replace group.jpg --people main --background beach.jpg -o me.jpg",
      "backdrop replace green.mp4 --matte chroma --background beach.jpg -o keyed.mp4",
      "backdrop replace photos/ --background none --output-dir cut --skip-existing",
      "backdrop replace photos/ --background none --output-dir cut --shard 3/8",
      "backdrop replace sim:talking --background scene:northern -o out.mp4",
    ],
    "matte": [
      "backdrop matte me.jpg -o matte.png",
      "backdrop matte talk.mp4 --quality high -o matte.mp4",
    ],
    "apply": [
      "backdrop apply noir portrait.heic -o noir.jpg",
      "backdrop apply refocus portrait.heic --at 1510,900 -o soft.heic",
      "backdrop apply parallax portrait.heic -o turn.mp4",
      "backdrop apply portrait.heic --contact-sheet looks.png",
      "backdrop apply bokeh photos/*.heic --output-dir soft",
    ],
    "looks": ["backdrop looks"],
    "looks list": ["backdrop looks list --json"],
    "looks show": ["backdrop looks show noir", "backdrop looks show noir --json"],
    "photo": ["backdrop photo inspect portrait.heic"],
    "photo inspect": ["backdrop photo inspect portrait.heic", "backdrop photo inspect portrait.heic --json"],
    "photo extract": [
      "backdrop photo extract portrait.heic --save-depth depth.png",
      "backdrop photo extract portrait.heic --save-portrait-matte m.png --save-picture p.jpg",
    ],
    "photo embed": ["backdrop photo embed plain.jpg --depth d.png --portrait-matte m.png -o deep.jpg"],
    "photo convert": ["backdrop photo convert portrait.heic portrait.jpg"],
    "live": [
      "backdrop live",
      "backdrop live --background beach.jpg --mirror",
      "backdrop live sim: --background scene:dunes -o window",
      "backdrop live v4l2:/dev/video0 -o /dev/video10",
      "backdrop live --background-folder ~/Pictures/rooms --save-config",
    ],
    "ctl": [
      "backdrop ctl background beach.jpg",
      "backdrop ctl standby on",
      "backdrop ctl set cutoff 1.2",
      "backdrop ctl status --json",
    ],
    "studio": ["backdrop studio", "backdrop studio --camera sim:talking --no-open"],
    "serve": [
      "backdrop serve",
      "backdrop serve --new-key shop",
      "backdrop serve --address 0.0.0.0 --keys keys --rate 600",
    ],
    "cameras": ["backdrop cameras", "backdrop cameras --json"],
    "doctor": ["backdrop doctor"],
    "record": [
      "backdrop record openni: -o walk.mkv --seconds 20",
      "backdrop record iphone: -o walk.r3d --seconds 20",
      "backdrop record sim:mug -o walk/",
    ],
    "convert-recording": [
      "backdrop convert-recording walk.r3d walk.mkv",
      "backdrop convert-recording walk.mkv walk/",
    ],
    "depth": ["backdrop depth colorize portrait.heic -o depth.png"],
    "depth colorize": [
      "backdrop depth colorize portrait.heic -o depth.png --legend",
      "backdrop depth colorize walk.mkv -o walk.mp4 --range 0.5…4",
    ],
    "depth at": ["backdrop depth at portrait.heic 1510,900"],
    "depth histogram": ["backdrop depth histogram walk.mkv -o distances.png"],
    "depth stats": ["backdrop depth stats portrait.heic"],
    "pointcloud": [
      "backdrop pointcloud walk.mkv -o room.ply",
      "backdrop pointcloud portrait.heic -o me.glb --mesh --render turn.mp4",
    ],
    "models": ["backdrop models install", "backdrop models"],
    "models list": ["backdrop models list --json"],
    "models install": ["backdrop models install", "backdrop models install rvm"],
    "models remove": ["backdrop models remove rvm"],
    "models info": ["backdrop models info selfie-landscape"],
    "models test": ["backdrop models test me.jpg"],
    "plate": ["backdrop plate call.mp4 -o room.png"],
    "evaluate": ["backdrop evaluate matte.png truth.png", "backdrop evaluate mattes/ truth/"],
    "demo": ["backdrop demo --output demo", "backdrop demo --offline"],
  ]

  /// The examples section of a command's help; empty if there are none.
  static func section(of names: [String]) -> String {
    guard let lines = all[names.dropFirst().joined(separator: " ")] else { return "" }
    return "EXAMPLES:\n" + lines.map { "  " + $0 }.joined(separator: "\n") + "\n"
  }
}
