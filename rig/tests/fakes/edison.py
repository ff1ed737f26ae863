# SPDX-License-Identifier: GPL-2.0-or-later
"""An Edison's U-Boot on stdin and stdout, for tests of the whole driver.

edison.py STORE KERNEL INITRD [bad-twice | no-dfu | QEMU ARG...]

What came by DFU lies in STORE/KERNEL and STORE/INITRD; crc32 reads it there, and tftpboot puts there
what it gets.
bad-twice: its first two answers are wrong, as if the bytes were damaged.
no-dfu: it does not know that command.
QEMU: what zboot becomes, with the store's files as -kernel and -initrd; its pid is in STORE/pid.
"""
import os
import sys
import zlib

sys.dont_write_bytecode = True
from tftp_get import fetch  # noqa: E402

store, kernel, initrd, *knobs = sys.argv[1:]
wrong = 2 if "bad-twice" in knobs else 0


def say(text):
    os.write(1, text.encode())


def byte():
    c = os.read(0, 1)
    if not c:
        sys.exit(0)
    return c


def start():
    args = knobs + ["-kernel", f"{store}/{kernel}", "-initrd", f"{store}/{initrd}"]
    args += ["-append", bootargs.replace("ttyS2", "ttyS0")]
    with open(f"{store}/pid", "w") as f:
        f.write(str(os.getpid()))
    for name in ("LD_PRELOAD", "UMOCKDEV_DIR"):
        os.environ.pop(name, None)
    os.execvp(args[0], args)


def line():
    text = b""
    while True:
        c = byte()
        if c == b"\x03":
            say("<INTERRUPT>\r\n=> ")
            text = b""
        elif c == b"\r":
            say("\r\n")
            return text.decode()
        else:
            os.write(1, c)
            text += c


def path_of(address):
    return f"{store}/{kernel if int(address, 16) < 0x8000000 else initrd}"


def tftpboot(address, where):
    try:
        data = fetch(*where.split(":"))
    except OSError as e:
        say(f"TFTP error: {e}\r\nNot retrying...\r\n")
        return 1
    with open(path_of(address), "wb") as f:
        f.write(data)
    say(f"Bytes transferred = {len(data)} ({len(data):x} hex)\r\n")
    return 0


def crc32(address, size):
    global wrong
    with open(path_of(address), "rb") as f:
        crc = zlib.crc32(f.read(int(size, 16))) ^ (wrong > 0)
    wrong -= 1
    say(f"crc32 for {address} ... ==> {crc:08x}\r\n")


say("\r\nPSH loader\r\n\r\nU-Boot 2023.01\r\n\r\nHit any key to stop autoboot:  0 ")
while byte() != b" ":
    pass
say("\r\n=> ")
while True:
    typed = line()
    command, *args = typed.split(";")[0].split()
    status = 0
    if command == "setenv" and args[0] == "bootargs":
        bootargs = typed.split("'")[1]
    elif command == "dfu" and "no-dfu" in knobs:
        say("Unknown command 'dfu' - try 'help'\r\n")
        status = 1
    elif command == "dfu":
        while byte() != b"\x03":
            pass
    elif command == "zboot":
        say("Magic signature found\r\n\r\nStarting kernel ...\r\n\r\n")
        if knobs and "bad-twice" not in knobs:
            start()
        say("Linux version 6.12\r\n")
        while True:
            byte()
    elif command == "crc32":
        crc32(*args)
    elif command == "tftpboot":
        status = tftpboot(*args)
    if "rig-rc" in typed:
        say(f"rig-rc={status}\r\n")
    say("=> ")
