import BackdropCodecs
import BackdropImaging
import BackdropSandbox
import Foundation
import TestSupport
import Testing

/// A decoder under the control of a malicious file reaches nothing outside its sandbox, and causes only one error.
@Suite struct SandboxRestrictionTests {
  private typealias Deed = HijackedDecoder.Deed
  private let folder = TemporaryFolder()
  private let jpeg: [UInt8]
  private let png: [UInt8]

  init() throws {
    var random = SeededRandom(seed: 3)
    let image = Image.noise(.rgb8, 40, 30, &random)
    jpeg = try JPEG.encode(image)
    png = try PNG.encode(image)
  }

  /// The first byte of the decoded picture, or the error.
  private func outcome(_ deed: Deed, seconds: Double = 60) throws -> (byte: UInt8?, error: BackdropError?) {
    let library = try HijackedDecoder.library(deed, in: folder)
    let sandbox = try DecoderSandbox(SandboxFixture.options(["LD_PRELOAD": library], seconds: seconds))
    var result: (byte: UInt8?, error: BackdropError?) = (nil, nil)
    do throws(BackdropError) {
      let image = try sandbox.run { () throws(BackdropError) in try JPEG.decode(jpeg, as: .rgb8) }
      result.byte = image.row(0)[0]
    } catch {
      result.error = error
    }
    // Other files still decode, if necessary in another process.
    let other = try sandbox.run { () throws(BackdropError) in try PNG.decode(png) }
    #expect(try PictureFacts(other) == PictureFacts(PNG.decode(png)))
    #expect(!FileManager.default.fileExists(atPath: folder.file("stolen")))
    return result
  }

  @Test(arguments: [
    Deed.readFile, .listFolder, .writeFile, .makeFolder, .removeFile, .readMemory, .runnableMemory, .sharedMemory,
    .growingMemory, .readOnlyMemory, .newMemoryFile, .raiseLimits, .ring,
  ]) private func isRefused(_ deed: Deed) throws {
    let outcome = try outcome(deed)
    #expect(outcome.error == nil && outcome.byte == UInt8(EPERM), "\(outcome)")
  }

  @Test(arguments: [Deed.inheritedFiles, .variables]) private func findsNothing(_ deed: Deed) throws {
    let outcome = try outcome(deed)
    #expect(outcome.error == nil && outcome.byte == 1, "\(outcome)")
  }

