# SPDX-License-Identifier: GPL-2.0-or-later
"""What boards in the guest have in common (phone.py, edison.py): a fake of ours on a USB controller,
which is told knobs and tells events; a supply, which is a pin of gpio-sim; bed.py on the host, to
which orders go by files in the share.
"""
import os
import select
import subprocess
import sys
import time

LOOK_S = 0.05
SHARE = "/run/share"
BED = SHARE + "/bed"


def tell(*words):
    print(*words, flush=True)


def bed(*words):
    name = "%s/board-%d" % (BED, time.monotonic_ns())
    with open(name + ".tmp", "w") as f:
        f.write(" ".join('"%s"' % w for w in words))
    os.rename(name + ".tmp", name + ".req")
    while not os.path.exists(name + ".reply"):
        time.sleep(LOOK_S)
    with open(name + ".reply") as f:
        answer = f.read().splitlines()
    os.remove(name + ".reply")
    return answer


def content(name):
    """Of a file of bed.py's; "" when there is none."""
    try:
        with open("%s/%s" % (BED, name)) as f:
            return f.read()
    except OSError:
        return ""


def value(path):
    with open(path) as f:
        return f.read().strip() == "1"


class Lines:
    """The lines of a pipe, as they come."""

    def __init__(self, f):
        self.fd = f.fileno()
        self.rest = b""
        self.over = False

    def read(self):
        data = os.read(self.fd, 65536)
        self.over = not data
        *lines, self.rest = (self.rest + data).split(b"\n")
        return [line.decode() for line in lines]


class Device:
    """A board is one of these, with obey(line of stdin), event(line of the fake) and look(), which
    is called often. It ends when stdin does."""

    def __init__(self, fake, *args):
        path = os.path.join(os.environ["root"], "build/fakes", fake)
        self.fake = subprocess.Popen([path, *args], stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def knob(self, text):
        self.fake.stdin.write(text.encode() + b"\n")
        self.fake.stdin.flush()

    def serve(self):
        orders, events = Lines(sys.stdin), Lines(self.fake.stdout)
        while not orders.over and not events.over:
            r, _, _ = select.select([orders.fd, events.fd], [], [], LOOK_S)
            for lines, hear in ((events, self.event), (orders, self.obey)):
                if lines.fd in r:
                    for line in lines.read():
                        hear(line)
            self.look()
        self.fake.stdin.close()
        self.fake.wait()
        bed("off")
