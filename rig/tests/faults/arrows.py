# SPDX-License-Identifier: GPL-2.0-or-later
"""Every arrow of the states of jobs and boards, struck before and after the store knows of it, by
every fault that finds something to hit there. Real rigd, rig-job and keeper, scripted machine.

    arrows.py [--only TEXT] [--jobs N] [--list]

What must hold afterwards, with the fault gone and a daemon there: every job has ended, once; no PASS
or FAIL but what the journal bears out, never the kernel's blame; every run directory that began is
stored; nothing runs, no lock is held, every board is known to be off; the store is sound.
"""
import argparse
import concurrent.futures
import fcntl
import glob
import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "../../.."))
BIN = os.path.join(ROOT, "build/bin")
TINY = os.path.join(ROOT, "rig/tests/vm/tiny.yaml")
GOOD, SAME, LONG, BAD = "id:00000000000000aa", "id:00000000000000ab", "id:00000000000000ee", "id:00000000000000bd"
LIMIT_S = 60


class Violation(Exception):
    pass


class Lab:
    """One $RIG_HOME with one board, and the daemon on it."""

    def __init__(self, directory, small, strike_at, strike_with):
        # what is to hit a machine needs one that runs for a while
        step_ms = 1000 if strike_with in ("qemu", "tty") else 150
        self.dir = directory
        self.home = os.path.join(directory, "home")
        self.small = small
        os.makedirs(self.home)
        if small:
            self.mount()
        os.makedirs(os.path.join(self.home, "kernels"))
        with open(os.path.join(self.home, "lab.yaml"), "w") as f:
            f.write("boards:\n- {name: sim-1, type: virt-ufs, boot_timeout_s: 20, qemu: %s/build/fakes/fake-qemu}\n"
                    "daemon: {disk_low_mb: 0, disk_reserve_mb: 2, job_disk_mb: 1}\n" % ROOT)
        for kernel, words in ((GOOD, "fake=numbers fake-iops=1000"), (SAME, "fake=numbers fake-iops=1000"),
                              (LONG, "fake=numbers fake-iops=1000 fake-step-ms=%d" % step_ms),
                              (BAD, "fake=numbers")):
            self.kernel(kernel[3:], words)
        self.env = dict(os.environ, RIG_HOME=self.home, PATH=BIN + ":" + os.environ["PATH"],
                        STRIKE_AT=strike_at, STRIKE_WITH=strike_with, STRIKE_DIR=directory)
        self.env.pop("RIG_SOCKET", None)
        self.log = open(os.path.join(directory, "rigd.log"), "ab")
        self.daemon = None

    def mount(self):
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=12m", "tmpfs", self.home], check=True)

    def kernel(self, number, words):
        d = os.path.join(self.home, "kernels", number)
        os.makedirs(d)
        for name, text in (("Image", "6.12.0-fake"), ("fake", words),
                           ("manifest", f"id={number}\nname=k{number[-2:]}\nimage=Image\nrelease=6.12.0-fake\n"
                            "board=virt-ufs\narch=arm64\npatches_hash=p\nconfig_hash=c\ncompiler=n\n")):
            with open(os.path.join(d, name), "w") as f:
                f.write(text)

    def start(self, strike):
        env = dict(self.env)
        if strike:
            env["RIG_STRIKE"] = os.path.join(ROOT, "rig/tests/faults/strike.sh")
        self.daemon = subprocess.Popen([os.path.join(BIN, "rigd")], env=env, stdin=subprocess.DEVNULL,
                                       stdout=self.log, stderr=self.log)

    def alive(self):
        return self.daemon and self.daemon.poll() is None

    def stop(self, sig=15):
        if self.alive():
            self.daemon.send_signal(sig)
        if self.daemon:
            self.daemon.wait(30)

    def rig(self, *args):
        return subprocess.run(["rig", *args], env=self.env, stdin=subprocess.DEVNULL, capture_output=True,
                              text=True, timeout=90)

    def rows(self, query):
        db = None
        try:
            db = sqlite3.connect(f"file:{self.home}/results.db?mode=ro", uri=True, timeout=10)
            return db.execute(query).fetchall()
        except sqlite3.Error:
            return []
        finally:
            if db:
                db.close()

    def hit(self):
        path = os.path.join(self.dir, "hit")
        return open(path).read().split() if os.path.exists(path) else []

    def wait(self, what, condition, limit=LIMIT_S):
        """With a daemon there: one that was struck is followed by another."""
        until = time.time() + limit
        while True:
            if not self.alive():
                if not os.path.exists(os.path.join(self.dir, "once")):
                    raise Violation("rigd died by itself: " + self.last_words())
                self.start(strike=False)
                time.sleep(0.2)
            # a full disk lasts for two seconds
            filler = os.path.join(self.home, "filler")
            if os.path.exists(filler) and time.time() - os.stat(filler).st_mtime > 2:
                for f in glob.glob(filler + "*"):
                    os.unlink(f)
            if condition():
                return
            if time.time() > until:
                raise Violation(f"{what} did not come to be in {limit} s: {self.last_words()}")
            time.sleep(0.05)

    def last_words(self):
        self.log.flush()
        return " | ".join(open(os.path.join(self.dir, "rigd.log")).read().splitlines()[-4:])

    # ---- what the scenarios are made of

    def board(self):
        rows = self.rows("SELECT state, hold FROM board_state WHERE name = 'sim-1'")
        return rows[0] if rows else ("", "")

    def board_is(self, state):
        self.wait(f"board {state}", lambda: self.alive() and self.board()[0] == state)

    def until_done(self, done, *args):
        """A command that may meet a daemon that dies: again, until its effect is there."""
        def step():
            if done():
                return True
            self.rig(*args)
            return done()
        self.wait(" ".join(args), step)

    def submit(self, baseline, candidate):
        def count():
            return len(self.rows("SELECT id FROM job"))
        before = count()
        self.until_done(lambda: count() > before, "submit", TINY, "--board", "sim-1", "--baseline", baseline,
                        "--candidate", candidate, "--again")

    def job_state(self):
        rows = self.rows("SELECT state FROM job ORDER BY id DESC LIMIT 1")
        return rows[0][0] if rows else ""

    def job_is(self, *states):
        self.wait(f"job {states}", lambda: self.job_state() in states)

    def over(self):
        self.job_is("done", "cancelled")

    def cancel(self):
        def done():
            return bool(self.rows("SELECT 1 FROM job WHERE cancelled_by <> '' OR state IN ('done', 'cancelled')"))
        self.until_done(done, "cancel", "1")

    def hold(self, word):
        flag = {"drained": "--drain", "quarantined": "--quarantine"}[word]
        self.until_done(lambda: self.board()[1] == word, "boards", flag, "sim-1", "--reason", "a test")

    def resume(self):
        self.until_done(lambda: self.board()[1] == "", "boards", "--resume", "sim-1")

    def leases(self):
        return self.rows("SELECT id FROM lease")

    def lease(self):
        self.until_done(lambda: bool(self.leases()), "lease", "take", "sim-1", "--reason", "a test")

    def release(self):
        for (number,) in self.leases():
            self.until_done(lambda: not self.leases(), "lease", "release", str(number))


