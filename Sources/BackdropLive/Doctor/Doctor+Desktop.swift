import BackdropCameras
import BackdropImaging
import Libc

extension Doctor {
  static func pipeWire() -> Finding {
    do throws(BackdropError) {
      let status = try PipeWireStatus.read()
      guard let manager = status.sessionManager else {
        return Finding(
          "pipewire", "PipeWire", .bad,
          "version \(status.version) runs, but no session manager connects programs to it",
          hint: "start one: systemctl --user start wireplumber (sudo apt install wireplumber)")
      }
      return Finding("pipewire", "PipeWire", .good, "version \(status.version), with \(manager.prefix { $0 != " " })")
    } catch {
      return Finding("pipewire", "PipeWire", .bad, error.message, hint: error.hint)
    }
  }

  static func loopback(_ status: LoopbackStatus) -> Finding {
    func finding(_ state: Finding.State, _ text: String, hint: Hint) -> Finding {
      Finding("loopback", "v4l2loopback", state, text, hint: hint)
    }
    let line = V4L2Output.loadingLine("")
    guard status.isLoaded else {
      return status.isInstalled
        ? finding(.advice, "installed, but not loaded", hint: "load it: \(line)")
        : finding(
          .advice, "not installed; programs that do not use PipeWire cameras need it",
          hint: "sudo apt install v4l2loopback-dkms, then: \(line)")
    }
    let version = status.version.map { "version \($0)" } ?? "loaded"
    let devices = status.devices.map { "\($0.path) '\($0.card)'" }.joined(separator: ", ")
    guard !status.devices.isEmpty else {
      return finding(
        .advice, "\(version), but your account may use none of its devices",
        hint: "sudo usermod -aG video $USER, then log in again")
    }
    let odd = status.devices.filter { !$0.isExclusive }.map(\.path).joined(separator: ", ")
    guard odd.isEmpty else {
      return finding(
        .advice, "\(version): \(devices); \(odd) lacks exclusive_caps=1, so Chromium does not list it",
        hint: "sudo modprobe -r v4l2loopback && \(line)")
    }
    return finding(.good, "\(version): \(devices)", hint: .writeToDevice(path: status.devices[0].path))
  }

  /// Checks the desktop portal, through which browsers reach PipeWire's cameras, and its permissions.
  static func portal(hasLoopback: Bool) -> [Finding] {
    var findings = [portalItself()]
    let browsers = ["chromium", "google-chrome", "google-chrome-stable", "brave-browser", "microsoft-edge"]
      .filter { ChildProcess.find($0) != nil }
    guard let first = browsers.first else { return findings }
    findings.append(
      hasLoopback
        ? Finding("chromium", "Chromium", .good, "\(first) lists the v4l2loopback device")
        : Finding(
          "chromium", "Chromium", .advice,
          "\(browsers.joined(separator: ", ")) shows PipeWire cameras only with a flag set",
          hint: Hint(
            "open chrome://flags/#enable-webrtc-pipewire-camera (or start it with "
              + "--enable-features=WebRtcPipeWireCamera), or use v4l2loopback")))
    return findings
  }

  private static func portalItself() -> Finding {
    func finding(_ state: Finding.State, _ text: String, hint: Hint) -> Finding {
      Finding("portal", "camera portal", state, text, hint: hint)
    }
    let bus = ProcessEnvironment["XDG_RUNTIME_DIR"].map { FileKind($0 + "/bus") != .absent } ?? false
    guard ProcessEnvironment["DBUS_SESSION_BUS_ADDRESS"] != nil || bus else {
      return finding(
        .advice, "no session bus runs here, so browsers cannot reach a PipeWire camera",
        hint: "run this in a desktop session")
    }
    guard let gdbus = ChildProcess.find("gdbus") else {
      return finding(.advice, "not checked: gdbus is not installed", hint: "sudo apt install libglib2.0-bin")
    }
    let version = call(
      gdbus, "org.freedesktop.portal.Desktop", "/org/freedesktop/portal/desktop",
      ["org.freedesktop.DBus.Properties.Get", "org.freedesktop.portal.Camera", "version"])
    guard let version, version.contains("uint32") else {
      return finding(
        .advice, "the desktop portal has no camera support, so browsers cannot reach a PipeWire camera",
        hint: "sudo apt install xdg-desktop-portal, and xdg-desktop-portal-gnome, -kde or -gtk to match the desktop")
    }
    return permission(
      call(
        gdbus, "org.freedesktop.impl.portal.PermissionStore", "/org/freedesktop/impl/portal/PermissionStore",
        ["org.freedesktop.impl.portal.PermissionStore.Lookup", "devices", "camera"]))
  }

  /// The answer of a service of the desktop, as `gdbus` prints it; `nil` if it fails or takes too long.
  private static func call(_ gdbus: String, _ service: String, _ object: String, _ method: [String]) -> String? {
    let arguments = ["call", "--session", "--timeout", "5", "--dest", service, "--object-path", object, "--method"]
    guard let process = try? ChildProcess(gdbus, arguments + method, output: .pipe) else { return nil }
    let end = ContinuousClock.now + .seconds(8)
    while process.status == nil && ContinuousClock.now < end { usleep(20_000) }
    guard let status = process.status else {
      process.terminate()
      process.runOn()
      return nil
    }
    return status == 0 ? String(decoding: process.readOutput(), as: UTF8.self) : nil
  }

  /// Reads the permission table as `gdbus` prints it: `({'': ['yes'], 'org.app': ['no']}, <byte 0x00>)`.
  static func permission(_ table: String?) -> Finding {
    let (id, title) = ("portal", "camera portal")
    guard let table else { return Finding(id, title, .good, "available; programs ask for permission on first use") }
    let parts = table.split(separator: "'", omittingEmptySubsequences: false).map(String.init)
    var refused: [String] = []
    // Names and answers alternate between quotation marks.
    for index in stride(from: 1, to: parts.count - 2, by: 4) where parts[index + 2] == "no" {
      refused.append(parts[index].isEmpty ? "programs that are not in a sandbox" : parts[index])
    }
    guard refused.isEmpty else {
      return Finding(
        id, title, .advice, "you refused the camera to \(refused.joined(separator: ", "))",
        hint: Hint(
          "allow them in the desktop's privacy settings, or reset all answers: gdbus call --session --dest "
            + "org.freedesktop.impl.portal.PermissionStore --object-path /org/freedesktop/impl/portal/PermissionStore "
            + "--method org.freedesktop.impl.portal.PermissionStore.Delete devices camera"))
    }
    return Finding(id, title, .good, "available, and allowed for every program that asked")
  }
}