  @Test(arguments: [
    Deed.connect, .connectLocally, .runProgram, .forkForEver, .endParent, .readParent, .debugParent,
  ]) private func isStopped(_ deed: Deed) throws {
    #expect(
      try outcome(deed).error?.message == "the decoder tried something that its sandbox forbids, and was stopped")
  }

  #if arch(x86_64)
    @Test private func otherWayIntoTheKernelIsStopped() throws {
      // A kernel without 32-bit system calls ends the process with another signal.
      let message = try outcome(.otherCalls).error?.message ?? ""
      #expect(message.contains("its sandbox forbids") || message.contains("crashed"), "\(message)")
    }
  #endif

  @Test(arguments: [(Deed.crash, "signal 11"), (.abort, "signal 6"), (.endQuietly, "status 0")])
  private func crashIsOneError(_ deed: Deed, _ how: String) throws {
    let message = try outcome(deed).error?.message
    #expect(message == "the decoder crashed on this file (\(how))")
  }

  @Test private func hangEnds() throws {
    let error = try outcome(.hang, seconds: 1).error
    #expect(
      error?.kind == .overLimit && error?.message.hasPrefix("decoding took more than 1 s") == true, "\(error as Any)")
  }

  @Test private func memoryEnds() throws {
    // The number of blocks of 64 MiB that fit into the 1 GiB of these tests.
    let outcome = try outcome(.eatMemory)
    #expect(outcome.byte.map { (4...16).contains($0) } ?? false, "\(outcome)")
  }

  @Test private func pageTablesEnd() throws {
    let error = try outcome(.scatterPages).error
    #expect(error?.kind == .overLimit && error?.message.contains("MB of memory") == true, "\(error as Any)")
  }

  @Test private func threadsEnd() throws {
    // The first thread is there already.
    let limit = 32 + 2 * ProcessInfo.processInfo.activeProcessorCount
    let outcome = try outcome(.startThreads)
    #expect(outcome.byte.map { (4...min(250, limit - 1)).contains(Int($0)) } ?? false, "\(outcome)")
  }

  @Test(arguments: [
    Deed.closeConnection, .shortMessage, .hugeAnswer, .endlessPixels, .hugeNeed, .unknownMessage, .emptyAnswer,
  ]) private func liesAreOneError(_ deed: Deed) throws {
    let error = try outcome(deed, seconds: 5).error
    #expect(error?.kind == .badData || error?.kind == .overLimit, "\(error as Any)")
  }

  /// Copies of a process have the same restrictions, and the end of one does not affect the others.
  @Test(arguments: [Deed.readFile, .connect, .crash, .forkForEver, .inheritedFiles])
  private func copiesHaveWalls(_ deed: Deed) throws {
    let library = try HijackedDecoder.library(deed, in: folder)
    let reserve = try DecoderReserve(SandboxFixture.options(["LD_PRELOAD": library]))
    for _ in 0..<3 {
      let sandbox = reserve.sandbox()
      do throws(BackdropError) {
        let image = try sandbox.run { () throws(BackdropError) in try JPEG.decode(jpeg, as: .rgb8) }
        #expect(image.row(0)[0] == (deed == .inheritedFiles ? 1 : UInt8(EPERM)), "\(deed)")
      } catch {
        #expect(
          deed == .crash
            ? error.message.contains("signal 11") : error.message.contains("its sandbox forbids"), "\(deed): \(error)")
      }
    }
  }

  /// On a kernel without Landlock, the other restrictions are enough.
  @Test private func wallsHoldWithoutLandlock() throws {
    let folder = TemporaryFolder()
    let none = try HijackedDecoder.library(
      """
      long syscall(long number, ...) {
        long (*real)(long, ...) = dlsym(RTLD_NEXT, "syscall");
        va_list rest;
        va_start(rest, number);
        long a = va_arg(rest, long), b = va_arg(rest, long), c = va_arg(rest, long);
        va_end(rest);
        if (number == 444) { errno = ENOSYS; return -1; }
        return real(number, a, b, c);
      }
      """, in: folder)
    for deed in [Deed.readFile, .writeFile, .listFolder] {
      let library = try HijackedDecoder.library(deed, in: self.folder)
      let sandbox = try DecoderSandbox(SandboxFixture.options(["LD_PRELOAD": library + ":" + none]))
      let image = try sandbox.run { () throws(BackdropError) in try JPEG.decode(jpeg, as: .rgb8) }
      #expect(image.row(0)[0] == UInt8(EPERM), "\(deed)")
    }
  }

  /// If a restriction cannot be applied, no decoder starts.
  @Test(arguments: [(22, "seccomp"), (38, "no new privileges")])
  private func nothingIsDecodedWithoutWalls(_ option: Int, _ wall: String) throws {
    let library = try HijackedDecoder.library(
      """
      int prctl(int option, ...) {
        if (option == \(option)) { errno = EINVAL; return -1; }
        return 0;
      }
      long syscall(long number, ...) {
        errno = number == SYS_seccomp ? EINVAL : ENOSYS;
        return -1;
      }
      """, in: folder)
    let error = try #require(refusal { try DecoderSandbox(SandboxFixture.options(["LD_PRELOAD": library])) })
    #expect(
      error.message == "Backdrop cannot put its decoders into a sandbox here: \(wall) failed (Invalid argument)")
    #expect(error.hint?.code == "leaveSandboxOut")
  }

  /// A program that does not apply the restrictions is refused.
  @Test func programWithoutWallsIsRefused() {
    var options = SandboxFixture.options()
    options.command = ["/bin/true"]
    #expect(throws: BackdropError.self) { try DecoderSandbox(options) }
    do throws(BackdropError) { _ = try DecoderSandbox(options) } catch {
      #expect(error.hint?.code == "leaveSandboxOut", "\(error)")
    }
  }
}
