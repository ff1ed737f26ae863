# SPDX-License-Identifier: GPL-2.0-or-later
"""Loads rigd with jobs and tells what it cost; see daemon.sh.

    daemon.py SOCKET DATABASE PLAN.json JOBS BOARDS
"""
import json
import os
import socket
import sqlite3
import sys
import time


class Client:
    def __init__(self, path):
        self.s = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.s.connect(path)
        self.data = b""

    def ask(self, request):
        self.s.sendall(json.dumps(request).encode() + b"\n")
        while b"\n" not in self.data:
            self.data += self.s.recv(1 << 20)
        line, self.data = self.data.split(b"\n", 1)
        answer = json.loads(line)
        if not answer["ok"]:
            sys.exit(f"rigd: {answer['error']}")
        return answer


def cpu_s(pid):
    fields = open(f"/proc/{pid}/stat").read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def memory_kb(pid, key):
    for line in open(f"/proc/{pid}/status"):
        if line.startswith(key + ":"):
            return int(line.split()[1])
    return 0


def quantiles(values):
    v = sorted(values)
    if not v:
        return "none"
    at = lambda q: v[min(len(v) - 1, int(q * len(v)))]
    return f"median {at(.5):.1f}, p99 {at(.99):.1f}, worst {v[-1]:.1f}"


def gaps(db):
    """From the end of a job to the start of the next one on the same board, ms."""
    last, out = {}, []
    for board, started, ended in db.execute(
            "SELECT ran_on, started, ended FROM job WHERE id > 10 AND ended > 0 ORDER BY started"):
        if board in last:
            out.append(started - last[board])
        last[board] = ended
    return out


def main():
    path, db_path, plan_path, jobs, boards = sys.argv[1:]
    jobs, boards = int(jobs), int(boards)
    plan = json.load(open(plan_path))
    c = Client(path)
    status = c.ask({"op": "status"})
    pid = status["pid"]
    db = sqlite3.connect(f"file:{db_path}?mode=ro", uri=True)

    idle_cpu, idle_from = cpu_s(pid), time.time()
    time.sleep(5)
    print(f"idle             {(cpu_s(pid) - idle_cpu) / (time.time() - idle_from) * 100:.2f} % of a CPU,"
          f" {memory_kb(pid, 'VmRSS')} KiB")

    # one job on an idle lab, then all of them while nothing may start, then off they go
    names = [b["board"] for b in status["boards"]]
    request = {"op": "submit", "board": "", "type": "virt-ufs", "again": True, "plan": plan}
    alone = []
    for _ in range(10):
        number = c.ask(request)["job"]
        while c.ask({"op": "job", "job": number})["job"]["state"] != "done":
            time.sleep(0.02)
        alone += [r[0] for r in db.execute("SELECT started - submitted FROM job WHERE id = ?", (number,))]
    for name in names:
        c.ask({"op": "hold", "board": name, "hold": "drained", "reason": "bench"})
    took, t0 = [], time.time()
    for _ in range(jobs):
        began = time.time()
        c.ask(request)
        took.append((time.time() - began) * 1000)
    print(f"submit           {jobs} in {time.time() - t0:.1f} s; ms each: {quantiles(took)}")

    answers, cpu0, t0 = [], cpu_s(pid), time.time()
    for name in names:
        c.ask({"op": "hold", "board": name, "hold": ""})
    while True:
        began = time.time()
        s = c.ask({"op": "status"})
        answers.append((time.time() - began) * 1000)
        if not s["open"]:
            break
        time.sleep(0.25)
    wall = time.time() - t0
    cpu = cpu_s(pid) - cpu0
    print(f"all jobs         {wall:.1f} s, {jobs / wall:.1f} a second on {boards} boards")
    print(f"idle board       submitted to started, ms: {quantiles(alone)}")
    print(f"busy board       end of a job to start of the next, ms: {quantiles(gaps(db))}")
    print(f"status           ms to an answer meanwhile: {quantiles(answers)}")
    print(f"rigd             {cpu:.1f} s CPU, {cpu / wall * 100:.1f} % of one, {cpu / jobs * 1000:.1f}"
          f" ms a job; at most {memory_kb(pid, 'VmHWM')} KiB, now {memory_kb(pid, 'VmRSS')}")

    done = db.execute("SELECT count(*) FROM job WHERE state = 'done' AND verdict <> 'INVALID'").fetchone()[0]
    invalid = db.execute("SELECT count(*) FROM job WHERE verdict = 'INVALID'").fetchone()[0]
    twice = db.execute("SELECT count(*) FROM (SELECT object FROM audit WHERE verb = 'running'"
                       " GROUP BY object HAVING count(*) > 1)").fetchone()[0]
    stored = db.execute("SELECT count(*) FROM session WHERE state = 'ended'").fetchone()[0]
    jobs += len(alone)
    print(f"jobs             {done} done, {invalid} INVALID, {jobs - done - invalid} lost, {twice} run twice,"
          f" {stored} sessions stored")
    sys.exit(0 if done + invalid == jobs and stored == jobs and not twice else 1)


main()
