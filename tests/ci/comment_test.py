"""The commenter: what it writes, where, and what a hostile artifact can make of it."""

import copy
import html
import io
import json
import os
import pathlib
import re
import stat
import struct
import subprocess
import sys
import tempfile
import zipfile

import sentences
from composite import run_action
from fake_github import BOT, TOKEN, FakeGithub, comment, pull, run_event
from scene import COMMENT, SOURCE, Scene, clean_environment, kgate_folder
from sentences import check, equal, sentence

sys.path.insert(0, str(SOURCE / "github-action" / "comment"))
import artifact  # noqa: E402
import render  # noqa: E402
import schema  # noqa: E402

RESULT = {
    "schema": "kgate.result/1", "verdict": "regressed", "exit_code": 1, "reason": "softmax: slower by 51.39 %", "profile": "pr", "backend": "cuda",
    "seed": "f981d57a1396bdc2", "source": {"base": "b" * 40}, "device": {"name": "NVIDIA H200"}, "tool": {"version": "0.1.0"},
    "command": {"verb": "run"},
    "kernels": [
        {"name": "softmax", "verdict": "regressed", "reason": "slower by 51.39 %", "blocks": True,
         "comparisons": [{"against": "base", "verdict": "regressed", "ratio": 1.514, "low": 1.507, "high": 1.521}],
         "cases": [{"name": "wide", "verdict": "regressed", "reason": "slower by 51.39 %, 0.5 % is tolerated",
                    "time": {"base_us": 14.62, "candidate_us": 22.14, "ratio": 1.514, "low": 1.507, "high": 1.521}},
                   {"name": "odd", "verdict": "pass", "reason": ""}]},
        {"name": "saxpy", "verdict": "unchanged", "reason": ""},
    ],
}
HOSTILE = ["<script>alert(1)</script>", "<img src=x onerror=alert(1)>", "@everyone look", "#1 fixes #2", "[here](https://evil.example)", "![x](https://evil.example/x.png)",
           "https://evil.example", "www.evil.example", "`code` ``` ~~~", "| a | b |", "</code></td></table><h1>approved</h1>", "<!-- kgate -->", "-->",
           "\u202eesrever", "a\u0301" * 40, "\x1b[31mred\x1b[0m", "&lt;b&gt; &#60;b&#62;", "**bold** _it_ ~~no~~", "a\n\n# approved\n\n- [x] done", "$(rm -rf /)", "\\", "\x00", "\u2028#"]


def zipped(content, name="result.json", **attributes):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        info = zipfile.ZipInfo(name)
        info.compress_type = zipfile.ZIP_DEFLATED
        for key, value in attributes.items():
            setattr(info, key, value)
        archive.writestr(info, content)
    return stream.getvalue()


def result(**changes):
    return {**copy.deepcopy(RESULT), **changes}


def packed(document):
    return zipped(json.dumps(document))


def run_comment(github, event=None, **inputs):
    with tempfile.TemporaryDirectory(prefix="kgate-ci-") as folder:
        path = os.path.join(folder, "event.json")
        pathlib.Path(path).write_text(json.dumps(event or run_event()))
        # What a module of the same name in the workspace would do.
        for name in ("json.py", "artifact.py", "zipfile.py"):
            pathlib.Path(folder, name).write_text("raise SystemExit('imported from the workspace')")
        environment = {**clean_environment(folder), "GITHUB_EVENT_PATH": path, "GITHUB_API_URL": github.url, "GITHUB_SERVER_URL": "https://github.example",
                       "GITHUB_REPOSITORY": "us/kernels", "PYTHONPATH": folder}
        try:
            outcome = run_action(COMMENT, inputs, environment, folder, token=TOKEN)
        finally:
            github.close()
        left = {found.name for found in pathlib.Path(folder).iterdir()}
        equal(left, {"event.json", "json.py", "artifact.py", "zipfile.py"}, outcome.log)
        return outcome


def refused(content):
    """The reason for which the artifact is refused."""
    try:
        schema.parse(artifact.result_bytes(content))
    except artifact.Refused as error:
        return str(error)
    raise AssertionError("it was not refused")


def comment_of(document, ended="failure"):
    return render.render(schema.parse(json.dumps(document).encode()), ended, "https://github.example/us/kernels/actions/runs/11")


def shown(text):
    """What a reader sees of the comment's text: without our own elements, entities resolved."""
    return html.unescape(re.sub(r"</?(code|sub|br)>", "", text))


# What a reader gets.

