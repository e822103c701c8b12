#!/usr/bin/env python3
"""Nights and a bisection over the example kernels, as a nightly job and a developer would have them.

    device_nights.py --kgate BIN/kgate --work DIR [--kernels saxpy softmax ...] [--host]

nights   the kernels are accepted; `kgate drift` times them in two nights, then a slower version of one of them is accepted and timed in a
         third. The history must have the three records and hold; the second night must find the first one's times, the third the
         slower version by as much as `kgate run` found, and the others as they were.
bisect   commits that change a kernel's machine code and not its work, one of them slower: `kgate bisect` must name it, in no more
         measurements than halving takes.

--host tries all of it on the host backend; times are told there and not held against anything, since CPUs share their machine. Ends with
a line that says PASS or FAIL, and with 1 for FAIL.
"""

import argparse
import json
import math
import pathlib
import shutil
import subprocess
import sys
import time

from device_experiments import Bench, MARKER, percent, worst_ratio

KERNELS = ["saxpy", "softmax", "reduce"]
KEYS = '''
[[key]]
file = "keys/approver.pub.pem"
roles = ["accept"]
[[key]]
file = "keys/nightly.pub.pem"
roles = ["history"]
'''
SLOWER = 5.0       # percent that the planted slowdown has to cost at least; on the host, which others use, enough to be seen
SLOWER_ON_HOST = 200.0
TOLERANCE = 3.0    # percent by which nights of one version may differ
COMMITS = 16


class Failures(list):
    def want(self, holds, words):
        if not holds:
            self.append(words)
            print(f"FAIL: {words}", flush=True)


