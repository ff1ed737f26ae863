#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What the guest's cables lead to, on the host: the far ends of its serial lines, and DUTs.

bed.py DIR    DIR/serial0, serial1: sockets of the guest's serial ports
              DIR/share: shared with the guest; it orders by files in share/bed:

    NAME.req   one order, words quoted as for a shell    ->   NAME.reply   "ok" or "error WHY", then
                                                              what there is to say, a line each
    line echo         serial1 sends back what it gets (so it does at first; serial0 always does)
    line dut          serial1 is the console of the DUT
    boot ARCH IMAGE [key=value...]
                      starts a DUT (QEMU) with what is in IMAGE, an Android boot image under share
                      (its vendor_boot beside it, if there is one). Answers with the SHA-256 of the
                      image and of every part, as they were read back from the files that QEMU is
                      given.
                        append=TEXT  more for the command line, as a bootloader adds
                        mute=N       the console falls silent after N bytes
    uboot RAM [key=value...]
                      the DUT is powered on and in its U-Boot (uboot.py), whose RAM is that directory
                      of share; zboot starts what lies there. The same keys, and uboot.py's knobs
    off               pulls the DUT's plug
    tree FILE         makes the device tree of the aarch64 DUT, under share
    state             "off", "on", or "ended": it has reset itself or powered off