@sentence("the comment says verdict, kernel, case, by how much and the command to see it again")
def _():
    text = comment_of(RESULT)
    seen = shown(text)
    for part in ("kgate: regressed (exit code 1)", "softmax", "wide", "+51.4 % [+50.7, +52.1], 14.62 to 22.14 µs", "slower by 51.39 %, 0.5 % is tolerated",
                 "Not in the table: 1 unchanged.", "kgate run softmax --profile pr --policy-ref " + "b" * 40 + " --backend cuda --seed f981d57a1396bdc2",
                 "NVIDIA H200", "The job ended with failure", "What counts is the required check"):
        check(part in seen, part, seen)
    check("saxpy" not in seen, seen)


@sentence("the comment of a result that kgate wrote says what the result says")
def _():
    scene = Scene().begin().variant("wrong").commit()
    kgate = os.path.join(kgate_folder(), "kgate")
    subprocess.run([kgate, "check", "softmax", "saxpy", "--backend", "host", "--policy-ref", "main", "--quiet"], cwd=scene.work, env=scene.environment, check=False)
    content = (scene.work / "kgate-out/result.json").read_bytes()
    document = json.loads(content)
    github = FakeGithub(zipped(content))
    outcome = run_comment(github)
    equal(outcome.code, 0, outcome.log)
    seen = shown(github.writes[0][2])
    check(f"kgate: {document['verdict']} (exit code {document['exit_code']})" in seen, seen)
    for kernel in document["kernels"]:
        if kernel["verdict"] == "wrong":
            check(f"| wrong | {kernel['name']} |" in seen, seen)
            check(f"kgate check {kernel['name']} --profile pr" in seen, seen)
            for case in kernel["cases"][:1]:
                check(f"| wrong |  | {case['name']} |" in seen, seen)
    check("1 unchanged" in seen, seen)


@sentence("a result without kernels, times or reasons still makes a comment")
def _():
    text = comment_of({"schema": "kgate.result/1", "verdict": "environment", "exit_code": 5, "profile": "pr", "backend": "cuda", "kernels": []})
    check("environment (exit code 5)" in text and "No kernel was judged." in text, text)
    check("Again" not in text, text)


@sentence("a report that does not fit how the job ended is marked")
def _():
    fits = comment_of(result(verdict="pass", exit_code=0, kernels=[]), "success")
    check("do not fit together" not in fits, fits)
    lies = comment_of(result(verdict="pass", exit_code=0, kernels=[]), "failure")
    check("**This report and how the job ended do not fit together: go by the job.**" in lies, lies)


# One comment, under the right pull request.

@sentence("the first comment is written, later ones renew it, and the token goes to GitHub alone")
def _():
    github = FakeGithub(packed(RESULT))
    outcome = run_comment(github)
    equal(outcome.code, 0, outcome.log)
    equal([(method, path) for method, path, _ in github.writes], [("POST", "/repos/us/kernels/issues/7/comments")])
    equal(github.tokens_elsewhere, [None])
    check(TOKEN not in outcome.log)
    first = github.writes[0][2]
    many = [comment(number, "talk", "somebody") for number in range(150)]
    github = FakeGithub(packed(RESULT), comments=[*many, comment(500, first)], redirect=False)
    equal(run_comment(github).code, 0)
    equal([(method, path) for method, path, _ in github.writes], [("PATCH", "/repos/us/kernels/issues/comments/500")])


@sentence("a comment of somebody else with our marker is not renewed")
def _():
    github = FakeGithub(packed(RESULT), comments=[comment(500, render.MARKER + "\nmine", "attacker")])
    run_comment(github)
    equal(github.writes[0][:2], ("POST", "/repos/us/kernels/issues/7/comments"))


@sentence("which pull request it is comes from GitHub, not from the artifact")
def _():
    document = result(number=1, pull_request=1, pull={"number": 1})
    github = FakeGithub(packed(document), pulls=[pull(7, "a" * 40), pull(8, "c" * 40), pull(9, "a" * 40, owner="others")])
    run_comment(github)
    equal([path for _, path, _ in github.writes], ["/repos/us/kernels/issues/7/comments"])


@sentence("runs of older commits, of closed pull requests and of other events are not told")
def _():
    for github, event in ((FakeGithub(packed(RESULT), sha="d" * 40), None), (FakeGithub(packed(RESULT), pulls=[]), None),
                          (FakeGithub(packed(RESULT)), run_event(event="push")), (FakeGithub(packed(RESULT)), run_event(conclusion="skipped"))):
        outcome = run_comment(github, event)
        equal((outcome.code, github.writes), (0, []), outcome.log)
        check("nothing to do" in outcome.log, outcome.log)


@sentence("a job that left no result is told as one, so that no older verdict stays")
def _():
    github = FakeGithub(None)
    equal(run_comment(github).code, 0)
    check("### kgate: no result" in github.writes[0][2] and "The job left no result." in github.writes[0][2], github.writes)


