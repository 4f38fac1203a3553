"""A desktop session without a screen: PipeWire, its session manager and the camera portal, for the tests of the virtual camera.

Run it under dbus-run-session. It does not touch the machine's own session.
"""

import os
import pathlib
import shutil
import signal
import subprocess
import tempfile

from common import wait_for


class Desktop:
    """PipeWire, WirePlumber and xdg-desktop-portal in their own folder."""

    def __init__(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="backdrop-live-"))
        os.chmod(self.folder, 0o700)
        self.env = dict(os.environ)
        self.env.pop("DISPLAY", None)
        self.env.pop("WAYLAND_DISPLAY", None)
        self.env.update(
            XDG_RUNTIME_DIR=str(self.folder),
            PIPEWIRE_RUNTIME_DIR=str(self.folder),
            XDG_CONFIG_HOME=str(self.folder / "config"),
            XDG_STATE_HOME=str(self.folder / "state"),
            XDG_CURRENT_DESKTOP="backdroptest",
            XDG_DESKTOP_PORTAL_DIR=str(self.folder / "portals"),
        )
        self.processes = []
        self.pipewire = None

    def start(self):
        """Starts all services, and allows the camera for every program."""
        portals = self.folder / "portals"
        portals.mkdir()
        (portals / "backdroptest.portal").write_text(
            "[portal]\nDBusName=org.freedesktop.impl.portal.desktop.backdroptest\n"
            "Interfaces=org.freedesktop.impl.portal.Access;\nUseIn=backdroptest\n"
        )
        self.start_pipewire()
        subprocess.run(
            [
                "gdbus", "call", "--session", "--dest", "org.freedesktop.impl.portal.PermissionStore",
                "--object-path", "/org/freedesktop/impl/portal/PermissionStore",
                "--method", "org.freedesktop.impl.portal.PermissionStore.SetPermission",
                "devices", "true", "camera", "", "['yes']",
            ],
            env=self.env, check=True, stdout=subprocess.DEVNULL,
        )
        self.run("/usr/libexec/xdg-desktop-portal")

    def start_pipewire(self):
        """Starts PipeWire and its session manager."""
        self.pipewire = [self.run("pipewire")]
        wait_for("PipeWire's socket", (self.folder / "pipewire-0").exists)
        self.pipewire.append(self.run("wireplumber"))

    def stop_pipewire(self):
        """Ends PipeWire and its session manager, like an update or a crash."""
        for process in self.pipewire:
            process.terminate()
        for process in self.pipewire:
            process.wait(timeout=20)

    def run(self, *command, **options):
        """Starts a program that ends with the desktop."""
        log = open(self.folder / (pathlib.Path(command[0]).name + ".log"), "ab")
        process = subprocess.Popen(
            command, env=self.env, stdin=subprocess.DEVNULL, stdout=options.pop("stdout", log), stderr=log, **options
        )
        self.processes.append(process)
        return process

    def stop(self):
        """Ends all programs, the last one first."""
        for process in reversed(self.processes):
            if process.poll() is None:
                process.send_signal(signal.SIGTERM)
        for process in reversed(self.processes):
            try:
                process.wait(timeout=10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)
