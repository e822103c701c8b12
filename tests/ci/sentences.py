"""Tests as sentences, one process each: ctest lists what @sentence("...") says (CMakeLists.txt reads the lines) and starts FILE.py "SENTENCE".

A test that cannot run here raises Skip, which prints "[skipped] why"; ctest counts it so.
"""

import sys
import traceback

_tests = {}


class Skip(Exception):
    pass


def sentence(text):
    def keep(function):
        if text in _tests:
            raise ValueError(f"two tests say: {text}")
        _tests[text] = function
        return function
    return keep


def check(condition, *shown):
    if not condition:
        raise AssertionError("\n".join(str(one) for one in shown) or "it is not so")


def equal(got, wanted, *shown):
    check(got == wanted, f"got    {got!r}", f"wanted {wanted!r}", *shown)


def main():
    wanted = sys.argv[1:] or list(_tests)
    failed = 0
    for text in wanted:
        try:
            _tests[text]()
            print(f"passed: {text}")
        except Skip as why:
            print(f"[skipped] {text}: {why}")
        except Exception:
            failed += 1
            print(f"FAILED: {text}")
            traceback.print_exc(file=sys.stdout)
    if not wanted:
        print("FAILED: there is no test")
    sys.exit(1 if failed or not wanted else 0)
