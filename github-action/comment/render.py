"""The comment, from what schema.py let through. Foreign text stands in code elements, every character of it that Markdown or HTML could read as an
HTML entity: then it is no markup, no link, no mention and no reference, whatever it says."""

import re
import unicodedata

from schema import VERDICTS

MARKER = "<!-- kgate: the comment that is renewed -->"
MAX_BYTES = 60_000
MAX_KERNELS = 30
MAX_CASES = 5
PLAIN_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}")
PASSING = ("preapproved", "faster", "pass", "unchanged")
MEANING = {
    "pass": "nothing is wrong, and nothing slower than the policy allows",
    "faster": "right, and faster",
    "unchanged": "the machine code is the base's",
    "preapproved": "slower, and accepted beforehand",
    "new": "neither the base nor the ledger knows it",
    "inconclusive": "the machine could not measure finely enough",
    "environment": "the machine could not judge it",
    "missing": "nothing was selected, or something vanished",
    "regressed": "slower than the policy allows, or over a limit",
    "suspect": "faster than can be, or faster only where inputs repeat",
    "wrong": "wrong output, a crash, a hang, or code that does not compile",
    "untrusted": "a signature, key, policy or record does not hold",
}


def code(text, longest=200):
    """Foreign text as one line of code."""
    text = " ".join(text[:4 * longest].split())
    if len(text) > longest:
        text = text[:longest - 1] + "…"
    return "<code>" + "".join(_visible(letter) for letter in text) + "</code>" if text else ""


def _visible(letter):
    # An address would become a link even there.
    if letter == "@":
        return "\N{FULLWIDTH COMMERCIAL AT}"
    if letter == " " or (letter.isascii() and letter.isalnum()):
        return letter
    if letter.isascii() and letter.isprintable():
        return f"&#{ord(letter)};"
    # Letters, numbers, signs of any script; not what hides, turns the direction of text, or piles up on its neighbour.
    if unicodedata.category(letter)[0] in "LNPS":
        return letter
    return "\N{REPLACEMENT CHARACTER}"


def render(result, ended, run_url):
    """`ended` and `run_url` are GitHub's own words about the job, not the artifact's."""
    lines = [MARKER, f"### kgate: {result['verdict']} (exit code {result['exit_code']})", "", MEANING[result["verdict"]].capitalize() + "."]
    if result["reason"]:
        lines += ["", "Why: " + code(result["reason"], 400)]
    kernels = sorted(result["kernels"], key=_rank)
    shown = [kernel for kernel in kernels if kernel["blocks"] or kernel["verdict"] not in PASSING + ("new",)] or \
            [kernel for kernel in kernels if kernel["verdict"] != "unchanged"]
    lines += ["", *_table(shown[:MAX_KERNELS])]
    lines += ["", _rest(kernels, shown[:MAX_KERNELS])]
    again = _again(result, shown)
    if again:
        lines += ["", "Again, where the same GPU is:", "", "    " + again]
    return _cut(lines, ["", *_foot(result, ended, run_url)])


def render_without(reason, ended, run_url):
    """A comment where there is no result to show; `reason` is ours."""
    return _cut([MARKER, "### kgate: no result", "", reason], ["", f"The job ended with {ended}: [its page]({run_url})."])


def _rank(kernel):
    return (not kernel["blocks"], VERDICTS.index(kernel["verdict"]), kernel["name"])


def _table(kernels):
    rows = []
    for kernel in kernels:
        cases = [case for case in kernel["cases"] if case["verdict"] not in PASSING] or [case for case in kernel["cases"] if case["ratio"] is not None]
        cases = sorted(cases, key=lambda case: (VERDICTS.index(case["verdict"]), -(case["ratio"] or 0)))
        rows.append(_row(kernel["verdict"], code(kernel["name"], 100), "", _changes(kernel), kernel["reason"]))
        for case in cases[:MAX_CASES]:
            rows.append(_row(case["verdict"], "", code(case["name"], 100), _change(case), case["reason"]))
        if len(cases) > MAX_CASES:
            rows.append(f"| | | {len(cases) - MAX_CASES} more cases | | |")
    if not rows:
        return []
    return ["| verdict | kernel | case | change | why |", "|---|---|---|---|---|", *rows]


def _row(verdict, kernel, case, change, reason):
    return f"| {verdict} | {kernel} | {case} | {change} | {'' if verdict in PASSING else code(reason)} |"


def _percent(ratio):
    return f"{100 * (ratio - 1):+.1f}"


def _change(figures):
    if figures["ratio"] is None:
        return ""
    text = _percent(figures["ratio"]) + " %"
    if figures["low"] is not None and figures["high"] is not None:
        text += f" [{_percent(figures['low'])}, {_percent(figures['high'])}]"
    if figures.get("before_us") is not None and figures.get("after_us") is not None:
        text += f", {figures['before_us']:.4g} to {figures['after_us']:.4g} µs"
    return text


def _changes(kernel):
    return "<br>".join(f"{_change(one)} against {one['against']}" for one in kernel["comparisons"] if one["ratio"] is not None)


def _rest(kernels, shown):
    names = {id(kernel) for kernel in shown}
    rest = [kernel["verdict"] for kernel in kernels if id(kernel) not in names]
    if not kernels:
        return "No kernel was judged."
    if not rest:
        return "1 kernel in all." if len(kernels) == 1 else f"{len(kernels)} kernels in all."
    counts = ", ".join(f"{rest.count(verdict)} {verdict}" for verdict in VERDICTS if verdict in rest)
    return f"Not in the table: {counts}."


def _again(result, shown):
    """A command to copy: only names that a shell takes as they are."""
    names = [kernel["name"] for kernel in shown[:5]]
    if not names or not result["base"] or not result["seed"] or not all(PLAIN_NAME.fullmatch(name) for name in names):
        return ""
    backend = f" --backend {result['backend']}" if result["backend"] else ""
    return f"kgate {result['verb']} {' '.join(names)} --profile {result['profile']} --policy-ref {result['base']}{backend} --seed {result['seed']}"


def _foot(result, ended, run_url):
    machine = f" on {code(result['device'], 100)}" if result["device"] else ""
    version = f" kgate {code(result['version'], 40)}." if result["version"] else ""
    lines = [f"Profile {result['profile']}, backend {result['backend'] or 'none'}{machine}.{version} The job ended with {ended}: [its page]({run_url})."]
    if (ended == "success") != (result["exit_code"] == 0):
        lines.append("**This report and how the job ended do not fit together: go by the job.**")
    lines += ["", "<sub>From the pull request's own job. What counts is the required check, not this comment.</sub>"]
    return lines


def _cut(lines, foot):
    """Whole lines from the top, and the foot, in at most MAX_BYTES bytes."""
    note = ["", "Cut: the rest is in the job's own report."]
    room = MAX_BYTES - sum(len(line.encode()) + 1 for line in [*note, *foot])
    kept = []
    for line in lines:
        room -= len(line.encode()) + 1
        if room < 0:
            kept += note
            break
        kept.append(line)
    return "\n".join([*kept, *foot]) + "\n"
