# SPDX-License-Identifier: GPL-2.0-or-later
"""ms from the first byte of "Kernel panic" on a visit's console to the fault in the journal.

panic-delay.py RUNDIR VISITDIR
"""
import json
import sys

run, visit = sys.argv[1:]
with open(f"{visit}/console.log", "rb") as f:
    at = f.read().index(b"Kernel panic")
printed = 0
with open(f"{visit}/console.idx") as f:
    for line in f:
        ms, offset = line.split()
        if int(offset) <= at:
            printed = int(ms)
with open(f"{run}/events.jsonl") as f:
    events = [json.loads(line) for line in f]
print(next(e["mono_ms"] for e in events if e["ev"] == "fault") - printed)