# ---- scenarios: each takes the daemon along some arrows

def normal(lab):
    lab.submit(LONG, SAME)
    lab.over()


def cancel_running(lab):
    lab.submit(LONG, SAME)
    lab.job_is("running", "ending", "done", "cancelled")
    lab.cancel()
    lab.over()


def cancel_queued(lab):
    lab.hold("drained")
    lab.submit(GOOD, SAME)
    lab.cancel()
    lab.over()
    lab.resume()


def not_begun(lab):
    lab.hold("drained")
    lab.submit(BAD, GOOD)
    shutil.rmtree(os.path.join(lab.home, "kernels", BAD[3:]))
    lab.resume()
    lab.over()


def leased(lab):
    lab.lease()
    lab.release()
    lab.board_is("safe")


def held_busy(word):
    def scenario(lab):
        lab.submit(LONG, SAME)
        lab.job_is("running", "ending", "done")
        lab.hold(word)
        lab.over()
        lab.board_is(word)
        lab.resume()
    return scenario


def held_free(lab):
    lab.hold("drained")
    lab.board_is("drained")
    lab.hold("quarantined")
    lab.board_is("quarantined")
    lab.hold("drained")
    lab.board_is("drained")
    lab.resume()
    lab.board_is("safe")
    lab.hold("quarantined")
    lab.board_is("quarantined")
    lab.resume()


def leased_held(word):
    def scenario(lab):
        lab.hold(word)
        lab.board_is(word)
        lab.lease()
        lab.release()
        lab.board_is(word)
        lab.resume()
    return scenario


def restarted(*before):
    """A second daemon finds a board in that state."""
    def scenario(lab):
        for step in before:
            step(lab)
        lab.stop(9 if lab.alive() else 15)
        lab.start(strike=True)
        lab.wait("the arrow", lambda: os.path.exists(os.path.join(lab.dir, "once")), 30)
        lab.wait("a board that is known", lambda: lab.alive() and lab.board()[0] not in ("unknown", ""))
        lab.release()
        if lab.board()[1]:
            lab.resume()
        if lab.rows("SELECT 1 FROM job"):
            lab.over()
    scenario.late = True  # the first daemon is not struck
    return scenario


