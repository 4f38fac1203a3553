"""What the tests with real programs share."""

import http.server
import threading
import time


def wait_for(what, condition, seconds=30.0):
    """Polls until the condition gives something true, which is returned."""
    end = time.monotonic() + seconds
    while True:
        result = condition()
        if result:
            return result
        if time.monotonic() > end:
            raise AssertionError(f"waited {seconds:.0f} s in vain for {what}")
        time.sleep(0.05)


class ServedPage:
    """A page on this machine, since browsers give cameras to no others."""

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
