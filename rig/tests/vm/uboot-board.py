# SPDX-License-Identifier: GPL-2.0-or-later
"""The lab equipment of the board in uboot.sh, whose QEMU runs all the time, paused when "off".

uboot-board.py console SOCKET         stdin and stdout are its serial port
uboot-board.py power QMP on|off
uboot-board.py state QMP              prints QEMU's: running, paused, prelaunch
"""
import json
import os
import select
import socket
import sys


def connect(path):
    s = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    s.connect(path)
    return s


def console(path):
    s = connect(path)
    os.set_blocking(1, False)
    while True:
        ready, _, _ = select.select([0, s], [], [])
        if s in ready:
            data = s.recv(65536)
            if not data:
                return
            # A serial line waits for nobody: QEMU's monitor would, with its console.
            try:
                os.write(1, data)
            except BlockingIOError:
                pass
        if 0 in ready:
            data = os.read(0, 65536)
            if not data:
                return
            s.sendall(data)


def qmp(path, *commands):
    f = connect(path).makefile("rw", newline="\n")
    f.readline()
    for command in ("qmp_capabilities",) + commands:
        f.write(json.dumps({"execute": command}) + "\n")
        f.flush()
        while True:
            answer = json.loads(f.readline())
            if "error" in answer:
                sys.exit(f"{command}: {answer['error']['desc']}")
            if "return" in answer:
                break
    return answer["return"]


verb, where, *rest = sys.argv[1:]
if verb == "console":
    console(where)
elif verb == "power":
    # off: nothing runs and nothing is printed; the reset makes what comes next a cold boot
    qmp(where, *{"on": ("cont",), "off": ("stop", "system_reset")}[rest[0]])
elif verb == "state":
    print(qmp(where, "query-status")["status"])
