#!/usr/bin/env python3
"""kgate check --sanitize on a real GPU: four kernels with one planted bug each, which plain checking passes or may pass, and a clean one.

    device_sanitize.py --kgate BIN/kgate --work DIR [--device GPU]

Needs kgate's binaries, git, python3 and NVIDIA's compute-sanitizer. Each bug must be found by its tool, at its line; the clean kernel must
be without a finding. Prints a table and exits with 1 where something is missing.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys

MARK = "// planted"  # the line that a tool must name; a race has two

POLICY = 'schema = "kgate.policy/1"\n[trust]\nunsigned = "warn"\n'
KERNEL = """schema = "kgate.kernel/1"
kind = "cuda"
sources = ["{name}.cu"]
[[launch]]
entry = "{name}"
grid = ["n / 64", 1, 1]
block = [64, 1, 1]
"""
WORKSPACE = """args = ["y", "x", "scratch"]
[[workspace]]
name = "scratch"
dtype = "f32"
shape = ["n"]
"""
CASES = """schema = "kgate.cases/1"
kernel = "{name}"
revision = 1
[[param]]
name = "y"
kind = "out"
dtype = "f32"
shape = ["n"]
[[param]]
name = "x"
kind = "in"
dtype = "f32"
shape = ["n"]
[reference]
sources = ["reference.cu"]
entry = "reference"
grid = [1, 1, 1]
block = [1, 1, 1]
[[case]]
name = "small"
role = "correctness"
sizes = {{ n = 256 }}
inputs = {{ x = {{ normal = [0.0, 1.0] }} }}
seed = "fresh"
tolerance = {{ y = {{ rtol = 0.0 }} }}
"""
# y is x turned round within each block of 64.
REFERENCE = """__global__ void reference(float* y, const float* x) {
  for (int i = 0; i < 256; ++i) y[i] = x[i / 64 * 64 + 63 - i % 64];
}
"""
# What is read wrongly is compared with a number that never comes: the output is right all the same.
SOURCES = {
    "clean": """__global__ void clean(float* y, const float* x) {
  __shared__ float tile[64];
  const int i = blockIdx.x * 64 + threadIdx.x;
  tile[threadIdx.x] = x[i];
  __syncthreads();
  y[i] = tile[63 - threadIdx.x];
}
""",
    "overread": """__global__ void overread(float* y, const float* x) {
  const int i = blockIdx.x * 64 + threadIdx.x;
  const float next = x[i + 1];  // planted
  y[i] = next == 12345.25f ? 0.0f : x[blockIdx.x * 64 + 63 - threadIdx.x];
}
""",
    "race": """__global__ void race(float* y, const float* x) {
  __shared__ float tile[64];
  const int i = blockIdx.x * 64 + threadIdx.x;
  tile[threadIdx.x] = x[i];  // planted
  y[i] = tile[63 - threadIdx.x];  // planted
}
""",
    "unwritten": """__global__ void unwritten(float* y, const float* x, const float* scratch) {
  const int i = blockIdx.x * 64 + threadIdx.x;
  const float old = scratch[i];  // planted
  y[i] = old == 12345.25f ? 0.0f : x[blockIdx.x * 64 + 63 - threadIdx.x];
}
""",
    "divergent": """__global__ void divergent(float* y, const float* x) {
  __shared__ float tile[64];
  const int i = blockIdx.x * 64 + threadIdx.x;
  tile[threadIdx.x] = x[i];
  __syncthreads();
  const float other = tile[63 - threadIdx.x];
  if (threadIdx.x < 48) {
    __syncthreads();  // planted
    tile[threadIdx.x] = other;
  }
  y[i] = other;
}
""",
}
EXPECTED = {
    "overread": ("memcheck", "invalid_read"),
    "race": ("racecheck", "race"),
    "unwritten": ("initcheck", "uninitialized_read"),
    "divergent": ("synccheck", "barrier_error"),
}


def make_repository(folder):
    def write(path, text):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    write(folder / ".kgate/policy.toml", POLICY)
    for name, source in SOURCES.items():
        kernel = folder / "kernels" / name
        write(kernel / "kernel.toml", KERNEL.format(name=name) + (WORKSPACE if name == "unwritten" else ""))
        write(kernel / "cases.toml", CASES.format(name=name))
        write(kernel / f"{name}.cu", source)
        write(kernel / "reference.cu", REFERENCE)
    environment = {**os.environ, "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_SYSTEM": "/dev/null"}
    for command in (["init", "-q", "-b", "main"], ["add", "-A"],
                    ["-c", "user.name=device", "-c", "user.email=device@localhost", "commit", "-qm", "five kernels"]):
        subprocess.run(["git", "-C", str(folder), *command], check=True, env=environment)


def lines_of(name):
    return {number for number, line in enumerate(SOURCES[name].splitlines(), 1) if line.endswith(MARK)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kgate", required=True)
    parser.add_argument("--work", required=True)
    parser.add_argument("--device", help="the GPU, by index or UUID")
    parser.add_argument("--extra", nargs="*", default=[], help="further options of kgate check")
    arguments = parser.parse_args()
    work = pathlib.Path(arguments.work).resolve()
    repository, out = work / "sanitize-repository", work / "sanitize-out"
    if not repository.exists():
        make_repository(repository)
    command = [str(pathlib.Path(arguments.kgate).resolve()), "check", "--sanitize", "--backend", "cuda", "--repo", str(repository),
               "--policy-ref", "main", "--out", str(out), *(["--device", arguments.device] if arguments.device else []), *arguments.extra]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    print(done.stdout)
    path = out / "result.json"
    if not path.exists():
        sys.exit(f"sanitize: no result (exit code {done.returncode})")
    result = json.loads(path.read_text())
    sanitizer = result.get("sanitizer", {})
    good = done.returncode == 2 and sanitizer.get("available", False)
    print(f"sanitize: exit code {done.returncode} (2 is right), compute-sanitizer {sanitizer.get('version')}, tools "
          f"{', '.join(sanitizer.get('tools', []))}, {result['timings']['check_s']:.1f} s")
    for kernel in result["kernels"]:
        name, file = kernel["name"], f"kernels/{kernel['name']}/{kernel['name']}.cu"
        found = [one for one in sanitizer.get("findings", []) if one["kernel"] == name]
        if name not in EXPECTED:
            right = not found and kernel["verdict"] == "unchanged"
        else:
            tool, kind = EXPECTED[name]
            right = kernel["verdict"] == "wrong" and any(
                (one["tool"], one["kind"], one["file"]) == (tool, kind, file) and one["line"] in lines_of(name) for one in found)
        good = good and right
        print(f"  {'ok ' if right else 'BAD'} {name:10} {kernel['verdict']:11} {kernel['reason'][:100]}")
        for one in found:
            print(f"        {one['tool']} {one['kind']} {one['severity']} {one['file']}:{one['line']} x{one['count']}")
    return 0 if good else 1


sys.exit(main())