class Nights:
    def __init__(self, arguments):
        self.bench = Bench(arguments)
        self.kernels, self.planted = arguments.kernels, arguments.planted
        self.host = arguments.host
        self.failures = Failures()
        self.iterations = 0  # that were planted
        self.slower = SLOWER_ON_HOST if self.host else SLOWER

    def kgate(self, verb, *words):
        """Exit code and output."""
        options = [] if verb in ("verify", "log") else [*self.bench.extra, "--cache", str(self.bench.work / "cache")]
        done = subprocess.run([self.bench.kgate, verb, *words, "--repo", str(self.bench.repository), *options], stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True)
        return done.returncode, done.stdout

    def git(self, *words):
        command = ["git", "-C", str(self.bench.repository), "-c", "user.name=experiment", "-c", "user.email=experiment@localhost"]
        return subprocess.run([*command, *words], check=True, stdout=subprocess.PIPE, text=True).stdout.strip()

    def make_keys(self):
        folder = self.bench.repository / ".kgate/keys"
        folder.mkdir(exist_ok=True)
        for name, role in (("approver", "accept"), ("nightly", "history")):
            subprocess.run([self.bench.kgate, "keygen", name, "--role", role], cwd=self.bench.work, check=True, stdout=subprocess.DEVNULL)
            shutil.move(self.bench.work / f"{name}.pub.pem", folder / f"{name}.pub.pem")
        policy = self.bench.repository / ".kgate/policy.toml"
        policy.write_text(policy.read_text() + KEYS)
        self.git("add", "-A")
        self.bench.commit("Keys")

    def accept(self, *words):
        code, text = self.kgate("accept", *words, "--key", str(self.bench.work / "approver.key.pem"), "--out", str(self.bench.work / "out/accept"))
        if code != 0:
            sys.exit(f"kgate accept {' '.join(words)}: exit code {code}: {text}")

    def night(self, number):
        """(kernel, case) -> (us, record of the accepted version), of this night alone."""
        out = self.bench.work / f"out/night{number}"
        start = time.monotonic()
        code, text = self.kgate("drift", *self.kernels, "--key", str(self.bench.work / "nightly.key.pem"), "--out", str(out))
        self.failures.want(code == 0, f"night {number}: exit code {code}: {text}")
        if not (out / "drift.json").exists():
            sys.exit(f"night {number}: no drift.json (exit code {code}): {text}")
        drift = json.loads((out / "drift.json").read_text())
        record = (drift["appended"] or {}).get("sequence")
        print(f"night {number}: {time.monotonic() - start:.1f} s, record {record}, {drift['verdict']}, drift.html "
              f"{(out / 'drift.html').stat().st_size} bytes", flush=True)
        self.failures.want(record == number, f"night {number} is record {record}")
        figures = {}
        for kernel in drift["kernels"]:
            for case in kernel["cases"]:
                points = case["points"]
                if points["night"] and drift["nights"][points["night"][-1]]["origin"] == "now":
                    figures[kernel["name"], case["name"]] = (points["us"][-1], points["accepted"][-1][1])
        return figures

    def plant(self):
        """A version of one kernel that is slower by so many percent at least; by how much each case is, as kgate run has it."""
        iterations = 16
        while True:
            self.bench.plant({self.planted: iterations})
            result = self.bench.run(f"planted{iterations}", kernels=[self.planted])
            kernel = result["kernels"][0]
            ratio = worst_ratio(kernel)
            if ratio is None:
                sys.exit(f"{self.planted}: not timed: {kernel['verdict']}: {kernel['reason']}")
            if percent(ratio) >= self.slower or iterations >= 1 << 16:
                print(f"planted: {iterations} iterations in {self.planted}, {percent(ratio):+.1f} %, {kernel['verdict']}", flush=True)
                self.failures.want(percent(ratio) >= self.slower, "nothing that was planted made it slower")
                self.iterations = iterations
                return {case["name"]: case["time"]["ratio"] for case in kernel["cases"] if case.get("time")}
            iterations *= 4

    def nights(self):
        self.accept(*self.kernels, "--reason", "first version")
        first, second = self.night(1), self.night(2)
        planted = self.plant()
        self.bench.commit("Slower")
        self.accept(self.planted, "--slower", "planted", "--policy-ref", "main")
        third = self.night(3)
        self.bench.restore()
        self.bench.commit("As it was")
        self.failures.want({kernel for kernel, _ in first} == set(self.kernels), f"night 1 has only {sorted(first)}")
        self.failures.want(first.keys() == second.keys() == third.keys(), "the nights have different cases")
        print(f"{'kernel':12} {'case':16} {'night 1 us':>11} {'night 2':>9} {'night 3':>9}  wanted")
        for key in sorted(first.keys() & second.keys() & third.keys()):
            again, now = percent(second[key][0] / first[key][0]), percent(third[key][0] / second[key][0])
            is_slower = key[0] == self.planted
            wanted = percent(planted[key[1]]) if is_slower and key[1] in planted else 0.0
            print(f"{key[0]:12} {key[1]:16} {first[key][0]:11.2f} {again:+8.2f}% {now:+8.2f}% {wanted:+7.2f}%", flush=True)
            self.failures.want((third[key][1] != second[key][1]) == is_slower, f"{key}: record {second[key][1]} -> {third[key][1]}")
            if not self.host:
                self.failures.want(abs(again) <= TOLERANCE, f"{key}: night 2 differs by {again:+.2f} %")
                self.failures.want(abs(now - wanted) <= TOLERANCE, f"{key}: night 3 differs by {now:+.2f} %, not {wanted:+.2f} %")
        code, text = self.kgate("verify")
        self.failures.want(code == 0 and "kgate/history: 3 records" in text, f"kgate verify: exit code {code}: {text}")

    def bisect(self):
        source = self.bench.sources[self.planted]
        self.bench.plant({self.planted: self.iterations})
        slow, fast = source.read_text(), self.bench.originals[self.planted]
        good, culprit = self.git("rev-parse", "HEAD"), ""
        for number in range(1, COMMITS + 1):
            is_slow = number >= COMMITS * 2 // 3
            source.write_text((slow if is_slow else fast) + MARKER.format(n=number))
            self.bench.commit(f"Change {number}")
            if is_slow and not culprit:
                culprit = self.git("rev-parse", "HEAD")
        out = self.bench.work / "out/bisect"
        start = time.monotonic()
        code, text = self.kgate("bisect", good, "HEAD", self.planted, "--out", str(out))
        seconds = time.monotonic() - start
        if not (out / "bisect.json").exists():
            sys.exit(f"kgate bisect: no bisect.json (exit code {code}): {text}")
        found = json.loads((out / "bisect.json").read_text())
        suspects = [one["commit"] for one in found["suspects"]]
        print(text)
        print(f"bisect: {len(suspects)} of {found['commits']} commits, {found['measurements']} measurements, {seconds:.1f} s, exit code {code}")
        if self.host and code == 3:
            print("bisect: this host is too noisy to tell; nothing is asked of it")
            return
        self.failures.want(code == 1, f"kgate bisect: exit code {code}")
        self.failures.want(suspects == [culprit], f"kgate bisect names {suspects}, not {culprit}")
        most = 1 + math.ceil(math.log2(COMMITS))
        self.failures.want(found["measurements"] <= most, f"{found['measurements']} measurements, where {most} do")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kgate", required=True)
    parser.add_argument("--work", required=True)
    parser.add_argument("--kernels", nargs="*", default=KERNELS)
    parser.add_argument("--planted", default="softmax", help="the kernel that becomes slower")
    parser.add_argument("--host", action="store_true", help="on the host backend, to try this script")
    arguments = parser.parse_args()
    shutil.rmtree(arguments.work, ignore_errors=True)
    arguments.extra = ["--backend", "host"] if arguments.host else []
    arguments.device = arguments.threads = None
    arguments.timed_only = True
    start = time.monotonic()
    nights = Nights(arguments)
    nights.make_keys()
    nights.nights()
    nights.bisect()
    print(f"nights: {'FAIL: ' + nights.failures[0].splitlines()[0] if nights.failures else 'PASS'} ({time.monotonic() - start:.0f} s)")
    return 1 if nights.failures else 0


if __name__ == "__main__":
    sys.exit(main())
