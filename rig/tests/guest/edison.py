#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""An Edison, in the guest: raw-dfu is its plug, bed.py on the host its U-Boot and its processor.

edison.py UDC RAM POWER

    RAM    a directory of the share
    POWER  value file of the gpio-sim pin that is its supply

    power comes   U-Boot counts down; its `dfu` puts the device on the bus, Ctrl-C takes it away;
                  its `tftpboot` puts an Ethernet on the bus (usbnet.sh), for as long as it takes
    power goes    off the bus, the DUT stopped
    at first      on the bus, for whoever wants to know its port, until it is told to "unplug"

On stdin: the knobs of raw-dfu, and for power-ons from now on mute=, bad-crc=, silent=, no-dfu= as
bed.py has them; net-tries=, how often tftpboot asks. die=1 makes it crash in a download, once, and
begin anew.
Prints what happens, a line each. Ends when stdin does.
"""
import os
import subprocess
import sys

from device import BED, SHARE, Device, bed, content, tell, value

FOR_BED = ("mute", "bad-crc", "silent", "no-dfu")


class Edison(Device):
    def __init__(self, udc, ram, power):
        self.udc, self.ram, self.power = udc, ram, power
        self.net, self.fetch = None, content("fetch")
        self.on = self.plugged = False
        self.options = {}
        self.booted = content("booted")
        super().__init__("raw-dfu", udc, ram)

    def plug(self, on):
        if on != self.plugged:
            self.plugged = on
            self.knob("plug" if on else "unplug")
            tell("dfu on" if on else "dfu off")

    def start(self):
        words = ["%s=%s" % pair for pair in self.options.items()]
        bed("uboot", os.path.relpath(self.ram, SHARE), *words)

    def start_net(self):
        self.fetch = content("fetch")
        _, mac, host_mac, client, server, name, piece = self.fetch.split()
        here = os.path.dirname(os.path.abspath(__file__))
        tell("net on: " + name)
        self.net = subprocess.Popen(
            ["bash", here + "/usbnet.sh", self.udc, mac, host_mac, client, server, name,
             os.path.join(self.ram, piece)], stdout=subprocess.PIPE, text=True)

    def end_net(self):
        lines = self.net.communicate()[0].splitlines() or ["error nothing said"]
        self.net = None
        tell("net off: " + lines[-1])
        with open(BED + "/fetched.new", "w") as f:
            f.write("%s %s\n" % (self.fetch.split()[0], lines[-1]))
        os.rename(BED + "/fetched.new", BED + "/fetched")

    def look_at_net(self):
        if self.net and self.net.poll() is not None:
            self.end_net()
        elif not self.net and self.on and content("fetch") != self.fetch:
            self.start_net()

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
        self.look_at_net()
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
        if name == "net-tries":
            os.environ["TFTP_TRIES"] = text
        elif name in FOR_BED:
            self.options[name] = text
        else:
            self.knob(line)


if __name__ == "__main__":
    Edison(*sys.argv[1:]).serve()
