#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""A phone or development kit with an Android bootloader, in the guest: ffs-fastboot is its
bootloader, bed.py on the host its processor once it leaves that.

phone.py NAME UDC STORE POWER KEY [KNOB=VALUE]...

    STORE      its flash, a directory of the share
    POWER KEY  value files of gpio-sim pins: its supply, its volume key; "-" "-": it has a battery

    power comes   key held, or nothing flashed: waits in the bootloader. Else it boots
    power goes    off the bus, the DUT stopped
    it resets     as the rig asks for it: into the bootloader (QEMU does not tell the reason)
    with a battery it begins in the bootloader, and is back there when that has crashed (die=)

On stdin: the knobs of ffs-fastboot (what makes it die does so once), and
    mute=N    the console of the next boots falls silent after N bytes
    hand=1    a person takes it, and holds the key through a reset
Prints what happens, a line each: "power on", "bootloader", "event ...", "boot IMAGE" and what bed.py
answers, "reset", "power off". Ends when stdin does.
"""
import os
import sys
import time

from device import SHARE, Device, bed, content, tell, value

APPEND = "console=ttyAMA0,115200 androidboot.mode=normal"  # bootloaders add words of their own


class Phone(Device):
    def __init__(self, name, udc, store, power, key, *knobs):
        self.store, self.power, self.key = store, power, key
        self.battery = power == "-"
        self.on = self.running = False
        self.mute = None
        super().__init__("ffs-fastboot", name, udc, store, "unplugged", *knobs)

    # -- what happens to it

    def wait_in_bootloader(self):
        tell("bootloader")
        self.running = False
        self.knob("plug")

    def boot(self, name):
        image = os.path.join(self.store, name)
        if not os.path.exists(image):
            self.wait_in_bootloader()
            return
        options = ["append=" + APPEND] + (["mute=" + self.mute] if self.mute else [])
        tell("boot", name)
        for line in bed("boot", "aarch64", os.path.relpath(image, SHARE), *options):
            tell(" ", line)
        self.running = True

    def power_comes(self):
        tell("power on")
        if value(self.key):
            self.wait_in_bootloader()
        else:
            self.boot("boot_a")

    def power_goes(self):
        self.knob("unplug")
        bed("off")
        self.running = False
        tell("power off")

    def fresh(self):
        self.knob("unplug")
        if self.running:
            bed("off")
        self.wait_in_bootloader()

    def look(self):
        on = self.battery or value(self.power)
        if on != self.on:
            self.on = on
            if self.battery:
                self.wait_in_bootloader()
            elif on:
                self.power_comes()
            else:
                self.power_goes()
        elif self.running and content("state") == "ended\n":
            tell("reset")
            bed("off")
            self.wait_in_bootloader()

    # -- what it is told

    def event(self, line):
        tell(line)
        word, what, slot = (line + "  ").split(" ")[:3]
        if word == "event" and what == "system":
            self.boot("boot_" + slot)
        elif word == "event" and what == "booted":
            self.boot("booted")
        elif word == "event" and what == "die":
            self.knob("heal=1")
            if self.battery:
                time.sleep(1)
                self.fresh()

    def obey(self, line):
        name, _, text = line.partition("=")
        if name == "mute":
            self.mute = text
        elif name == "hand":
            self.fresh()
        else:
            self.knob(line)


if __name__ == "__main__":
    Phone(*sys.argv[1:]).serve()
