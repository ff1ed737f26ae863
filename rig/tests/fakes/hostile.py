# SPDX-License-Identifier: GPL-2.0-or-later
"""A client of rigd's control socket that means no good; see cli/hostile.sh.

    hostile.py SOCKET ATTACK   prints what came of it, one line
"""
import json
import os
import select
import socket
import sys
import time


def connect(timeout=20):
    s = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    s.settimeout(timeout)
    s.connect(path)
    return s


def read_line(s):
    data = b""
    while not data.endswith(b"\n"):
        more = s.recv(65536)
        if not more:
            break
        data += more
    return data


def ask(request):
    with connect() as s:
        s.sendall(json.dumps(request).encode() + b"\n")
        return json.loads(read_line(s))


def flood():
    """10,000 connections, as many at once as the daemon bears."""
    held, answered, refused = [], 0, 0
    for _ in range(10000):
        try:
            s = connect(5)
        except (BlockingIOError, ConnectionRefusedError, socket.timeout):
            refused += 1
            continue
        held.append(s)
        if len(held) == 500:
            for h in held:
                if select.select([h], [], [], 0)[0]:
                    refused += b"too-many" in h.recv(4096)
                h.close()
            held = []
    for h in held:
        h.close()
    time.sleep(0.5)
    print("after the flood:", ask({"op": "status"})["ok"], "refused some:", refused > 0)


def garbage():
    for blob in (os.urandom(100000), b"\0" * 70000, b"GET / HTTP/1.1\r\n\r\n", b"[" * 65000 + b"\n",
                 b"{}\n" * 1000, b'{"op":{"op":1}}\n', b"\xff\xfe\n"):
        s = connect()
        try:
            s.sendall(blob)
            read_line(s)
        except (ConnectionResetError, BrokenPipeError):
            pass
        s.close()
    print("after the garbage:", ask({"op": "status"})["ok"])


def half():
    """Half a message, byte by byte: how long is it borne?"""
    s = connect(30)
    began = time.time()
    try:
        for c in '{"op":"status"' + " " * 100:
            s.sendall(c.encode())
            if select.select([s], [], [], 0.5)[0] and not s.recv(1):
                break
    except (BrokenPipeError, ConnectionResetError):
        pass
    print("hung up on the slow one:", time.time() - began < 25)


def deaf():
    """Asks and asks and never reads."""
    s = connect()
    s.setblocking(False)
    sent = 0
    gone = False
    until = time.time() + 20
    while time.time() < until and not gone:
        try:
            sent += s.send(b'{"op":"status"}\n' * 100)
        except BlockingIOError:
            time.sleep(0.01)
        except (BrokenPipeError, ConnectionResetError):
            gone = True
    print("hung up on the deaf one:", gone, "alive:", ask({"op": "status"})["ok"])


def tricks():
    """Names that would be paths."""
    plan = json.load(open(sys.argv[3], encoding="utf-8"))
    kernel = {"label": "../../x", "series": "s", "variant": "v", "id": "00000000000000aa",
              "entry": "/etc", "cmdline": ""}

    def submit(**change):
        p = json.loads(json.dumps(plan))
        p["kernels"] = [dict(kernel, **change.get("kernel", {}))]
        p["suite"].update(change.get("suite", {}))
        return ask({"op": "submit", "board": change.get("board", "sim-1"), "plan": p})

    answers = [
        submit(suite={"name": "../../../etc/cron.d/x"}),
        submit(suite={"name": "a/b"}),
        submit(suite={"name": ".hidden"}),
        submit(suite={"name": ""}),
        submit(kernel={"id": "../../../../etc"}),
        submit(kernel={"id": "00000000000000AA"}),
        submit(kernel={"id": "1111111111111111"}),
        submit(board="../sim-1"),
        submit(board="/etc/passwd"),
        ask({"op": "lease", "board": "../../x", "reason": "r", "ttl_s": 60}),
        ask({"op": "lease", "board": "sim-1", "reason": "a\nb", "ttl_s": 60}),
        ask({"op": "lease", "board": "sim-1", "reason": "\x1b[2J", "ttl_s": 60}),
        ask({"op": "lease", "board": "sim-1", "reason": "\u009b2J", "ttl_s": 60}),
        submit(kernel={"label": "\x1b]0;x\x07"}),
        submit(suite={"profile": "a\rb"}),
        ask({"op": "lease", "board": "sim-1", "reason": "r", "ttl_s": -1}),
        ask({"op": "lease", "board": "sim-1", "reason": "r", "ttl_s": 10 ** 12}),
        ask({"op": "hold", "board": "sim-1", "hold": "busy", "reason": "r"}),
        ask({"op": "cancel", "job": -1}),
        ask({"op": "cancel", "job": "1; DROP TABLE job"}),
        ask({"op": "submit"}),
    ]
    wrong = [a for a in answers if a.get("ok") or a.get("blame") == "RIG"]
    print("refused:", len(answers) - len(wrong), "of", len(answers), wrong)
    # and one that is odd, but fine: its label becomes part of a directory's name
    print("fine:", submit().get("ok"))


path = sys.argv[1]
{"flood": flood, "garbage": garbage, "half": half, "deaf": deaf, "tricks": tricks}[sys.argv[2]]()
