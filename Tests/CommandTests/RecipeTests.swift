import Backdrop
import BackdropModels
import Foundation
import TestSupport
import Testing

/// The recipes of `docs/recipes.md`, run as they stand, on files of the names that they use.
@Suite struct RecipeTests {
  struct Recipe: Sendable, CustomTestStringConvertible {
    var title: String
    var script: String
    var testDescription: String { title }
  }

  /// The shell blocks, each under its heading.
  static let recipes: [Recipe] = {
    let text = (try? String(contentsOfFile: GeneratedDocumentation.page("docs/recipes.md"), encoding: .utf8)) ?? ""
    return text.components(separatedBy: "\n## ").dropFirst().compactMap { section in
      let parts = section.components(separatedBy: "```sh\n")
      guard parts.count == 2, let script = parts[1].components(separatedBy: "```").first else { return nil }
      return Recipe(title: String(section.prefix { $0 != "\n" }), script: script)
    }
  }()

  static var isReady: Bool { NetworkRuntime.isInstalled && ModelStore().isComplete }
  let work = Workplace()

  @Test func thereAreRecipes() {
    #expect(Self.recipes.count >= 8, "\(Self.recipes.map(\.title))")
  }

  /// What has no file yet is drawn by the simulated camera, which also stands in for cameras. A live session ends by itself.
  @Test(.enabled(if: isReady, "needs the network runtime"), arguments: recipes)
  func runs(_ recipe: Recipe) throws {
    try prepare(for: recipe.script)
    try work.makeFolder("bin")
    for (name, script) in ["backdrop": Self.backdrop, "sbatch": Self.sbatch] {
      try work.write(script.utf8, "bin/" + name)
      try #require(chmod(work.path("bin/" + name), 0o700) == 0)
    }
    let session =
      recipe.script.contains("backdrop ctl")
      ? try BuiltCommand.start(
        Workplace.words("live --no-config sim:talking?size=320x180 --matte depth --socket s -o null -q"),
        folder: work.folder.path) : nil
    if session != nil {
      let start = ContinuousClock.now
      while try work.run("ctl --socket s status").status != 0 {
        try #require(ContinuousClock.now - start < .seconds(60))
        usleep(50_000)
      }
    }
    let outcome = try Program(
      "bash", ["-c", "set -euo pipefail; PATH=$PWD/bin:$PATH; \(recipe.script)"], folder: work.folder.path,
      environment: ["COMMAND": BuiltCommand.path, "XDG_CONFIG_HOME": work.folder.path, "NO_COLOR": "1"]
    ).wait(seconds: 300)
    #expect(outcome.status == 0, "\(recipe.title): \(outcome.errors)")
    // Each output that is named is there.
    for name in recipe.script.matches(of: /-o (\S+)/).map({ String($0.1) }) {
      #expect(FileManager.default.fileExists(atPath: work.path(name)), "\(recipe.title): \(name)")
    }
    for name in recipe.script.matches(of: /pictures\/.*? --output-dir (\S+)/).map({ String($0.1) }) {
      let results = try FileManager.default.contentsOfDirectory(atPath: work.path(name)).sorted()
      #expect(results == ["1.png", "2.png", "3.png"], "\(recipe.title): \(results)")
    }
  }

  /// The command, with cameras that need no device and sessions that end.
  private static let backdrop = """
    #!/usr/bin/env bash
    words=()
    for word in "$@"; do words+=("${word/#openni:/"sim:mug?size=320x180&seconds=1"}"); done
    if [ "$1" = live ]; then words+=(sim:talking?size=320x180 --socket s --output null --seconds 3); fi
    if [ "$1" = ctl ]; then words+=(--socket s); fi
    exec "$COMMAND" "${words[@]}"

    """

  /// What Slurm does with an array job (`man sbatch`, "JOB ARRAY SUPPORT"), here all tasks at once.
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

  private func prepare(for script: String) throws {
    func make(_ name: String, _ line: String) throws {
      if script.contains(name) && !script.contains("-o " + name) { try work.succeed(line) }
    }
    try make("beach.jpg", "replace sim:talking?size=320x180&seconds=0.1 --background scene:dunes -o beach.jpg")
    try make("talk.mp4", "replace sim:talking?size=320x180&seconds=1 --matte depth --background scene:loft -o talk.mp4")
    try make(
      "green.mp4", "replace sim:talking?size=320x180&seconds=1 --matte depth --background #00B140 -o green.mp4")
    guard ["iphone", "android", "pictures/"].contains(where: { script.contains($0) }) else { return }
    // A photo with the depth and the matte of the simulated camera.
    try work.succeed("record sim:talking?size=640x360&seconds=0.1 -o recording")
    try work.succeed("matte sim:talking?size=640x360&seconds=0.1 -o matte/%05d.png")
    let picture = "recording/rgb/00001.png",
      parts = "--depth recording/depth/00001.png --portrait-matte matte/00001.png"
    try work.succeed("photo embed \(picture) \(parts) --absolute -o iphone.heic")
    try work.succeed("photo embed \(picture) \(parts) --absolute --form dynamic-depth -o android.jpg")
    try work.makeFolder("pictures")
    for number in 1...3 {
      try FileManager.default.copyItem(atPath: work.path(picture), toPath: work.path("pictures/\(number).png"))
    }
    try work.succeed("photo extract iphone.heic --save-portrait-matte check.png")
    for name in ["check.png", "recording", "matte"] { try FileManager.default.removeItem(atPath: work.path(name)) }
  }
}
