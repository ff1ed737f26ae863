#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The far ends of the guest's serial lines: sends back every byte of the sockets it is given.

echo.py SOCKET...    ends when all of them have been closed
"""
import os
import select
import socket
import sys
import time


def connect(path):
    while True:
        s = socket.socket(socket.AF_UNIX)
        try:
            s.connect(path)
            return s
        except OSError:
            s.close()
            time.sleep(0.1)


def serve(lines):
    waiting = {s: b"" for s in lines}
    while waiting:
        full = [s for s in waiting if waiting[s]]
        readable, writable, _ = select.select([s for s in waiting if not waiting[s]], full, [])
        for s in readable:
            waiting[s] = s.recv(65536)
            if not waiting[s]:
                del waiting[s]
        for s in writable:
            waiting[s] = waiting[s][s.send(waiting[s]):]


if __name__ == "__main__":
    paths = [p for p in sys.argv[1:] if os.path.dirname(p)]
    serve([connect(p) for p in paths])
