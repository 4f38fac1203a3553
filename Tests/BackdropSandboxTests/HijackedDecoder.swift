import BackdropSandbox
import Foundation
import TestSupport

/// Libraries that simulate a decoder under the control of a malicious file: they replace libjpeg-turbo's decoding function.
///
/// The attack writes its result to the first bytes of the picture, as a real attack would, to get data out of the sandbox.
enum HijackedDecoder {
  /// The attacks, in C. `out` is the picture, of at least 64 bytes; its first byte becomes 255 if the attack succeeds.
  enum Deed: String, CaseIterable {
    case readFile = #"int f = open("/etc/passwd", O_RDONLY); out[0] = f >= 0 ? 255 : errno;"#
    case listFolder = #"DIR *d = opendir("/"); out[0] = d ? 255 : errno;"#
    case writeFile = #"int f = open(TARGET, O_CREAT | O_WRONLY, 0600); out[0] = f >= 0 ? 255 : errno;"#
    case makeFolder = #"out[0] = mkdir(TARGET, 0700) == 0 ? 255 : errno;"#
    case removeFile = #"out[0] = unlink(TARGET) == 0 ? 255 : errno;"#
    case readMemory = #"int f = open("/proc/self/mem", O_RDWR); out[0] = f >= 0 ? 255 : errno;"#
    case runnableMemory =
      #"void *m = mmap(0, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); out[0] = m != MAP_FAILED ? 255 : errno;"#
    case sharedMemory =
      #"void *m = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0); out[0] = m != MAP_FAILED ? 255 : errno;"#
    // Memory that would count as a stack, or as no data.
    case growingMemory =
      #"void *m = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_GROWSDOWN, -1, 0); out[0] = m != MAP_FAILED ? 255 : errno;"#
    case readOnlyMemory =
      #"void *m = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); out[0] = mprotect(m, 4096, PROT_READ) == 0 ? 255 : errno;"#
    case newMemoryFile = #"out[0] = memfd_create("x", 0) >= 0 ? 255 : errno;"#
    case raiseLimits =
      #"struct rlimit l = {RLIM_INFINITY, RLIM_INFINITY}; out[0] = setrlimit(RLIMIT_DATA, &l) == 0 ? 255 : errno;"#
    case ring = #"out[0] = syscall(425, 8, (void *)0) >= 0 ? 255 : errno;"#
    // Looks for other open files, and for environment variables that may be secret.
    case inheritedFiles =
      #"out[0] = 1; for (int f = 1; f < 2000; f++) if (lseek(f, 0, SEEK_CUR) >= 0 || errno != EBADF) out[0] = 255;"#
    case variables = #"out[0] = getenv("HOME") || getenv("PATH") ? 255 : 1;"#
    case connect = #"int s = socket(AF_INET, SOCK_STREAM, 0); (void)s;"#
    case connectLocally = #"int s = socket(AF_UNIX, SOCK_STREAM, 0); (void)s;"#
    case runProgram = #"char *a[] = {"/bin/sh", "-c", "echo > " TARGET, 0}; execve(a[0], a, 0);"#
    case forkForEver = #"for (;;) if (fork() < 0) { out[0] = 255; break; }"#
    case endParent = #"kill(getppid(), SIGKILL);"#
    case readParent =
      #"char b[8]; struct iovec v = {b, 8}; process_vm_readv(getppid(), &v, 1, &v, 1, 0);"#
    case debugParent = #"ptrace(PTRACE_ATTACH, getppid(), 0, 0);"#
    case otherCalls = #"__asm__ volatile("int $0x80" : : "a"(5), "b"("/etc/passwd"), "c"(0) : "memory");"#
    case crash = #"*(volatile int *)8 = 1;"#
    case abort = #"abort();"#
    case hang = #"for (;;) {}"#
    case endQuietly = #"_exit(0);"#
    case eatMemory =
      #"int n = 0; void *m; while (n < 200 && (m = malloc(64 << 20))) { memset(m, 1, 64 << 20); n++; } out[0] = n;"#
    /// Pages far apart, each with page tables of its own, beside as much memory as there is.
    case scatterPages =
      #"for (int n = 0; n < 60000; n++) { volatile char *m = mmap(0, (1 << 30) + 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); if (m == MAP_FAILED) break; (void)*m; munmap((void *)(m + 4096), 1 << 30); } void *m; while ((m = malloc(64 << 20))) memset(m, 1, 64 << 20); for (;;) {}"#
    case startThreads =
      #"pthread_t t; int n = 0; while (n < 250 && pthread_create(&t, 0, stay, 0) == 0) n++; out[0] = n;"#
    // Messages that the reader of the answers does not expect.
    case closeConnection = #"close(0); for (;;) {}"#
    case shortMessage =
      #"struct iovec v = {"x", 1}; struct msghdr m = {.msg_iov = &v, .msg_iovlen = 1}; sendmsg(0, &m, 0);"#
    case hugeAnswer = #"say(9, 1ull << 62, 1ull << 62);"#
    case endlessPixels = #"say(9, 1, ~0ull);"#
    case hugeNeed = #"say(8, 1ull << 60, 0);"#
    case unknownMessage = #"say(77, 0, 0);"#
    case emptyAnswer = #"say(9, 0, 0);"#
  }

  /// Compiles a library with an attack in `folder`; returns its path.
  static func library(_ deed: Deed, in folder: TemporaryFolder) throws -> String {
    try library(
      """
      #define TARGET "\(folder.file("stolen"))"
      static void say(uint32_t kind, uint64_t a, uint64_t b) {
        struct { uint32_t kind, slot; uint64_t values[4]; } text = {kind, 0, {a, b, 0, 0}};
        struct iovec v = {&text, sizeof text};
        struct msghdr m = {.msg_iov = &v, .msg_iovlen = 1};
        sendmsg(0, &m, 0);
      }
      static void *stay(void *none) { for (;;) sleep(60); }
      int tjDecompress2(void *handle, const unsigned char *from, unsigned long count, unsigned char *out, int width,
                        int pitch, int height, int format, int flags) {
        (void)say, (void)stay;
        \(deed.rawValue)
        return 0;
      }
      """, in: folder)
  }

  /// Compiles a library with C functions in `folder`; returns its path.
  static func library(_ functions: String, in folder: TemporaryFolder) throws -> String {
    let (source, path) = (folder.file("hijack.c"), folder.file("hijack.so"))
    let headers = [
      "dirent.h", "dlfcn.h", "errno.h", "fcntl.h", "pthread.h", "signal.h", "stdarg.h", "stdint.h", "stdlib.h",
      "string.h", "sys/mman.h", "sys/ptrace.h", "sys/resource.h", "sys/socket.h", "sys/stat.h", "sys/syscall.h",
      "sys/uio.h", "unistd.h",
    ]
    let text = "#define _GNU_SOURCE\n" + headers.map { "#include <\($0)>\n" }.joined() + functions
    try text.write(toFile: source, atomically: true, encoding: .utf8)
    let outcome = try Program("cc", ["-shared", "-fPIC", "-O1", "-w", source, "-o", path, "-ldl"]).wait()
    guard outcome.status == 0 else { throw CompilerFailure(text: outcome.errors) }
    return path
  }

  struct CompilerFailure: Error { var text: String }
}
