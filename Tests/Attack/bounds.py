"""Shared by the attacks on servers: reads answers, prints bounds beside measurements, sends heads slowly, starts clients."""

import multiprocessing
import os
import pathlib
import signal
import socket
import time

TROUBLE = []


def tell(name, bound, measured, is_kept):
    print(f"{'kept  ' if is_kept else 'BROKEN'}  {name:44}  bound: {bound:34}  measured: {measured}", flush=True)
    if not is_kept:
        TROUBLE.append(name)


def read(client):
    """Everything that the server sends before it closes the connection, or before the client's timeout."""
    got = b""
    try:
        while piece := client.recv(65_536):
            got += piece
    except (TimeoutError, ConnectionResetError):
        pass
    return got


class Server:
    """A server to attack: `process`, which listens at `port` of this machine."""

    patience = 60

    def connect(self, seconds=None):
        return socket.create_connection(("127.0.0.1", self.port), timeout=seconds or self.patience)

    def head(self, line, *fields):
        return "\r\n".join([f"{line} HTTP/1.1", f"Host: 127.0.0.1:{self.port}", *fields, "", ""]).encode()

    def ask(self, line, *fields, body=b"", seconds=None):
        """Sends a request; returns the whole answer, up to the end of the connection."""
        with self.connect(seconds) as client:
            try:
                client.sendall(self.head(line, "Connection: close", *fields) + body)
            except (BrokenPipeError, ConnectionResetError):
                pass
            return read(client)

    @property
    def memory(self):
        return int(pathlib.Path(f"/proc/{self.process.pid}/status").read_text().split("VmRSS:")[1].split()[0]) / 1024

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(timeout=60)


def slow_head(client, line):
    """Sends a head at two bytes a second, and returns the seconds until the server closes the connection or the head ends."""
    start = time.monotonic()
    try:
        for byte in line:
            client.sendall(bytes([byte]))
            time.sleep(0.5)
            client.setblocking(False)
            try:
                if client.recv(1) == b"":
                    break
            except BlockingIOError:
                pass
            finally:
                client.settimeout(30)
    except (ConnectionResetError, BrokenPipeError):
        pass
    return time.monotonic() - start


def start_clients(run):
    """Starts a process with the lowest priority that calls `run`: its clients stand for other machines, whose processors the service does
    not share."""
    def begin():
        os.setsid()
        os.nice(19)
        try:
            pathlib.Path("/proc/self/autogroup").write_text("19")
        except OSError:
            pass
        run()

    process = multiprocessing.get_context("fork").Process(target=begin)
    process.start()
    return process
