"""Of a hostile result.json, the values that a comment shows: each by its type, size and range. Keys that are not named here are not looked at, and
nothing that is not returned here reaches the comment."""

import json
import math
import re

from artifact import Refused

SCHEMA = "kgate.result/1"
VERDICTS = ("untrusted", "wrong", "suspect", "regressed", "missing", "environment", "inconclusive", "new",
            "preapproved", "faster", "pass", "unchanged")  # the worst first
EXIT_CODES = (0, 1, 2, 3, 4, 5, 6, 130, 143)
MAX_KERNELS = 10_000
MAX_CASES = 100_000
MAX_REASON = 100_000
SEED = re.compile(r"[0-9a-f]{16}")
COMMIT = re.compile(r"[0-9a-f]{40}([0-9a-f]{24})?")


def parse(content):
    """{verdict, exit_code, reason, profile, backend, seed, base, device, version, verb, kernels[]}, or Refused."""
    document = _table(_json(content), "result.json")
    if _text(document, "schema", 100) != SCHEMA:
        raise Refused(f"its schema is not {SCHEMA}")
    result = {
        "verdict": _one_of(document, "verdict", VERDICTS),
        "exit_code": _exit_code(document),
        "reason": _text(document, "reason", MAX_REASON, ""),
        "profile": _one_of(document, "profile", ("pr", "release", "nightly")),
        "backend": _one_of(document, "backend", ("cuda", "host", "")),
        "seed": _matching(document, "seed", SEED),
        "base": _matching(_part(document, "source"), "base", COMMIT),
        "device": _text(_part(document, "device"), "name", 200, ""),
        "version": _text(_part(document, "tool"), "version", 100, ""),
        "verb": _one_of(_part(document, "command"), "verb", ("run", "check"), "run"),
    }
    result["kernels"] = [_kernel(one) for one in _list(document, "kernels", MAX_KERNELS)]
    if sum(len(kernel["cases"]) for kernel in result["kernels"]) > MAX_CASES:
        raise Refused(f"it has more than {MAX_CASES} cases")
    return result


def _kernel(value):
    kernel = _table(value, "a kernel")
    return {
        "name": _text(kernel, "name", 300),
        "verdict": _one_of(kernel, "verdict", VERDICTS),
        "reason": _text(kernel, "reason", MAX_REASON, ""),
        "blocks": _flag(kernel, "blocks"),
        "cases": [_case(one) for one in _list(kernel, "cases", MAX_CASES)],
        "comparisons": [_comparison(one) for one in _list(kernel, "comparisons", 20)],
    }


def _case(value):
    case = _table(value, "a case")
    time = _part(case, "time")
    return {
        "name": _text(case, "name", 300),
        "verdict": _one_of(case, "verdict", VERDICTS),
        "reason": _text(case, "reason", MAX_REASON, ""),
        "before_us": _positive(time, "base_us"),
        "after_us": _positive(time, "candidate_us"),
        "ratio": _positive(time, "ratio"),
        "low": _positive(time, "low"),
        "high": _positive(time, "high"),
    }


def _comparison(value):
    comparison = _table(value, "a comparison")
    return {
        "against": _one_of(comparison, "against", ("base", "accepted", "last-release")),
        "verdict": _one_of(comparison, "verdict", VERDICTS + ("",), ""),
        "ratio": _positive(comparison, "ratio"),
        "low": _positive(comparison, "low"),
        "high": _positive(comparison, "high"),
    }


def _json(content):
    def no_constant(_):
        raise Refused("it has a number that JSON does not know")

    def no_duplicates(pairs):
        found = dict(pairs)
        if len(found) != len(pairs):
            raise Refused("it has a key twice")
        return found

    try:
        return json.loads(content.decode("utf-8"), parse_constant=no_constant, object_pairs_hook=no_duplicates)
    except (ValueError, RecursionError) as error:
        raise Refused(f"it is not JSON ({type(error).__name__})") from error


def _table(value, what):
    if not isinstance(value, dict):
        raise Refused(f"{what} is not an object")
    return value


def _part(table, key):
    return _table(table.get(key, {}), key)


def _list(table, key, most):
    value = table.get(key, [])
    if not isinstance(value, list):
        raise Refused(f"{key} is not a list")
    if len(value) > most:
        raise Refused(f"{key} has more than {most} entries")
    return value


def _text(table, key, longest, default=None):
    value = table.get(key, default)
    if not isinstance(value, str):
        raise Refused(f"{key} is not text")
    if len(value) > longest:
        raise Refused(f"{key} has more than {longest} characters")
    return value


def _one_of(table, key, words, default=None):
    value = table.get(key, default)
    if not isinstance(value, str) or value not in words:
        raise Refused(f"{key} is none of the words that it may be")
    return value


def _matching(table, key, pattern):
    """Empty where it is not there or has another form: it is shown or it is not."""
    value = table.get(key, "")
    return value if isinstance(value, str) and pattern.fullmatch(value) else ""


def _flag(table, key):
    value = table.get(key, False)
    if not isinstance(value, bool):
        raise Refused(f"{key} is neither true nor false")
    return value


def _exit_code(table):
    value = table.get("exit_code")
    if isinstance(value, bool) or not isinstance(value, int) or value not in EXIT_CODES:
        raise Refused("exit_code is none that kgate has")
    return value


def _positive(table, key):
    """None where it is not there, or not finite, which result.json says in words."""
    value = table.get(key)
    if value is None or value in ("nan", "inf", "-inf"):
        return None
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise Refused(f"{key} is not a number")
    try:
        number = float(value)
    except OverflowError as error:
        raise Refused(f"{key} is out of range") from error
    if not math.isfinite(number) or not 0 <= number <= 1e12:
        raise Refused(f"{key} is out of range")
    return number
