"""Shared by the tests with real programs."""

import http.server
import threading
import time
import traceback


def wait_for(what, condition, seconds=30.0):
    """Polls until the condition returns a true value; returns that value."""
    end = time.monotonic() + seconds
    while True:
        result = condition()
        if result:
            return result
        if time.monotonic() > end:
            raise AssertionError(f"waited {seconds:.0f} s in vain for {what}")
        time.sleep(0.05)


class ServedPage:
    """Serves a page from this machine: without TLS, browsers allow cameras only for local pages."""

    def __init__(self, html):
        handler = type(
            "Page", (http.server.BaseHTTPRequestHandler,),
            {
                "do_GET": lambda self: (
                    self.send_response(200), self.send_header("Content-Type", "text/html"), self.end_headers(),
                    self.wfile.write(html.encode()),
                ),
                "log_message": lambda *_: None,
            },
        )
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self.server.server_port}/"

    def close(self):
        self.server.shutdown()


class Skipped(Exception):
    """Raised by a part that cannot run here, with its missing requirement."""


def run_parts(parts, names, *arguments, after_failure=lambda: None):
    """Calls all parts, or those in `names`, with the arguments, and prints the result of each.

    The others run even if a part fails. Prints the names of skipped parts at the end. Returns the exit status.
    """
    wanted = [part for part in parts if not names or part.__name__ in names]
    failed, skipped = [], {}
    for part in wanted:
        print(f"{part.__name__} …", flush=True)
        start = time.monotonic()
        try:
            part(*arguments)
            print(f"  passed in {time.monotonic() - start:.1f} s", flush=True)
        except Skipped as reason:
            print(f"  skipped: {reason}", flush=True)
            skipped[part.__name__] = reason
        except Exception:
            traceback.print_exc()
            after_failure()
            failed.append(part.__name__)
    for name in sorted(set(names) - {part.__name__ for part in parts}):
        print(f"there is no part {name}")
        failed.append(name)
    for name, reason in skipped.items():
        print(f"SKIPPED: {name}: {reason}")
    if failed:
        print("FAILED: " + ", ".join(failed))
    passed = len(wanted) - len(skipped) - sum(part.__name__ in failed for part in wanted)
    print(f"{passed} passed, {len(failed)} failed, {len(skipped)} skipped", flush=True)
    return 1 if failed else 0
