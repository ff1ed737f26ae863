# SPDX-License-Identifier: GPL-2.0-or-later
"""An Edison's U-Boot, as far as a rig talks to it: for bed.py, which owns its console.

What is downloaded to its RAM lies as files in a directory, one for each piece that dfu_alt_info
names. It does nothing by itself: feed() takes what is typed, and calls back
    say(bytes)                        to its console
    dfu(on)                           the device is to be on the bus, or no longer
    fetch(file, piece)                that file from the server that env names, by gadget Ethernet;
                                      fetched("size N" or "error WHY") tells of it
    start(kernel, initrd, cmdline)    two byte strings and a text: the rest is the kernel's

Knobs: bad-crc=N   the next N sums are wrong, as if the bytes were damaged on their way
       silent=1    not a byte comes out of it
       no-dfu=1    it does not know that command
"""
import os
import shlex
import zlib

BANNER = "\r\nPSH KERNEL VERSION: b0182b2b\r\n\r\nU-Boot 2023.01 (rig)\r\n\r\n" \
         "Hit any key to stop autoboot:  0 "
PROMPT = "=> "
CTRL_C = 3


def commands(line):
    """Words of each command of a line: quotes hold blanks and semicolons."""
    words = shlex.shlex(line, posix=True, punctuation_chars=";")
    words.whitespace_split = True
    found = [[]]
    for word in words:
        if word == ";":
            found.append([])
        else:
            found[-1].append(word)
    return [words for words in found if words]


class Uboot:
    def __init__(self, ram, say, dfu, fetch, start):
        self.ram, self.put, self.dfu, self.fetch, self.start = ram, say, dfu, fetch, start
        self.pieces = {}  # by address: files that came by TFTP
        self.status = 0
        self.bad_crc = 0
        self.silent = self.no_dfu = False
        self.waiting = "nothing"  # it is off; "key", "line", "ctrl-c", "net", "nothing"
        self.typed = ""
        self.env = {}

    def say(self, text):
        if not self.silent:
            self.put(text.encode())

    def knob(self, name, value):
        if name == "bad-crc":
            self.bad_crc = int(value)
        elif name == "silent":
            self.silent = value == "1"
        elif name == "no-dfu":
            self.no_dfu = value == "1"
        else:
            raise ValueError("no such knob: " + name)

    def power_on(self):
        self.env = {}
        self.pieces = {}
        self.waiting = "key"
        self.say(BANNER)

    def power_off(self):
        self.waiting = "nothing"

    def prompt(self):
        self.waiting = "line"
        self.typed = ""
        self.say(PROMPT)

    # -- what is typed

    def feed(self, data):
        for c in data:
            getattr(self, "at_" + self.waiting.replace("-", "_"))(c)

    def at_nothing(self, c):
        pass

    def at_key(self, c):
        self.say("\r\n")
        self.prompt()

    def at_ctrl_c(self, c):
        if c == CTRL_C:
            self.dfu(False)
            self.say("\r\n")
            self.prompt()

    def at_net(self, c):
        if c == CTRL_C:
            self.say("\r\nAbort\r\n")
            self.prompt()

    def at_line(self, c):
        if c == CTRL_C:
            self.say("<INTERRUPT>\r\n")
            self.prompt()
        elif c == 13:
            self.say("\r\n")
            self.run(self.typed)
        elif c >= 32:
            self.say(chr(c))
            self.typed += chr(c)

    # -- commands

    def run(self, line):
        self.status = 0
        self.rest = commands(line)
        self.go_on()

    def go_on(self):
        while self.rest:
            word, *args = self.rest.pop(0)
            if word == "echo":
                self.say(" ".join(args).replace("$?", str(self.status)) + "\r\n")
                continue
            run = getattr(self, "do_" + word, None)
            run = None if word == "dfu" and self.no_dfu else run
            if not run:
                self.say("Unknown command '%s' - try 'help'\r\n" % word)
            self.status = run(*args) if run else 1
            if self.waiting != "line":
                return
        self.prompt()

    def do_setenv(self, name, *value):
        self.env[name] = " ".join(value)
        return 0

    def do_dfu(self, *where):
        self.waiting = "ctrl-c"
        self.dfu(True)
        return 0

    def do_tftpboot(self, address, where):
        server, name = where.split(":")
        self.waiting = "net"
        self.say("Using usb_ether device\r\nTFTP from server %s\r\nFilename '%s'.\r\nLoading: *"
                 % (server, name))
        self.fetching = int(address, 16), "tftp-" + address
        self.fetch(name, self.fetching[1])
        return 0

    def fetched(self, answer):
        if self.waiting != "net":
            return
        word, _, what = answer.partition(" ")
        self.status = 0 if word == "size" else 1
        if self.status:
            self.say("\r\nTFTP error: '%s'\r\nNot retrying...\r\n" % what)
        else:
            address, piece = self.fetching
            self.pieces[address] = piece
            self.say("\r\ndone\r\nBytes transferred = %d (%x hex)\r\n" % (int(what), int(what)))
        self.waiting = "line"
        self.go_on()

    def piece(self, address, size):
        name = self.pieces.get(int(address, 16))
        if name:
            with open(os.path.join(self.ram, name), "rb") as f:
                return f.read(int(size, 16))
        for alt in self.env.get("dfu_alt_info", "").split(";"):
            name, kind, begin, _ = (alt.split() + 4 * [""])[:4]
            if kind == "ram" and int(begin, 16) == int(address, 16):
                with open(os.path.join(self.ram, name), "rb") as f:
                    return f.read(int(size, 16))
        return b""

    def do_crc32(self, address, size):
        crc = zlib.crc32(self.piece(address, size))
        if self.bad_crc:
            self.bad_crc -= 1
            crc ^= 1
        self.say("crc32 for %s ... ==> %08x\r\n" % (address, crc))
        return 0

    def do_zboot(self, kernel, kernel_size, initrd, initrd_size):
        self.say("Magic signature found\r\n\r\nStarting kernel ...\r\n\r\n")
        self.waiting = "nothing"
        self.start(self.piece(kernel, kernel_size), self.piece(initrd, initrd_size),
                   self.env.get("bootargs", ""))
        return 0
