#!/usr/bin/env python3
"""Plants a slowdown: writes a version of a kernel's source that does the same and takes longer.

    plant.py kernels/softmax/softmax.cu --iterations 120 -o planted.cu

Every kernel (`__global__` function) of the source gets a call of kgate_extra_work<ITERATIONS>() as its first statement; see common/work.cuh,
which the kernel must be able to include (`include_dirs` and `headers` in its kernel.toml). How much time an iteration costs depends on the
kernel and the device (a GPU hides some of it behind memory traffic, a CPU none): measure a few values, and choose.

  --iterations N   multiply-adds that each thread does more, one after the other (0: the call alone, which compiles to nothing)
  --every K        only the threads of every K-th block: for steps finer than an iteration a thread (default: 1, all blocks)
  --kernel NAME    only in this __global__ function; may be given several times (default: in all of them)
  -o FILE          where to write (default: to standard output); may be the source itself
"""

import argparse
import re
import sys

# Comments and literals are skipped as wholes, so that a brace or a word in them counts for nothing.
TOKEN = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|\w+|[^\w\s]', re.S)


def tokens(text):
    """(text, start, end) of every token that is neither comment nor literal."""
    for match in TOKEN.finditer(text):
        token = match.group()
        if token[0] not in '"\'' and not token.startswith(("//", "/*")):
            yield token, match.start(), match.end()


def bodies(text):
    """(name, offset just after the opening brace) of every __global__ function that is defined in the text."""
    found = []
    inside = False  # between __global__ and its body
    depth = 0
    name = before = ""
    for token, _, end in tokens(text):
        if token == "__global__":
            inside, depth, name = True, 0, ""
        elif inside and token == "(":
            if depth == 0 and not before.startswith("__"):  # not __launch_bounds__(...)
                name = before
            depth += 1
        elif inside and token == ")":
            depth -= 1
        elif inside and depth == 0 and token == ";":  # a declaration
            inside = False
        elif inside and depth == 0 and token == "{":
            found.append((name, end))
            inside = False
        before = token
    return found


def plant(text, iterations, every=1, kernels=None):
    found = bodies(text)
    if not found:
        raise ValueError("defines no __global__ function; name a kernel's .cu file")
    unknown = [name for name in kernels or [] if name not in [known for known, _ in found]]
    if unknown:
        raise ValueError(f'has no kernel "{unknown[0]}"; it has {", ".join(known for known, _ in found)}')
    arguments = f"{iterations}" if every == 1 else f"{iterations}, {every}"
    for name, offset in reversed(found):
        if not kernels or name in kernels:
            text = text[:offset] + f"\n  kgate_extra_work<{arguments}>();" + text[offset:]
    return '#include "work.cuh"\n\n' + text


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source")
    parser.add_argument("--iterations", type=int, required=True)
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--kernel", action="append")
    parser.add_argument("-o", "--output")
    options = parser.parse_args()
    if options.iterations < 0:
        parser.error("--iterations is negative; give 0 or more")
    if options.every < 1:
        parser.error("--every is not positive; give 1 or more")
    try:
        with open(options.source, encoding="utf-8") as file:
            text = file.read()
        planted = plant(text, options.iterations, options.every, options.kernel)
        if options.output is None:
            sys.stdout.write(planted)
        else:
            with open(options.output, "w", encoding="utf-8") as file:
                file.write(planted)
    except OSError as error:
        sys.exit(f"plant.py: {error.filename}: {error.strerror}; check the path")
    except ValueError as error:
        sys.exit(f"plant.py: {options.source}: {error}")


if __name__ == "__main__":
    main()