def running(lab):
    lab.submit(LONG, LONG)
    lab.job_is("running")


SCENARIOS = {
    "normal": normal, "cancel-running": cancel_running, "cancel-queued": cancel_queued, "not-begun": not_begun,
    "lease": leased, "drain-busy": held_busy("drained"), "quarantine-busy": held_busy("quarantined"),
    "hold": held_free, "lease-drained": leased_held("drained"), "lease-quarantined": leased_held("quarantined"),
    "restart-safe": restarted(), "restart-lease": restarted(lambda lab: lab.lease()),
    "restart-drained": restarted(lambda lab: lab.hold("drained")),
    "restart-quarantined": restarted(lambda lab: lab.hold("quarantined")),
    "restart-job": restarted(running),
}

# Which scenario leads along an arrow.
ARROWS = {
    "job queued starting": "normal", "job queued cancelled": "cancel-queued", "job starting running": "normal",
    "job starting queued": "not-begun", "job starting ending": "not-begun", "job running ending": "normal",
    "job ending done": "normal", "job ending cancelled": "cancel-running",
    "board unknown safe": "restart-safe", "board unknown busy": "restart-lease",
    "board unknown drained": "restart-drained", "board unknown quarantined": "restart-quarantined",
    "board safe busy": "normal", "board safe drained": "hold", "board safe quarantined": "hold",
    "board safe unknown": "restart-safe", "board busy safe": "normal", "board busy drained": "drain-busy",
    "board busy quarantined": "quarantine-busy", "board busy unknown": "lease",
    "board drained unknown": "hold", "board drained busy": "lease-drained",
    "board drained quarantined": "hold", "board quarantined unknown": "hold",
    "board quarantined busy": "lease-quarantined", "board quarantined drained": "hold",
}
FAULTS = ("rigd", "job", "keeper", "qemu", "tty", "enospc", "all")


def manual_arrows():
    """The arrows that rigd(8) shows, which a unit test holds to be those of the table."""
    out, kind = [], "job"
    for line in open(os.path.join(ROOT, "rig/man/rigd.8.scd")):
        kind = "board" if "Every arrow of a board" in line else kind
        m = re.match(r"([a-z]+) -> ([a-z]+): ", line)
        if m:
            out.append(f"{kind} {m[1]} {m[2]}")
    return out


def cases():
    for arrow in manual_arrows():
        for when in ("before", "after"):
            for fault in FAULTS:
                # processes of a job are there while it starts and runs: see below
                if fault not in ("job", "keeper", "qemu", "tty"):
                    yield arrow, when, fault, ARROWS[arrow]
    for name in ("normal", "cancel-running", "drain-busy", "quarantine-busy"):
        for when in ("before", "after"):
            for fault in ("job", "keeper", "qemu", "tty"):
                yield "job starting running", when, fault, name
    # taken over, and struck then
    for fault in FAULTS[:-1]:
        yield "board unknown busy", "after", fault, "restart-job"


# ---- what must hold

def processes(lab, names):
    """pid: name of those that carry this $RIG_HOME."""
    found = {}
    for p in glob.glob("/proc/[0-9]*"):
        try:
            comm = open(p + "/comm").read().strip()
            if comm in names and f"RIG_HOME={lab.home}\0" in open(p + "/environ").read():
                found[int(p[6:])] = comm
        except OSError:
            pass
    return found


def check_processes(lab):
    return processes(lab, ("fake-qemu", "rig-job", "rig-console"))


