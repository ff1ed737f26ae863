# SPDX-License-Identifier: GPL-2.0-or-later
"""gpt-disk.py FILE: a sparse disk of 64 MiB with one GPT partition, named "0": target part:0."""
import struct
import sys
import uuid
import zlib

SECTORS = 131072
FIRST, LAST = 2048, SECTORS - 2048
LINUX = uuid.UUID("0fc63daf-8483-4772-8e79-3d69d8477de4").bytes_le
ID = uuid.UUID(int=1).bytes_le

entry = struct.pack("<16s16sQQQ72s", LINUX, ID, FIRST, LAST, 0, "0".encode("utf-16-le"))
entries = entry.ljust(128 * 128, b"\0")


def header(crc):
    return struct.pack("<8sIIIIQQQQ16sQIII", b"EFI PART", 0x10000, 92, crc, 0, 1, SECTORS - 1, 34,
                       SECTORS - 34, ID, 2, 128, 128, zlib.crc32(entries))


mbr = struct.pack("<446s4B4BII", b"", 0, 0, 2, 0, 0xEE, 255, 255, 255, 1, SECTORS - 1)
with open(sys.argv[1], "wb") as f:
    f.write(mbr.ljust(510, b"\0") + b"\x55\xaa")
    f.write(header(zlib.crc32(header(0))).ljust(512, b"\0"))
    f.write(entries)
    f.truncate(SECTORS * 512)