For a guest that looks often: share/bed/state holds that word, share/bed/dfu "on" or "off" as U-Boot
wants its device on the bus, share/bed/booted the answer to the last boot, share/bed/fetch what U-Boot
wants by TFTP; the guest answers with share/bed/fetched. Ends when the guest does.
"""
import ctypes
import hashlib
import os
import select
import shlex
import signal
import socket
import struct
import subprocess
import sys
import time

sys.dont_write_bytecode = True
import uboot  # noqa: E402

LOOK_S = 0.05
KEPT = 1 << 16  # bytes that a line keeps for a reader that is not there
PAGE_3 = 4096  # of boot images with header 3 and 4

MACHINES = {
    # -icount as rig/board/virt.c: DUT and guest share the host's CPUs
    "aarch64": ["qemu-system-aarch64", "-machine", "virt", "-cpu", "cortex-a57",
                "-accel", "tcg", "-icount", "shift=4,sleep=on",
                "-device", "ufs,id=ufs0,serial=rig-ufs",
                "-blockdev", "driver=null-co,node-name=lu0,size=268435456,read-zeroes=on",
                "-device", "ufs-lu,drive=lu0,bus=ufs0,lun=0", "-serial", "chardev:console"],
    "x86_64": ["qemu-system-x86_64", "-machine", "q35", "-cpu", "max", "-accel", "tcg",
               "-device", "qemu-xhci,id=xhci",
               "-blockdev", "driver=null-co,node-name=usb0,size=268435456,read-zeroes=on",
               "-device", "usb-storage,bus=xhci.0,drive=usb0",
               # ttyS2, as on an Edison
               "-device", "isa-serial,chardev=console,index=2"],
}


# ---- images ----

def read(path):
    with open(path, "rb") as f:
        return f.read()


def text(data):
    return data.split(b"\0", 1)[0].decode()


def pages(data, page, sizes):
    """The parts that follow a header of one page, each beginning a page."""
    at = page
    for size in sizes:
        yield data[at:at + size]
        at += (size + page - 1) // page * page


def unpack_2(data):
    kernel, _, ramdisk, _, second, _, _, page = struct.unpack_from("<8I", data, 8)
    recovery, = struct.unpack_from("<I", data, 1632)
    dtb, = struct.unpack_from("<I", data, 1648)
    k, r, _, _, d = pages(data, page, (kernel, ramdisk, second, recovery, dtb))
    return {"kernel": k, "ramdisk": r, "dtb": d, "cmdline": text(data[64:576]) + text(data[608:1632])}


def unpack_vendor(data):
    page, _, _, ramdisk = struct.unpack_from("<4I", data, 12)
    header, dtb = struct.unpack_from("<2I", data, 2096)
    at = (header + page - 1) // page * page + (ramdisk + page - 1) // page * page
    return data[at:at + dtb]


def unpack_4(data, vendor):
    kernel, ramdisk = struct.unpack_from("<2I", data, 8)
    k, r = pages(data, PAGE_3, (kernel, ramdisk))
    dtb = unpack_vendor(read(vendor)) if os.path.exists(vendor) else b""
    return {"kernel": k, "ramdisk": r, "dtb": dtb, "cmdline": text(data[44:1580])}


def unpack(path):
    data = read(path)
    if data[:8] != b"ANDROID!":
        raise ValueError("no boot image: " + path)
    version, = struct.unpack_from("<I", data, 40)
    if version < 3:
        return unpack_2(data)
    folder, name = os.path.split(path)
    return unpack_4(data, os.path.join(folder, "vendor_" + name))


def sha256(path):
    return hashlib.sha256(read(path)).hexdigest()


# ---- the DUT ----

def die_with_parent():
    pr_set_pdeathsig = 1
    ctypes.CDLL(None).prctl(pr_set_pdeathsig, signal.SIGKILL)


class Dut:
    def __init__(self, folder):
        self.folder = folder
        self.process = self.console = None
        self.left = None  # bytes until its console falls silent
        os.makedirs(folder, exist_ok=True)

    def state(self):
        if not self.process:
            return "off"
        return "on" if self.process.poll() is None else "ended"

    def off(self):
        if self.process:
            self.process.kill()
            self.process.wait()
        self.hang_up()
        self.process = None

    def hang_up(self):
        if self.console:
            self.console.close()
        self.console = None

    def boot(self, arch, parts, append="", mute=None):
        self.off()
        cmdline = " ".join(filter(None, [parts["cmdline"], append]))
        answer = []
        args = MACHINES[arch] + ["-nodefaults", "-no-user-config", "-display", "none",
                                 "-no-reboot", "-smp", "1", "-m", "256M", "-append", cmdline]
        for option, name in (("-kernel", "kernel"), ("-initrd", "ramdisk"), ("-dtb", "dtb")):
            path = os.path.join(self.folder, name)
            with open(path, "wb") as f:
                f.write(parts[name])
            if parts[name]:
                args += [option, path]
                answer.append(name + " " + sha256(path))
        self.left = int(mute) if mute else None
        self.start(args)
        return answer + ["cmdline " + cmdline]

    def start(self, args):
        ours, theirs = socket.socketpair()
        with open(os.path.join(self.folder, "qemu.log"), "wb") as log:
            self.process = subprocess.Popen(
                args + ["-chardev", "socket,id=console,fd=%d" % theirs.fileno()],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, pass_fds=[theirs.fileno()],
                preexec_fn=die_with_parent)
        theirs.close()
        ours.setblocking(False)
        self.console = ours

    def hear(self):
        """What its console says; b"" when it has hung up."""
        data = receive(self.console)
        if data and self.left is not None:
            data, self.left = data[:self.left], max(0, self.left - len(data))
            return data or None
        return data


def make_tree(path):
    """As small as it is: a kernel takes 2 MiB, and QEMU makes twice of what it is given."""
    machine, *rest = MACHINES["aarch64"][2:5]
    subprocess.run(["qemu-system-aarch64", "-machine", machine + ",dumpdtb=" + path, *rest,
                    "-smp", "1", "-m", "256M", "-display", "none"], check=True)
    subprocess.run(["dtc", "-q", "-I", "dtb", "-O", "dtb", "-o", path + ".small", path], check=True)
    os.rename(path + ".small", path)


# ---- lines ----

def receive(s):
    """None: nothing now; b"": closed."""
    try:
        return s.recv(65536)
    except BlockingIOError:
        return None
    except OSError:
        return b""


class Line:
    """A serial port of the guest."""

    def __init__(self, path):
        self.mode = "echo"
        self.waiting = b""
        while True:
            self.socket = socket.socket(socket.AF_UNIX)
            try:
                self.socket.connect(path)
                break
            except OSError:
                self.socket.close()
                time.sleep(0.1)
        self.socket.setblocking(False)

    def say(self, data):
        self.waiting = (self.waiting + data)[-KEPT:]

    def flush(self):
        try:
            self.waiting = self.waiting[self.socket.send(self.waiting):]
        except BlockingIOError:
            pass


def pairs(options):
    return dict(o.split("=", 1) for o in options)


class Bed:
    def __init__(self, folder):
        self.share = os.path.join(folder, "share")
        self.orders = os.path.join(self.share, "bed")
        os.makedirs(self.orders, exist_ok=True)
        self.dut = Dut(os.path.join(folder, "dut"))
        self.told = None
        self.uboot = None
        self.fetches = 0
        self.lines = [Line(os.path.join(folder, name)) for name in ("serial0", "serial1")]

    # -- orders

    def do_line(self, mode):
        self.lines[1].mode = mode
        self.lines[1].waiting = b""
        return []

    def do_boot(self, arch, image, *options):
        path = os.path.join(self.share, image)
        self.do_off()
        return ["image " + sha256(path)] + self.dut.boot(arch, unpack(path), **pairs(options))

    def do_uboot(self, ram, *options):
        knobs = pairs(options)
        more = {key: knobs.pop(key) for key in ("append", "mute") if key in knobs}

        def start(kernel, ramdisk, cmdline):
            parts = {"kernel": kernel, "ramdisk": ramdisk, "dtb": b"", "cmdline": cmdline}
            lines = self.dut.boot("x86_64", parts, **more)
            self.put(self.orders + "/booted", "\n".join(lines) + "\n")

        self.do_off()
        self.uboot = uboot.Uboot(os.path.join(self.share, ram), self.lines[1].say, self.dfu,
                                 self.fetch, start)
        for name, value in knobs.items():
            self.uboot.knob(name, value)
        self.uboot.power_on()
        return []

    def dfu(self, on):
        self.put(self.orders + "/dfu", "on\n" if on else "off\n")

    def fetch(self, name, piece):
        env = self.uboot.env
        words = [env.get(key, "-") for key in ("usbnet_devaddr", "usbnet_hostaddr", "ipaddr",
                                               "serverip")]
        self.fetches += 1
        self.put(self.orders + "/fetch", " ".join([str(self.fetches)] + words + [name, piece]) + "\n")

    def take_fetched(self):
        path = self.orders + "/fetched"
        if os.path.exists(path):
            number, _, answer = read(path).decode().strip().partition(" ")
            os.remove(path)
            if self.uboot and number == str(self.fetches):
                self.uboot.fetched(answer)

    def do_off(self):
        self.lines[1].waiting = b""
        self.uboot = None
        self.dfu(False)
        self.dut.off()
        return []

    def do_tree(self, name):
        make_tree(os.path.join(self.share, name))
        return []

    def do_state(self):
        return [self.dut.state()]

    def obey(self, request):
        try:
            word, *args = shlex.split(read(request).decode())
            lines = ["ok"] + getattr(self, "do_" + word)(*args)
        except Exception as e:  # whatever it is, the guest is to hear of it
            lines = ["error %s: %s" % (type(e).__name__, e)]
        os.remove(request)
        self.put(request[:-len("req")] + "reply", "\n".join(lines) + "\n")

    @staticmethod
    def put(path, content):
        with open(path + ".new", "w") as f:
            f.write(content)
        os.rename(path + ".new", path)

    def look(self):
        for name in sorted(os.listdir(self.orders)):
            if name.endswith(".req"):
                self.obey(os.path.join(self.orders, name))
        self.take_fetched()
        if self.dut.state() != self.told:
            self.told = self.dut.state()
            self.put(os.path.join(self.orders, "state"), self.told + "\n")

    # -- bytes

    def from_guest(self, line):
        data = receive(line.socket)
        if data == b"":
            self.lines.remove(line)
        elif data and line.mode == "echo":
            line.waiting += data
        elif data and self.dut.console:
            try:
                self.dut.console.send(data)
            except OSError:
                pass  # a DUT that does not listen loses what it is told
        elif data and self.uboot:
            self.uboot.feed(data)

    def from_dut(self):
        data = self.dut.hear()
        if data == b"":
            self.dut.hang_up()
        elif data and len(self.lines) > 1 and self.lines[1].mode == "dut":
            self.lines[1].say(data)

    def turn(self):
        # an echo is not to be lost: it is read on when it has been sent
        readable = {line.socket: lambda line=line: self.from_guest(line) for line in self.lines
                    if line.mode != "echo" or not line.waiting}
        writable = {line.socket: line.flush for line in self.lines if line.waiting}
        if self.dut.console:
            readable[self.dut.console] = self.from_dut
        r, w, _ = select.select(list(readable), list(writable), [], LOOK_S)
        for s in r:
            readable[s]()
        for s in w:
            writable[s]()

    def serve(self):
        looked = 0.0
        while self.lines:
            self.turn()
            if time.monotonic() - looked > LOOK_S:
                self.look()
                looked = time.monotonic()
        self.dut.off()


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    Bed(sys.argv[1]).serve()
