#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""An Edison, in the guest: raw-dfu is its plug, bed.py on the host its U-Boot and its processor.

edison.py UDC RAM POWER

    RAM    a directory of the share
    POWER  value file of the gpio-sim pin that is its supply

    power comes   U-Boot counts down; its `dfu` puts the device on the bus, Ctrl-C takes it away
    power goes    off the bus, the DUT stopped
    at first      on the bus, for whoever wants to know its port, until it is told to "unplug"

On stdin: the knobs of raw-dfu, and for power-ons from now on mute=, bad-crc=, silent=, no-dfu= as
bed.py has them. die=1 makes it crash in a download, once, and begin anew.
Prints what happens, a line each. Ends when stdin does.
"""
import os
import select
import subprocess
import sys

from phone import BED, LOOK_S, SHARE, Lines, bed, tell, value

TOOL = os.path.join(os.environ["root"], "build/fakes/raw-dfu")
FOR_BED = ("mute", "bad-crc", "silent", "no-dfu")


def content(name):
    try:
        with open("%s/%s" % (BED, name)) as f:
            return f.read()
    except OSError:
        return ""


class Edison:
    def __init__(self, udc, ram, power):
        self.ram, self.power = ram, power
        self.on = self.plugged = False
        self.options = {}
        self.booted = content("booted")
        self.dfu = subprocess.Popen([TOOL, udc, ram], stdin=subprocess.PIPE,
                                    stdout=subprocess.PIPE)

    def knob(self, text):
        self.dfu.stdin.write(text.encode() + b"\n")
        self.dfu.stdin.flush()

    def plug(self, on):
        if on != self.plugged:
            self.plugged = on
            self.knob("plug" if on else "unplug")
            tell("dfu on" if on else "dfu off")

    def start(self):
        words = ["%s=%s" % pair for pair in self.options.items()]
        bed("uboot", os.path.relpath(self.ram, SHARE), *words)

    def look(self):
        on = value(self.power)
        if on != self.on:
            self.on = on
            tell("power on" if on else "power off")
            if on:
                self.start()
            else:
                bed("off")
        self.plug(self.on and content("dfu") == "on\n")
        if content("booted") != self.booted:
            self.booted = content("booted")
            tell("boot\n" + self.booted)

    def event(self, line):
        if line == "event left" and self.plugged:
            tell("crash")
            self.plugged = False
            self.knob("heal=1")
            self.start()

    def obey(self, line):
        name, _, text = line.partition("=")
        if name in FOR_BED:
            self.options[name] = text
        else:
            self.knob(line)

    def serve(self):
        orders, events = Lines(sys.stdin), Lines(self.dfu.stdout)
        while not orders.over and not events.over:
            r, _, _ = select.select([orders.fd, events.fd], [], [], LOOK_S)
            if events.fd in r:
                for line in events.read():
                    self.event(line)
            if orders.fd in r:
                for line in orders.read():
                    self.obey(line)
            self.look()
        self.dfu.stdin.close()
        self.dfu.wait()
        bed("off")


if __name__ == "__main__":
    Edison(*sys.argv[1:]).serve()