@sentence("a refused artifact is told with the reason, and the commenter's job is red")
def _():
    github = FakeGithub(zipped("no json"))
    outcome = run_comment(github)
    equal(outcome.code, 1, outcome.log)
    check("The job's result is not shown: it is not JSON (JSONDecodeError)." in github.writes[0][2], github.writes)


@sentence("an interface of GitHub that fails makes the job red, with the request that failed")
def _():
    github = FakeGithub(packed(RESULT))
    github.pulls = [pull(404, "a" * 40)]
    outcome = run_comment(github)
    equal((outcome.code, github.writes), (1, []), outcome.log)
    check("GET /issues/404/comments?per_page=100&page=1: answered 404" in outcome.log, outcome.log)


# Hostile archives.

@sentence("an archive with paths, links, several files or another file is refused and nothing is unpacked")
def _():
    good = json.dumps(RESULT)
    names = ["../result.json", "/result.json", "a/result.json", "..\\result.json", "result.json/", "result.json\0.exe", "Result.json", "../../../../etc/cron.d/x"]
    for name in names:
        content = zipped(good, name)
        if "\0" in name:  # zipfile cuts it: put there by hand
            content = zipped(good, "result.json_.exe").replace(b"result.json_.exe", b"result.json\0.exe")
        equal(refused(content), "the artifact has to hold one file, result.json, and nothing else")
        github = FakeGithub(content)
        equal(run_comment(github).code, 1)
    link = zipped("/etc/passwd", external_attr=(stat.S_IFLNK | 0o777) << 16, create_system=3)
    equal(refused(link), "result.json is not a plain file")
    for kind in (stat.S_IFDIR, stat.S_IFIFO, stat.S_IFCHR, stat.S_IFBLK, stat.S_IFSOCK):
        equal(refused(zipped(good, external_attr=(kind | 0o644) << 16, create_system=3)), "result.json is not a plain file")
    for others in (["x"], ["result.json"]):
        stream = io.BytesIO()
        with zipfile.ZipFile(stream, "w") as archive:
            archive.writestr("result.json", good)
            for name in others:
                archive.writestr(name, "{}")
        equal(refused(stream.getvalue()), "the artifact has to hold one file, result.json, and nothing else")
    equal(refused(zipped(good).replace(b"PK\x03\x04\x14\x00\x00\x00", b"PK\x03\x04\x14\x00\x01\x00").replace(b"PK\x01\x02\x14\x03\x14\x00\x00\x00", b"PK\x01\x02\x14\x03\x14\x00\x01\x00")),
          "result.json is encrypted")