def check_locks(lab):
    for path in glob.glob(lab.home + "/boards/*.lock") + glob.glob(lab.home + "/runs/*/lock"):
        with open(path) as f:
            try:
                fcntl.flock(f, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                raise Violation(f"{path} is locked") from None


def journal(directory):
    events = []
    for line in open(os.path.join(directory, "events.jsonl"), "rb").read().split(b"\n")[:-1]:
        try:
            events.append(json.loads(line))
        except ValueError:
            raise Violation(f"{directory}: a journal line that cannot be read") from None
    return events


def check_job(lab, number, session, verdict):
    directory = os.path.join(lab.home, "runs", session)
    if not session or not os.path.exists(os.path.join(directory, "session.json")):
        if verdict not in ("", "INVALID"):
            raise Violation(f"job {number}: {verdict} without a run")
        return
    events = journal(directory)
    ends = [e for e in events if e["ev"] == "session-end"]
    if len(ends) != 1:
        raise Violation(f"job {number}: {len(ends)} ends in its journal")
    good = [e for e in events if e["ev"] == "visit-end" and e["result"] == "ok"]
    faults = [e for e in events if e["ev"] == "fault"]
    if any(e["blame"] in ("KERNEL", "TEST") for e in faults) or verdict == "FAIL":
        raise Violation(f"job {number}: {verdict}, the kernel was blamed: {faults}")
    if verdict in ("PASS", "INCONCLUSIVE") and (len(good) < 8 or faults):
        raise Violation(f"job {number}: {verdict} after {len(good)} good visits and {len(faults)} faults")
    if verdict == "" :
        raise Violation(f"job {number}: no verdict")


def check(lab):
    lab.wait("a safe board", lambda: lab.alive() and lab.board() == ("safe", ""))
    lab.wait("an end of all processes", lambda: not check_processes(lab), 20)
    check_locks(lab)
    jobs = lab.rows("SELECT id, state, session, verdict FROM job")
    begun = 0
    for number, state, session, verdict in jobs:
        if state not in ("done", "cancelled"):
            raise Violation(f"job {number} is {state}")
        if state == "done" or session:
            check_job(lab, number, session, verdict)
    stored = {r[0] for r in lab.rows("SELECT name FROM session WHERE state = 'ended'")}
    for directory in glob.glob(lab.home + "/runs/*"):
        if os.path.exists(directory + "/session.json"):
            begun += 1
            if os.path.basename(directory) not in stored:
                raise Violation(f"{directory} is not stored")
    if begun > len(jobs):
        raise Violation(f"{len(jobs)} jobs, {begun} runs: run twice")
    if lab.leases():
        raise Violation("a lease is left")
    out = lab.rig("db", "check")
    if out.returncode:
        raise Violation("the store: " + out.stderr)


def run_case(case):
    arrow, when, fault, name = case
    directory = tempfile.mkdtemp(prefix="rig-arrows.")
    lab = None
    try:
        scenario = SCENARIOS[name]
        lab = Lab(directory, fault == "enospc", f"{when} {arrow}", fault)
        lab.start(strike=not getattr(scenario, "late", False))
        lab.wait("a first look", lambda: lab.rig("top", "--once").returncode == 0
                 or os.path.exists(os.path.join(directory, "once")))
        lab.wait("a safe board at the start", lambda: lab.board()[0] == "safe"
                 or os.path.exists(os.path.join(directory, "once")))
        scenario(lab)
        until = time.time() + 20
        while not os.path.exists(os.path.join(directory, "struck")):
            if time.time() > until:
                raise Violation(f"{name} did not lead along the arrow")
            time.sleep(0.05)
        check(lab)
        return case, "ok" if lab.hit() else "-", ""
    except Violation as v:
        return case, "BAD", str(v)
    except (subprocess.SubprocessError, OSError, KeyError) as e:
        return case, "BAD", repr(e)
    finally:
        if lab:
            lab.stop(9)
            for p in glob.glob("/proc/[0-9]*"):
                try:
                    if f"RIG_HOME={lab.home}\0" in open(p + "/environ").read() and int(p[6:]) != os.getpid():
                        os.kill(int(p[6:]), 9)
                except OSError:
                    pass
            if lab.small:
                subprocess.run(["umount", "-l", lab.home], check=False)
        shutil.rmtree(directory, ignore_errors=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--only", default="")
    parser.add_argument("--jobs", type=int, default=2 * (os.cpu_count() or 1))
    parser.add_argument("--list", action="store_true")
    args = parser.parse_args()
    wanted = [c for c in cases() if args.only in " ".join(c)]
    if os.geteuid():
        wanted = [c for c in wanted if c[2] != "enospc"]
        print("skip enospc: no right to mount a tmpfs")
    if args.list:
        for c in wanted:
            print(*c)
        return 0
    results = {}
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        for case, word, why in pool.map(run_case, wanted):
            results[case] = word
            if word == "BAD":
                print("not ok", *case, "\n  #", why, flush=True)
            elif word == "ok":
                print("ok", *case, flush=True)
    print_table(results)
    return 1 if "BAD" in results.values() else 0


def print_table(results):
    print("\n%-26s %-19s %-7s" % ("arrow", "scenario", "") + "".join("%8s" % f for f in FAULTS))
    rows = {}
    for (arrow, when, fault, name), word in results.items():
        key = (arrow, name, when)
        rows.setdefault(key, {})[fault] = word
    for (arrow, name, when), row in rows.items():
        print("%-26s %-19s %-7s" % (arrow, name, when) + "".join("%8s" % row.get(f, "") for f in FAULTS))
    n = list(results.values())
    print(f"{n.count('ok')} struck and sound, {n.count('BAD')} violations, {n.count('-')} where nothing was to be hit")


if __name__ == "__main__":
    sys.exit(main())
