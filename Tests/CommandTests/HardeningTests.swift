import TestSupport
import Testing

/// The build options of the program make errors in C hard to exploit.
@Suite(.enabled(if: OutsideTool.isPresent("readelf"), "needs readelf")) struct HardeningTests {
  private func readelf(_ option: String) throws -> String {
    try OutsideTool.text("readelf", [option, BuiltCommand.path])
  }

  /// The system loads the program at a different address each time.
  @Test func isPositionIndependent() throws {
    #expect(try readelf("-hW").contains(/Type:\s+DYN \(Position-Independent Executable/))
    #expect(!(try readelf("-dW").contains("TEXTREL")))
  }

  /// The loader fills the function tables at the start; afterwards they are read-only.
  @Test func bindsAtTheStart() throws {
    let dynamic = try readelf("-dW")
    #expect(dynamic.contains(/\(FLAGS\).*BIND_NOW|\(BIND_NOW\)/) && dynamic.contains(/\(FLAGS_1\).*NOW/), "\(dynamic)")
    let (segments, sections) = (try readelf("-lW"), try readelf("-SW"))
    withKnownIssue("Debian's linker puts Swift's writable .rodata first, and then drops the segment") {
      #expect(segments.contains("GNU_RELRO"))
    } when: {
      sections.contains(#/(?s)\.rodata .*\.data\.rel\.ro/#)
    }
  }

  /// Writable memory is never executable.
  @Test func stackAndDataAreNotExecutable() throws {
    let segments = try readelf("-lW")
    #expect(segments.contains(#/GNU_STACK.* RW /#), "\(segments)")
    #expect(!segments.contains(#/(LOAD|GNU_STACK).*RWE/#), "\(segments)")
  }

  /// The loader searches libraries only in absolute folders and next to the program.
  @Test func searchesAbsoluteFoldersOnly() throws {
    for match in try readelf("-dW").matches(of: /\((?:RUNPATH|RPATH)\).*\[(.*)\]/) {
      for folder in match.1.split(separator: ":", omittingEmptySubsequences: false) {
        #expect(folder.hasPrefix("/") || folder.hasPrefix("$ORIGIN"), "\(folder)")
      }
    }
  }

  /// FFmpeg loads a hundred and forty libraries, which take most of the start-up time, so the program opens them only to read a video.
  @Test func videoIsNoPartOfTheStart() throws {
    let dynamic = try readelf("-dW")
    #expect(
      dynamic.contains("(NEEDED)") && !dynamic.contains(/NEEDED.*\[lib(av(format|codec|util|filter)|swscale)/),
      "\(dynamic)")
  }

  #if arch(x86_64)
    /// C code has stack guards: a function with arrays on the stack reads the guard at its beginning and at its end.
    @Test(.enabled(if: OutsideTool.isPresent("objdump"), "needs objdump")) func stackIsGuarded() throws {
      let code = try OutsideTool.text("objdump", ["-d", "--disassemble=lens_blur", BuiltCommand.path])
      #expect(code.contains("<lens_blur>:"), "there is no such function any more: name another with an array")
      #expect(code.split(separator: "\n").count { $0.contains("%fs:0x28") } >= 2)
    }
  #endif

  /// The program calls the C library's functions with length checks.
  @Test func lengthsAreChecked() throws {
    #expect(try readelf("-sW").contains(#/__mem(cpy|set|move)_chk@/#))
  }
}