@sentence("archives that are none, cut off, or lie about their sizes are refused")
def _():
    good = packed(RESULT)
    for content in (b"", b"PK", b"\x00" * 100, good[:-30], good[: len(good) // 2], b"<html>", good[:40] + b"\xff" * 40 + good[80:]):
        check(refused(content).startswith("the artifact is no readable zip ("), content[:20])
    # The central directory says one byte; more comes out, or the checksum does not hold.
    at = good.index(b"PK\x01\x02")
    lies = good[: at + 24] + struct.pack("<I", 1) + good[at + 28:]
    check(refused(lies))


@sentence("a hundred megabytes, packed small or not, are refused without being held whole")
def _():
    import resource
    bomb = zipped(b" " * (100 << 20))
    check(len(bomb) < artifact.MAX_ARCHIVE, len(bomb))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    equal(refused(bomb), "result.json has more than 16 MiB")
    check(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 100 << 10, "took the whole of it")
    equal(refused(os.urandom(artifact.MAX_ARCHIVE + 1)), "the artifact has more than 4 MiB")
    github = FakeGithub(os.urandom(artifact.MAX_ARCHIVE + 1))
    equal(run_comment(github).code, 1)
    check("has more than 4 MiB" in github.writes[0][2], github.writes)


# Hostile results.

@sentence("values of other types, sizes and words are refused, each by the key's name")
def _():
    kernel, case = RESULT["kernels"][0], RESULT["kernels"][0]["cases"][0]
    changes = [
        ({"schema": "kgate.result/2"}, "schema"), ({"schema": None}, "schema"), ({"verdict": "fine"}, "verdict"), ({"verdict": ["pass"]}, "verdict"), ({"verdict": None}, "verdict"),
        ({"exit_code": "0"}, "exit_code"), ({"exit_code": True}, "exit_code"), ({"exit_code": 0.0}, "exit_code"), ({"exit_code": 99}, "exit_code"), ({"exit_code": 10 ** 400}, "JSON|exit_code"),
        ({"reason": {"a": 1}}, "reason"), ({"reason": "x" * 100_001}, "reason"), ({"profile": "@all"}, "profile"), ({"backend": "<b>"}, "backend"),
        ({"kernels": {}}, "kernels"), ({"kernels": [1]}, "kernel"), ({"kernels": [kernel] * 10_001}, "kernels"), ({"kernels": [{**kernel, "name": 1}]}, "name"),
        ({"kernels": [{**kernel, "name": "x" * 1_000_000}]}, "name"), ({"kernels": [{**kernel, "blocks": "yes"}]}, "blocks"), ({"kernels": [{**kernel, "cases": "x"}]}, "cases"),
        ({"kernels": [{**kernel, "cases": [{**case, "time": []}]}]}, "time"), ({"kernels": [{**kernel, "cases": [{**case, "time": {"ratio": "1"}}]}]}, "ratio"),
        ({"kernels": [{**kernel, "cases": [{**case, "time": {"ratio": -1}}]}]}, "ratio"), ({"kernels": [{**kernel, "cases": [{**case, "time": {"ratio": 1e300}}]}]}, "ratio"),
        ({"kernels": [{**kernel, "comparisons": [{"against": "<b>"}]}]}, "against"), ({"source": []}, "source"), ({"device": {"name": 7}}, "name"), ({"command": {"verb": "rm"}}, "verb"),
    ]
    for change, key in changes:
        reason = refused(packed(result(**change)))
        check(re.search(key, reason), change.keys(), reason)
        check(not re.search(r"[<>@`\[\]]", reason), reason)


@sentence("JSON with doubled keys, other constants, other encodings or endless depth is refused")
def _():
    good = json.dumps(RESULT)
    for content in (good[:-1], good.replace('"exit_code": 1', '"exit_code": 1, "exit_code": 0'), good.replace("1.514", "NaN"), good.replace("1.514", "Infinity"), "[" * 1_000_000,
                    '{"a":' * 100_000, good.encode("utf-16"), b"\xff\xfe" + good.encode(), "[]", "null", '"x"', "", "1" * 100_000):
        check(refused(zipped(content)))


@sentence("nothing of a hostile text is markup, a link, a mention or a reference in the comment")
def _():
    for text in HOSTILE:
        kernel = copy.deepcopy(RESULT["kernels"][0])
        kernel.update(name=text, reason=text)
        kernel["cases"][0].update(name=text, reason=text)
        document = result(reason=text, kernels=[kernel], device={"name": text}, tool={"version": text}, seed=text, source={"base": text})
        body = comment_of(document)
        for line in body.split("\n"):
            inside = "".join(re.findall(r"<code>([^<]*)</code>", line))
            # Only letters, digits, blanks, entities and what other scripts have: no character that Markdown or HTML reads.
            check(re.fullmatch(r"(?:[A-Za-z0-9 ]|&#[0-9]+;|[^\x00-\x7f])*", inside), inside)
            outside = re.sub(r"<code>[^<]*</code>", "", line)
            outside = outside.replace(render.MARKER, "").replace("[its page](https://github.example/us/kernels/actions/runs/11)", "")
            check(not re.search(r"evil|script|everyone|approved|onerror|\u202e|\x1b|\x00|\u0301|@", outside), outside)
            check(re.sub(r"</?sub>|<br>", "", outside).count("<") == 0, outside)
        check("\u202e" not in body and "\u0301" not in body and "@" not in body, body)
        check("Again" not in body, body)
        equal(sum(line.startswith("#") for line in body.split("\n")), 1)


@sentence("a command to copy has no name that a shell would read otherwise")
def _():
    for name in ("-rf", "a;reboot", "$(x)", "a b", "`x`", "a\nb", "--policy-ref=HEAD", "~", "*"):
        check("Again" not in comment_of(result(kernels=[{**RESULT["kernels"][0], "name": name}])), name)


@sentence("the comment has at most 60,000 bytes, whatever the result has, and says what was cut")
def _():
    kernels = [{"name": f"kernel{number}" + "\u4e00" * 90, "verdict": "wrong", "reason": "<" * 500, "blocks": True,
                "cases": [{"name": "&" * 300, "verdict": "wrong", "reason": "\U0001f600<" * 500} for _ in range(8)]} for number in range(300)]
    body = comment_of(result(verdict="wrong", exit_code=2, kernels=kernels))
    check(len(body.encode()) <= 60_000, len(body.encode()))
    check("Cut: the rest is in the job's own report." in body and "What counts is the required check" in body, body[-500:])
    check(body.startswith(render.MARKER + "\n### kgate: wrong (exit code 2)"), body[:100])
    small = comment_of(result(kernels=[{"name": f"k{number}", "verdict": "wrong", "reason": "", "blocks": True, "cases": []} for number in range(40)]))
    check("Not in the table: 10 wrong." in small, small[-900:])


if __name__ == "__main__":
    sentences.main()
