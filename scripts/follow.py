#!/usr/bin/env python3
"""Follows a document: runs its commands and compares what they print with what the document says.

    scripts/follow.py DOCUMENT [--bin FOLDER OF KGATE] [--folder FOLDER]

A fenced block "sh" is run by one shell that stays (variables and folders remain) in a new folder; "sh exit=N" has to
end with that code, others with 0. The block "text" after it is what it prints: each of its lines has to be there, in
that order, where "..." stands for anything. Other blocks are not touched. kgate has to be on the PATH, or in --bin; nothing of a CI job's variables is passed on.
"""
import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile

MARK = "--- end of block"


def blocks(text):
    for found in re.finditer(r"^```(\S*)([^\n]*)\n(.*?)^```$", text, re.M | re.S):
        line = text.count("\n", 0, found.start()) + 1
        yield line, found.group(1), found.group(2).strip(), found.group(3)


def steps(text):
    found = []
    for line, kind, options, body in blocks(text):
        if kind == "sh":
            code = int(options.removeprefix("exit=")) if options else 0
            found.append({"line": line, "script": body, "code": code, "output": []})
        elif kind == "text" and found:
            found[-1]["output"] = body.splitlines()
    return found


class Shell:
    def __init__(self, folder, program_folder):
        # As on a person's machine: no CI job, no configuration of git but the document's.
        environment = {name: os.environ[name] for name in ("PATH", "HOME", "CUDA_HOME", "CUDA_PATH", "LD_LIBRARY_PATH", "CXX")
                       if name in os.environ}
        environment.update(GIT_CONFIG_GLOBAL="/dev/null", GIT_CONFIG_SYSTEM="/dev/null", LC_ALL="C.UTF-8")
        if program_folder:
            environment["PATH"] = f"{os.path.abspath(program_folder)}:{environment['PATH']}"
        self.process = subprocess.Popen(["bash"], cwd=folder, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.STDOUT, text=True, bufsize=1)

    def run(self, script):
        # The first command that fails is the block's answer.
        self.process.stdin.write(f"failed=0; trap 'failed=$?; trap - ERR' ERR\n{{\n{script}\n}} < /dev/null\n"
                                 f"trap - ERR; echo \"{MARK} $failed\"\n")
        self.process.stdin.flush()
        lines = []
        for line in self.process.stdout:
            if line.startswith(MARK):
                return int(line[len(MARK):]), lines
            lines.append(line.rstrip("\n"))
        return self.process.wait(), lines


def missing(wanted, got):
    """The first wanted line that is not there in its order, or None."""
    at = 0
    for line in wanted:
        if not line.strip():
            continue
        pattern = re.compile(".*".join(re.escape(part) for part in line.strip().split("...")))
        while at < len(got) and not pattern.fullmatch(got[at].strip()):
            at += 1
        if at == len(got):
            return line
        at += 1
    return None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("document")
    parser.add_argument("--bin")
    parser.add_argument("--folder")
    arguments = parser.parse_args()
    text = pathlib.Path(arguments.document).read_text()
    found = steps(text)
    if not found:
        sys.exit(f"{arguments.document}: has no block to run")
    with tempfile.TemporaryDirectory() as temporary:
        folder = arguments.folder or temporary
        os.makedirs(folder, exist_ok=True)
        shell = Shell(folder, arguments.bin)
        for step in found:
            print(f"{arguments.document}:{step['line']}:", flush=True)
            code, lines = shell.run(step["script"])
            print("\n".join("    " + line for line in lines), flush=True)
            if code != step["code"]:
                sys.exit(f"{arguments.document}:{step['line']}: exit code {code}, the document says {step['code']}")
            line = missing(step["output"], lines)
            if line is not None:
                sys.exit(f"{arguments.document}:{step['line']}: does not print: {line}")
    print(f"{len(found)} blocks of {arguments.document} do what it says")


if __name__ == "__main__":
    main()
