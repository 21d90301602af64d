"""A time server for the guest: answers NTP requests with this machine's clock (RFC 5905, section 7.3, mode 4)."""

import socket
import struct
import threading
import time

ERA = 2208988800  # seconds from 1900 to 1970


def stamp(seconds):
    whole = int(seconds)
    return struct.pack("!II", (whole + ERA) & 0xFFFFFFFF, int((seconds - whole) * (1 << 32)))


class NtpServer:
    """The guest reaches this machine's loopback as 10.0.2.2, so the server listens there, on the port of NTP."""

    def __init__(self, address="127.0.0.1", port=123):
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.bind((address, port))
        self.answered = 0
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self):
        while True:
            try:
                request, peer = self.socket.recvfrom(512)
            except OSError:
                return
            if len(request) < 48:
                continue
            received = stamp(time.time())
            header = struct.pack("!BBbbII4s", 0x24, 1, 6, -20, 0, 0, b"LOCL")
            self.socket.sendto(header + received + request[40:48] + received + stamp(time.time()), peer)
            self.answered += 1

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()
