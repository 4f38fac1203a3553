import BackdropImaging
import Foundation
import TestSupport
import Testing

@testable import BackdropCameras

@Suite struct DeviceWatchTests {
  let folder = TemporaryFolder()

  @Test func tellsOfVideoDevicesOnly() throws {
    let watch = try DeviceWatch.open(folder.path)
    #expect(!watch.hasChanged())
    try folder.write([], "audio0")
    #expect(!watch.hasChanged())
    try folder.write([], "video3")
    #expect(watch.wait(within: .infinity) && !watch.hasChanged())
    try FileManager.default.removeItem(atPath: folder.file("video3"))
    #expect(watch.wait(within: .infinity))
  }

  @Test func tellsOfUse() throws {
    let path = try folder.write([1], "video0")
    let watch = try DeviceWatch.ofUse(path)
    #expect(!watch.hasChanged())
    let file = try #require(fopen(path, "r"))
    #expect(watch.hasChanged())
    fclose(file)
    #expect(watch.hasChanged() && !watch.hasChanged())
  }

  @Test func nodesInOrder() throws {
    for name in ["video10", "video2", "video0", "videoX", "vbi0", "video-1"] {
      try folder.write([], name)
    }
    #expect(
      V4L2Cameras.paths(folder.path).map { ($0 as NSString).lastPathComponent } == ["video0", "video2", "video10"])
    // Files that are not devices are not cameras.
    let (cameras, loopbacks) = V4L2Cameras.list(folder.path)
    #expect(cameras.isEmpty && loopbacks.isEmpty)
  }

  @Test func holders() throws {
    let path = try folder.write([1], "video0")
    #expect(DeviceHolders.of(path).isEmpty)
    // The shell's name does not change while it waits for its child.
    let shell = try Program("/bin/sh", ["-c", "exec 3<'\(path)'; echo ready; read line"], keepsInputOpen: true)
    #expect(shell.waitForOutput() == Data("ready\n".utf8))
    let found = DeviceHolders.of(path)
    #expect(found.map(\.process) == [shell.identifier])
    #expect(found.first?.name == "sh" || found.first?.name == "dash")
    // The list leaves out this program itself.
    let own = try #require(fopen(path, "r"))
    #expect(DeviceHolders.of(path).count == 1 && DeviceHolders.openingsOfThisProgram(path) == 1)
    fclose(own)
    shell.closeInput()
    shell.wait()
    #expect(DeviceHolders.of(path).isEmpty)
  }
}
