import Backdrop
import BackdropModels
import Foundation
import TestSupport
import Testing

/// A folder for running the documentation's commands unchanged. It contains files with the names in the commands, and a `backdrop` whose
/// cameras need no device and whose sessions end.
struct RecipeFolder {
  static var isReady: Bool { NetworkRuntime.isInstalled && ModelStore().isComplete }
  let work = Workplace()

  /// All input files, created once with the simulated camera.
  private static let inputs = Result { () throws -> Workplace in
    let work = Workplace()
    let small = "sim:talking?size=320x180"
    try work.succeed("replace \(small)&seconds=0.1 --background scene:dunes -o beach.jpg")
    try work.succeed("replace \(small)&seconds=1 --matte depth --background scene:loft -o silent.mp4")
    // With sound, like recordings of phones and cameras.
    try MediaTool.make(
      "-i \(work.path("silent.mp4")) -f lavfi -i sine=r=48000:d=1 -c:v copy -c:a aac -shortest", work.path("talk.mp4"))
    try FileManager.default.removeItem(atPath: work.path("silent.mp4"))
    try work.succeed("replace \(small)&seconds=1 --matte depth --background #00B140 -o green.mp4")
    try work.succeed("record \(small)&seconds=0.5 -o walk.mkv")
    try work.succeed("record \(small)&seconds=0.2 -o walk.partial.r3d")
    // A photo with the depth and the matte of the simulated camera.
    try work.succeed("record sim:talking?size=640x360&seconds=0.1 -o recording")
    try work.succeed("matte sim:talking?size=640x360&seconds=0.1 -o matte/%05d.png")
    try work.succeed("apply side-by-side recording -o both.png")
    let picture = "recording/rgb/00001.png",
      parts = "--depth recording/depth/00001.png --portrait-matte matte/00001.png"
    try work.succeed("photo embed \(picture) \(parts) --absolute -o iphone.heic")
    try work.succeed("photo embed \(picture) \(parts) --absolute --form dynamic-depth -o android.jpg")
    for folder in ["pictures", "rooms"] { try work.makeFolder(folder) }
    for number in 1...3 {
      try FileManager.default.copyItem(atPath: work.path(picture), toPath: work.path("pictures/\(number).png"))
    }
    try FileManager.default.copyItem(atPath: work.path("android.jpg"), toPath: work.path("me.jpg"))
    try FileManager.default.copyItem(atPath: work.path("beach.jpg"), toPath: work.path("rooms/beach.jpg"))
    for name in ["recording", "matte"] { try FileManager.default.removeItem(atPath: work.path(name)) }
    return work
  }

  /// The files that a script may read, except those that it writes.
  init(for script: String) throws {
    let inputs = try Self.inputs.get()
    for name in try FileManager.default.contentsOfDirectory(atPath: inputs.folder.path)
    where !script.contains("-o " + name) {
      try FileManager.default.copyItem(atPath: inputs.path(name), toPath: work.path(name))
    }
    for (name, script) in ["backdrop": Self.backdrop, "sbatch": Self.sbatch] {
      try work.write(script.utf8, "bin/" + name)
      try #require(chmod(work.path("bin/" + name), 0o700) == 0)
    }
  }

  /// Runs a bash script; starts a live session first if the script controls one.
  func run(_ script: String) throws -> Program.Outcome {
    let session =
      script.contains("backdrop ctl")
      ? try work.start("live --no-config sim:talking?size=320x180 --matte depth --socket s -o null -q") : nil
    if session != nil { try eventually("the session answers") { try work.run("ctl --socket s status").status == 0 } }
    return try withExtendedLifetime(session) {
      try Program(
        "bash", ["-c", "set -euo pipefail; PATH=$PWD/bin:$PATH; \(script)"], folder: work.folder.path,
        environment: ["COMMAND": BuiltCommand.path, "XDG_CONFIG_HOME": work.folder.path, "NO_COLOR": "1"]
      ).wait()
    }
  }

  /// The command, with cameras that need no device and sessions that end.
  private static let backdrop = """
    #!/usr/bin/env bash
    words=() camera= output=
    for word in "$@"; do
      case $1:$word in
        live:openni:*|live:iphone:*|live:realsense:*|live:v4l2:*|live:sim:*) word='sim:talking?size=320x180' camera=yes ;;
        live:/dev/video*) word=null ;;
        live:-o) output=yes ;;
        *:openni:*|*:iphone:*|*:realsense:*) word='sim:mug?size=320x180&seconds=1' ;;
      esac
      words+=("$word")
    done
    if [ "$1" = live ]; then
      words+=(--socket s --seconds 3)
      [ -n "$camera" ] || words+=('sim:talking?size=320x180')
      [ -n "$output" ] || words+=(--output null)
    fi
    if [ "$1" = ctl ]; then words+=(--socket s); fi
    exec "$COMMAND" "${words[@]}"

    """

  /// Slurm's handling of an array job (`man sbatch`, "JOB ARRAY SUPPORT"), here with all tasks at once.
  private static let sbatch = """
    #!/usr/bin/env bash
    set -euo pipefail
    for word in "$@"; do
      case $word in
        --array=1-*) count=${word#--array=1-} ;;
        --cpus-per-task=*) export SLURM_CPUS_PER_TASK=${word#*=} ;;
      esac
    done
    export SLURM_ARRAY_TASK_COUNT=$count
    tasks=()
    for ((number = 1; number <= count; number++)); do
      SLURM_ARRAY_TASK_ID=$number sh -c "${@: -1}" &
      tasks+=($!)
    done
    for task in "${tasks[@]}"; do wait "$task"; done

    """
}
