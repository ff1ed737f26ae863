# SPDX-License-Identifier: GPL-2.0-or-later
"""The host loses its power at random moments, while jobs run and wait.

    power.py [--moments N] [--seed N]

$RIG_HOME is a file system in a file. At the moment everything stops at once, and the file is copied:
it holds what had reached the disk, not what was in the page cache. Then everything is killed, the
copy is mounted in the place of the original (its journal replayed), and a new rigd has it. What
must hold afterwards is that of arrows.py; and no job that rigd had acknowledged may be missing.
"""
import argparse
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import arrows

OURS = ("rigd", "rig-job", "rig-console", "fake-qemu", "rig")


class DiskLab(arrows.Lab):
    def mount(self):
        self.image = os.path.join(self.dir, "disk")
        with open(self.image, "wb") as f:
            f.truncate(48 << 20)
        subprocess.run(["mkfs.ext4", "-q", "-F", self.image], check=True)
        self.mount_image()

    def mount_image(self):
        # nothing reaches the disk by itself: only what is synced
        subprocess.run(["mount", "-o", "loop,commit=300", self.image, self.home], check=True)

    def lose_power(self):
        for pid in arrows.processes(self, OURS):
            signal_safely(pid, signal.SIGSTOP)
        copy = os.path.join(self.dir, "copy")
        subprocess.run(["cp", "--sparse=always", self.image, copy], check=True)
        while arrows.processes(self, OURS):
            for pid in arrows.processes(self, OURS):
                signal_safely(pid, signal.SIGKILL)
            time.sleep(0.02)
        self.daemon.wait(10)
        subprocess.run(["umount", self.home], check=True)
        os.rename(copy, self.image)
        self.mount_image()
        # that a daemon is gone is no fault of its own now
        os.mkdir(os.path.join(self.dir, "once"))


def signal_safely(pid, sig):
    try:
        os.kill(pid, sig)
    except ProcessLookupError:
        pass


def one(moment_s):
    """"" or what is wrong."""
    directory = tempfile.mkdtemp(prefix="rig-power.")
    lab = None
    try:
        lab = DiskLab(directory, True, "", "")
        subprocess.run(["sync", "-f", lab.home], check=True)
        lab.start(strike=False)
        lab.wait("a safe board", lambda: lab.board()[0] == "safe")
        began = time.time()
        acknowledged = 0
        while time.time() - began < moment_s:
            if acknowledged < 3:
                acknowledged += lab.rig("submit", arrows.TINY, "--board", "sim-1", "--baseline", arrows.LONG,
                                        "--candidate", arrows.SAME, "--again").returncode == 0
            else:
                time.sleep(max(0.0, moment_s - (time.time() - began)))
        lab.lose_power()
        lab.start(strike=False)
        lab.wait("a look at the store", lambda: lab.rig("top", "--once").returncode == 0)
        kept = len(lab.rows("SELECT id FROM job"))
        if kept < acknowledged:
            raise arrows.Violation(f"{acknowledged} jobs were acknowledged, {kept} are there")
        lab.wait("the end of all jobs", lambda: lab.alive() and not lab.rows(
            "SELECT 1 FROM job WHERE state NOT IN ('done', 'cancelled')"))
        arrows.check(lab)
        verdicts = ",".join(r[0] for r in lab.rows("SELECT verdict FROM job ORDER BY id"))
        return "", f"{acknowledged} acknowledged: {verdicts}"
    except arrows.Violation as v:
        return str(v), ""
    except (subprocess.SubprocessError, OSError) as e:
        return repr(e), ""
    finally:
        if lab:
            lab.stop(9)
            for pid in arrows.processes(lab, OURS):
                signal_safely(pid, signal.SIGKILL)
            subprocess.run(["umount", "-l", lab.home], check=False)
        shutil.rmtree(directory, ignore_errors=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--moments", type=int, default=30)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    args = parser.parse_args()
    if os.geteuid():
        print("skip power: no right to mount a file system")
        return 0
    random.seed(args.seed)
    print("seed", args.seed)
    bad = 0
    for i in range(args.moments):
        moment = random.uniform(0.0, 4.0)
        why, what = one(moment)
        bad += bool(why)
        print(f"{'not ok' if why else 'ok'} power lost after {moment:.2f} s  {why or what}", flush=True)
    print(f"{args.moments - bad} of {args.moments} recovered")
    return 1 if bad else 0


sys.exit(main())
