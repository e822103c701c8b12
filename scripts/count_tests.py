#!/usr/bin/env python3
"""The last line of a test run, from ctest's JUnit file: "N passed, N failed, N skipped". An empty run is a failure.

    count_tests.py tests.xml CTEST_STATUS
"""

import sys
import xml.etree.ElementTree as ElementTree


def main():
    path, status = sys.argv[1], int(sys.argv[2])
    try:
        suite = ElementTree.parse(path).getroot()
    except (OSError, ElementTree.ParseError) as error:
        print(f"count_tests.py: {path}: {error}", file=sys.stderr)
        print("0 passed, 1 failed, 0 skipped")
        return 1
    passed = failed = 0
    skipped = []
    for case in suite.iter("testcase"):
        if case.find("skipped") is not None or case.get("status") in ("notrun", "disabled"):
            skipped.append(case.get("name"))
        elif case.find("failure") is not None or case.get("status") == "fail":
            failed += 1
        else:
            passed += 1
    for name in skipped:
        print(f"skipped: {name}")
    if passed == 0:
        print("count_tests.py: no test has run", file=sys.stderr)
        failed = max(failed, 1)
    print(f"{passed} passed, {failed} failed, {len(skipped)} skipped")
    return 1 if failed or status else 0


sys.exit(main())
