#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Reading a file by TFTP (RFC 1350, block size by RFC 2348), as a bootloader does.

tftp_get.py SERVER NAME OUT     $TFTP_TRIES: how often it asks, 2 s apart
"""
import os
import socket
import struct
import sys

DATA, ACK, ERROR, OACK = 3, 4, 5, 6
TIMEOUT_S = 2
TRIES = int(os.environ.get("TFTP_TRIES") or 4)
BLOCK = 1468  # U-Boot's tftpblocksize: a packet of Ethernet


def fetch(server, name, block_size=512):
    request = b"\0\1" + name.encode() + b"\0octet\0"
    if block_size != 512:
        request += b"blksize\0%d\0" % block_size
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
        s.settimeout(TIMEOUT_S)
        data, expected, last, peer = [], 1, request, (server, 69)
        tries = 0
        while True:
            s.sendto(last, peer)
            try:
                packet, peer = s.recvfrom(65536)
            except TimeoutError:
                tries += 1
                if tries == TRIES:
                    raise
                continue
            opcode, number = struct.unpack_from(">HH", packet)
            if opcode == ERROR:
                raise OSError(packet[4:].rstrip(b"\0").decode())
            if opcode == OACK:
                # a server may answer with a smaller block
                options = packet[2:].split(b"\0")
                block_size = int(options[options.index(b"blksize") + 1])
                last = struct.pack(">HH", ACK, 0)
            elif opcode == DATA and number == expected & 0xffff:
                data.append(packet[4:])
                last = struct.pack(">HH", ACK, number)
                expected += 1
                if len(packet) - 4 < block_size:
                    s.sendto(last, peer)
                    return b"".join(data)


if __name__ == "__main__":
    try:
        got = fetch(sys.argv[1], sys.argv[2], BLOCK)
    except OSError as e:
        sys.exit("error %s" % e)
    with open(sys.argv[3], "wb") as f:
        f.write(got)
    print("size %d" % len(got))
