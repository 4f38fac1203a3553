"""A session that runs for long: python3 soak.py BINARY [HOURS]

Runs `live` with the simulated camera for HOURS (1), in rounds: commands as users send them, then a rest with the initial settings. After
the first half hour (half of a shorter run) the median memory, descriptors and threads of each rest must stay within 2 % of the first
one's. The warm-up lets the allocator's memory grow to its steady size. Prints a line for each attack: its name, its bound, the
measurement. Exits with 1 if a bound is broken.
"""

import os
import signal
import subprocess
import sys
import tempfile
import time

from bounds import TROUBLE, tell

SIZE, RATE = "320x180", "10"


def look(pid):
    # Only the process's own memory: the share of library pages depends on the other programs that use them.
    with open(f"/proc/{pid}/smaps_rollup", encoding="ascii") as file:
        kilobytes = sum(int(line.split()[1]) for line in file if line.startswith(("Pss_Anon:", "Pss_Shmem:")))
    return kilobytes, len(os.listdir(f"/proc/{pid}/fd")), len(os.listdir(f"/proc/{pid}/task"))


def middle(values):
    return sorted(values)[len(values) // 2]


def main():
    binary = os.path.abspath(sys.argv[1])
    seconds = 3600 * (float(sys.argv[2]) if len(sys.argv) > 2 else 1)
    warm = min(1800, seconds / 2)
    lasts = max(20, min(300, seconds / 24))
    with tempfile.TemporaryDirectory(prefix="backdrop-attack-") as folder:
        path = os.path.join(folder, "ctl.sock")
        log = open(os.path.join(folder, "log"), "wb")
        session = subprocess.Popen(
            [binary, "live", "sim:talking?seconds=60&size=" + SIZE, "-o", "null", "--socket", path, "--always-on",
             "--size", SIZE, "--fps", RATE, "--background", "#204060"],
            cwd=folder, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
            env=dict(os.environ, XDG_CONFIG_HOME=folder, NO_COLOR="1"))
        began = time.monotonic()
        commands = [["background", "scene:dunes"], ["mirror", "on"], ["set", "feather", "2"], ["standby", "on"],
                    ["standby", "off"], ["reset", "feather"], ["mirror", "off"], ["status"], ["background", "#204060"]]
        asked, failures, rounds = 0, 0, []
        while time.monotonic() - began < seconds and session.poll() is None:
            started = time.monotonic()
            for command in commands:
                time.sleep(lasts / 2 / len(commands))
                asked += 1
                failures += subprocess.run(
                    [binary, "ctl", *command, "--socket", path], capture_output=True, check=False).returncode != 0
            rest = []
            while time.monotonic() - started < lasts and session.poll() is None:
                time.sleep(lasts / 40)
                if session.poll() is None:
                    rest.append(look(session.pid))
            if rest and started - began > warm:
                rounds.append(rest)
        lasted = time.monotonic() - began
        is_alive = session.poll() is None
        session.send_signal(signal.SIGTERM)
        try:
            session.wait(20)
        except subprocess.TimeoutExpired:
            session.kill()
        log.close()
        with open(os.path.join(folder, "log"), encoding="utf-8", errors="replace") as file:
            last = file.read().strip().splitlines()[-3:]
    tell("soak", f"{seconds / 3600:.2f} hours, alive", f"{lasted / 3600:.2f} hours, {'alive' if is_alive else str(last)}",
         is_alive)
    tell("soak, commands", "all answered", f"{failures} failed of {asked}", failures == 0)
    for index, name in enumerate(["memory (KB)", "descriptors", "threads"]):
        numbers = [middle([sample[index] for sample in rest]) for rest in rounds] or [0]
        off = max(abs(number - numbers[0]) for number in numbers) / max(1, numbers[0])
        tell(f"soak, {name}", "within 2 % of the first round", f"{numbers[0]} -> {numbers[-1]}, at most {100 * off:.2f} % off",
             off <= 0.02 and numbers[0] > 0)
        if off > 0.02:
            print("  of each round: " + " ".join(str(number) for number in numbers), flush=True)
    return 1 if TROUBLE else 0


if __name__ == "__main__":
    sys.exit(main())
