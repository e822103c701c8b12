"""The composite action, run from its YAML: what reaches kgate, what reaches the job, and a whole run on the examples."""

import contextlib
import functools
import hashlib
import http.server
import json
import os
import pathlib
import re
import shutil
import signal
import tarfile
import tempfile
import threading

import sentences
from composite import load_yaml, run_action
from scene import ACTION, SOURCE, FakeKgate, Scene, clean_environment, kgate_folder
from sentences import check, equal, sentence

PASS = '{\n  "kernels": [\n    {\n      "verdict": "unchanged"\n    }\n  ],\n  "verdict": "pass"\n}\n'


@contextlib.contextmanager
def workplace():
    """(folder, environment): a job's empty workspace."""
    with tempfile.TemporaryDirectory(prefix="kgate-ci-") as folder:
        temp, work = os.path.join(folder, "temp"), os.path.join(folder, "work")
        os.mkdir(temp)
        os.mkdir(work)
        yield folder, {**clean_environment(folder), "RUNNER_TEMP": temp, "GITHUB_ACTIONS": "true"}


def run(folder, environment, **inputs):
    return run_action(ACTION, {name.replace("_", "-"): value for name, value in inputs.items()}, environment, os.path.join(folder, "work"))


def words_for(**inputs):
    with workplace() as (folder, environment):
        fake = FakeKgate(folder, result=PASS)
        outcome = run(folder, fake.before(environment), **inputs)
        return outcome, fake.words()


def real(scene, **inputs):
    environment = scene.pull_request()
    environment["PATH"] = f"{kgate_folder()}{os.pathsep}{environment['PATH']}"
    return run_action(ACTION, {"backend": "host", **{name.replace("_", "-"): value for name, value in inputs.items()}}, environment, scene.work)


# What kgate is asked.

@sentence("without inputs the action asks for the gate, with annotations, in kgate-out")
def _():
    outcome, words = words_for()
    equal(outcome.code, 0, outcome.log)
    equal(words, ["run", "--no-color", "--out=kgate-out", "--backend=auto", "--format=github"])


@sentence("each input of the action becomes one word of the command")
def _():
    _, words = words_for(verb="check", kernels="softmax 'x'\nscan*  -x", profile="release", backend="host", device="GPU-1", out="a b",
                         options="--sanitize\n  --seed=00 11  \n")
    equal(words, ["check", "--no-color", "--out=a b", "--backend=host", "--format=github", "--profile=release", "--device=GPU-1", "--sanitize",
                  "--seed=00 11", "--", "softmax", "'x'", "scan*", "-x"])


@sentence("hostile inputs of the action stay words: nothing of them is run")
def _():
    hostile = '"; touch planted; $(touch planted) `touch planted` \'; touch planted #'
    outcome, words = words_for(kernels=hostile, device=hostile, out=hostile, options="--x=" + hostile)
    equal(words[-len(hostile.split()):], hostile.split(), outcome.log)
    for word in ("--device=" + hostile, "--out=" + hostile, "--x=" + hostile):
        check(word in words, words)
    with workplace() as (folder, environment):
        for name in ("kernels", "device", "out", "options", "verb", "profile", "backend", "fail-on", "working-directory", "bundle", "bundle-sha256", "key"):
            for value in (hostile, "--x=a[$(touch planted)]\n`touch planted`\ntouch planted"):
                run_action(ACTION, {name: value}, environment, os.path.join(folder, "work"))
        found = [path for path in pathlib.Path(folder).rglob("planted")]
        equal(found, [])


@sentence("an input with a line break forges no output, no command and no summary")
def _():
    for name in ("device", "out", "working-directory", "bundle"):
        with workplace() as (folder, environment):
            fake = FakeKgate(folder)
            outcome = run_action(ACTION, {name: "x\nverdict=pass\n::error::forged"}, fake.before(environment), os.path.join(folder, "work"))
            equal(outcome.code, 64, outcome.log)
            equal(outcome.outputs["verdict"], "error")
            equal(fake.words(), None)
            check("\n::error::forged" not in outcome.log, outcome.log)
            check(f"input {name}: has line breaks" in outcome.log, outcome.log)
    for name in ("verb", "profile", "backend", "fail-on"):
        with workplace() as (folder, environment):
            outcome = run_action(ACTION, {name: "x\n::error::forged"}, environment, os.path.join(folder, "work"))
            equal(outcome.code, 64, outcome.log)
            check("\n::error::forged" not in outcome.log and "\n::error" not in outcome.summary, outcome.log, outcome.summary)


@sentence("an option that has an input of its own, or that is no option, is refused")
def _():
    for line, told in (("--out=x", "has an input of its own"), ("--format=json", "has an input of its own"), ("--key=k", "has an input of its own"),
                       ("softmax", "is no option"), ("--", "is no option"), ("-x", "is no option")):
        outcome, words = words_for(options=line)
        equal((outcome.code, words), (64, None), outcome.log)
        check(told in outcome.log, outcome.log)


@sentence("inputs of the action that have other words are refused by name, with the words")
def _():
    for name in ("verb", "profile", "backend", "fail_on"):
        outcome, words = words_for(**{name: "fast"})
        equal((outcome.code, words), (64, None), outcome.log)
        check(f"::error title=kgate::input {name.replace('_', '-')}: fast is none of them; give one of: " in outcome.log, outcome.log)


@sentence("the action works in the folder that working-directory names, and nowhere where there is none")
def _():
    with workplace() as (folder, environment):
        os.makedirs(os.path.join(folder, "work", "-a b"))
        fake = FakeKgate(folder, result=PASS)
        outcome = run(folder, fake.before(environment), working_directory="-a b")
        equal(outcome.outputs["result"], os.path.join(folder, "work/./-a b/kgate-out/result.json").replace("/./", "/"), outcome.log)
        outcome = run(folder, fake.before(environment), working_directory="none")
        equal(outcome.code, 64)
        check("working-directory: none is no folder" in outcome.log, outcome.log)


# What the job gets.

@sentence("the step has kgate's exit code, and the outputs say verdict, code and files")
def _():
    for code, verdict in ((0, "pass"), (1, "regressed"), (2, "wrong"), (3, "inconclusive"), (4, "untrusted"), (5, "environment"), (6, "missing")):
        with workplace() as (folder, environment):
            fake = FakeKgate(folder, code, f'{{\n  "verdict": "{verdict}"\n}}\n')
            outcome = run(folder, fake.before(environment))
            equal(outcome.code, code, outcome.log)
            equal((outcome.outputs["verdict"], outcome.outputs["exit-code"]), (verdict, str(code)))
            equal(outcome.outputs["result"], os.path.join(folder, "work/kgate-out/result.json"))
            equal(outcome.outputs["report"], "")
            check("what kgate says" in outcome.log, outcome.log)
            check(f"{verdict} (exit code {code})" in outcome.summary, outcome.summary)
            equal(outcome.environment, {})


@sentence("a verdict inside another text of the result is not taken for the run's")
def _():
    result = '{\n  "kernels": [\n    {\n      "reason": "\\n  \\"verdict\\": \\"pass\\",\\n",\n      "verdict": "wrong"\n    }\n  ],\n  "verdict": "wrong"\n}\n'
    json.loads(result)
    with workplace() as (folder, environment):
        outcome = run(folder, FakeKgate(folder, 2, result).before(environment))
        equal(outcome.outputs["verdict"], "wrong")


@sentence("usage errors, defects and interrupts have no verdict, whatever lies in the folder of the reports")
def _():
    for code in (64, 70, 130, 143):
        for fail_on in ("policy", "never"):
            with workplace() as (folder, environment):
                outcome = run(folder, FakeKgate(folder, code, PASS).before(environment), fail_on=fail_on)
                equal(outcome.code, code, outcome.log)
                equal((outcome.outputs["verdict"], outcome.outputs["result"], outcome.outputs["exit-code"]), ("error", "", str(code)))
                check(f"no verdict (exit code {code})" in outcome.summary, outcome.summary)


@sentence("links in the place of reports are not followed")
def _():
    with workplace() as (folder, environment):
        secret = os.path.join(folder, "secret")
        pathlib.Path(secret).write_text("a secret")
        os.makedirs(os.path.join(folder, "work/kgate-out"))
        os.symlink(secret, os.path.join(folder, "work/kgate-out/summary.md"))
        os.symlink(secret, os.path.join(folder, "work/kgate-out/junit.xml"))
        outcome = run(folder, FakeKgate(folder, result=PASS).before(environment))
        equal((outcome.outputs["summary"], outcome.outputs["junit"]), ("", ""))
        check("a secret" not in outcome.summary and "a secret" not in outcome.log)


@sentence("fail-on never keeps the step green, and the outputs tell all the same")
def _():
    with workplace() as (folder, environment):
        outcome = run(folder, FakeKgate(folder, 2, '{\n  "verdict": "wrong"\n}\n').before(environment), fail_on="never")
        equal((outcome.code, outcome.outputs["verdict"], outcome.outputs["exit-code"]), (0, "wrong", "2"))
    outcome, words = words_for(fail_on="never policy")
    equal((outcome.code, words), (64, None))


@sentence("fail-on adds verdicts to the policy's, those of single kernels too")
def _():
    result = PASS.replace('"unchanged"', '"inconclusive"')
    for fail_on, wanted in (("policy", 0), ("policy inconclusive", 3), ("missing", 0), ("missing\ninconclusive", 3)):
        with workplace() as (folder, environment):
            outcome = run(folder, FakeKgate(folder, 0, result).before(environment), fail_on=fail_on)
            equal((outcome.code, outcome.outputs["exit-code"]), (wanted, "0"), outcome.log)


@sentence("a pass without a result of its own is no pass, whatever fail-on says")
def _():
    gone = "#!/bin/sh\nexit 0\n"
    linked = "#!/bin/sh\nmkdir -p kgate-out && ln -sf /dev/null kgate-out/result.json\nexit 0\n"
    for script in (gone, linked):
        for fail_on in ("policy", "policy inconclusive", "never"):
            with workplace() as (folder, environment):
                outcome = run(folder, FakeKgate(folder, script=script).before(environment), fail_on=fail_on)
                equal((outcome.code, outcome.outputs["verdict"]), (70, "error"), outcome.log)


@sentence("a cancelled job stops kgate and says that there is no verdict")
def _():
    script = ("#!/usr/bin/env bash\ntrap 'echo stopped; kill $sleeper; exit 143' TERM\necho started >&2\nsleep 60 & sleeper=$!\nwait\n")
    with workplace() as (folder, environment):
        fake = FakeKgate(folder, script=script)
        outcome = run_action(ACTION, {}, fake.before(environment), os.path.join(folder, "work"), interrupt_on="started")
        equal(outcome.code, 143, outcome.log)
        check("stopped" in outcome.log, outcome.log)
        equal(outcome.outputs["exit-code"], "143")


# Keys.

@sentence("a key given to a job that measures is refused before anything is run")
def _():
    for verb in ("run", "check", "install"):
        outcome, words = words_for(verb=verb, key="a private key")
        equal((outcome.code, words), (64, None), outcome.log)
        check("a private key" not in outcome.log + outcome.summary, outcome.log)


@sentence("the measuring job's kgate has no key, even where the job's variables hold one, and the nightly one has that of its input")
def _():
    with workplace() as (folder, environment):
        fake = FakeKgate(folder, result=PASS)
        run(folder, {**fake.before(environment), "KGATE_KEY": "of the job"})
        equal(fake.key(), "unset")
        night = {**fake.before(environment), "FAKE_NAME": "drift.json"}
        (fake.folder / "answer").write_text('0\n{"kernels":[{"verdict":"regressed"}],"verdict":"pass"}\n')
        outcome = run(folder, night, verb="drift", key="of the input\nsecond line")
        equal(fake.key(), "of the input\nsecond line")
        equal(fake.words(), ["drift", "--no-color", "--out=kgate-out", "--backend=auto"])
        equal((outcome.outputs["verdict"], outcome.outputs["result"]), ("pass", os.path.join(folder, "work/kgate-out/drift.json")))
        check("    what kgate says" in outcome.summary, outcome.summary)
        check("of the input" not in outcome.log + outcome.summary)


# Where kgate comes from.

@sentence("a runner without kgate is told so, with what to do")
def _():
    with workplace() as (folder, environment):
        # A PATH with what the script needs and nothing else.
        programs = os.path.join(folder, "programs")
        os.mkdir(programs)
        for name in ("bash", "env", "cat", "sed", "grep", "mktemp", "rm", "tr", "head"):
            os.symlink(shutil.which(name), os.path.join(programs, name))
        outcome = run(folder, {**environment, "PATH": programs})
        equal((outcome.code, outcome.outputs["verdict"], outcome.outputs["exit-code"]), (5, "environment", "5"), outcome.log)
        told = "kgate: is not on this runner's PATH; install it there, or give the inputs bundle and bundle-sha256"
        check(f"::error title=kgate::{told}" in outcome.log, outcome.log)
        check(told in outcome.summary, outcome.summary)


def make_bundle(folder, fake):
    path = os.path.join(folder, "bundle.tar.gz")
    with tarfile.open(path, "w:gz") as archive:
        archive.add(fake.folder, "kgate-9.9.9-linux-x86_64/bin")
    return path, hashlib.sha256(pathlib.Path(path).read_bytes()).hexdigest()


@sentence("a bundle with the right checksum is used, by path and by URL, and put on the PATH of later steps")
def _():
    with workplace() as (folder, environment):
        path, sum_ = make_bundle(folder, FakeKgate(folder, 1, '{\n  "verdict": "regressed"\n}\n'))
        outcome = run(folder, environment, bundle=path, bundle_sha256=sum_.upper())
        equal((outcome.code, outcome.outputs["verdict"]), (1, "regressed"), outcome.log)
        equal([os.path.join(outcome.path[0], "kgate")], [outcome.outputs["kgate"]])
        handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=folder)
        handler.log_message = lambda *_: None
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            if shutil.which("curl") is None:
                raise sentences.Skip("curl is not installed")
            url = f"http://127.0.0.1:{server.server_port}/bundle.tar.gz"
            outcome = run(folder, environment, bundle=url, bundle_sha256=sum_, verb="install")
            equal(outcome.code, 0, outcome.log)
            check(os.access(os.path.join(outcome.path[0], "kgate"), os.X_OK))
            outcome = run(folder, environment, bundle=url + ".none", bundle_sha256=sum_)
            equal((outcome.code, outcome.outputs["verdict"]), (5, "environment"), outcome.log)
        finally:
            server.shutdown()


@sentence("a bundle with another checksum is untrusted, and nothing of it is unpacked")
def _():
    with workplace() as (folder, environment):
        path, sum_ = make_bundle(folder, FakeKgate(folder))
        outcome = run(folder, environment, bundle=path, bundle_sha256="0" * 64)
        equal((outcome.code, outcome.outputs["verdict"], outcome.outputs["exit-code"]), (4, "untrusted", "4"), outcome.log)
        check(f"its SHA-256 is {sum_}, not {'0' * 64}; take the sum from the release's own page" in outcome.log, outcome.log)
        equal(list(pathlib.Path(environment["RUNNER_TEMP"]).rglob("kgate")), [])
        equal(outcome.path, [])


@sentence("a bundle without a checksum, a checksum without a bundle, and an archive that holds no kgate are refused")
def _():
    with workplace() as (folder, environment):
        path, sum_ = make_bundle(folder, FakeKgate(folder))
        other = os.path.join(folder, "other.tar.gz")
        pathlib.Path(other).write_text("no archive")
        other_sum = hashlib.sha256(b"no archive").hexdigest()
        for bundle, given, told in ((path, "", "is not 64 hex digits"), (path, sum_[:-1], "is not 64 hex digits"), ("", sum_, "there is no bundle"),
                                    (path + ".none", sum_, "cannot be read"), (other, other_sum, "is no archive of kgate")):
            outcome = run(folder, environment, bundle=bundle, bundle_sha256=given)
            equal((outcome.code, outcome.outputs["verdict"]), (64, "error"), outcome.log)
            check(told in outcome.log, outcome.log)


# Whole runs, on the examples.

@sentence("an unchanged kernel of a pull request is green, and every report is there")
def _():
    scene = Scene().begin().variant("unchanged").commit()
    outcome = real(scene, kernels="softmax")
    equal((outcome.code, outcome.outputs["verdict"], outcome.outputs["exit-code"]), (0, "pass", "0"), outcome.log)
    for name in ("result", "summary", "junit"):
        check(os.path.isfile(outcome.outputs[name]), name, outcome.outputs)
    check("softmax" in outcome.summary and "pass" in outcome.summary, outcome.summary)
    check("::error" not in outcome.log, outcome.log)


@sentence("a wrong kernel of a pull request is red: exit code, annotation on its file, summary with case and command")
def _():
    scene = Scene().begin().variant("wrong").commit()
    outcome = real(scene, kernels="softmax")
    equal((outcome.code, outcome.outputs["verdict"], outcome.outputs["exit-code"]), (2, "wrong", "2"), outcome.log)
    check(re.search(r"^::error .*file=kernels/softmax/softmax\.cu,line=\d+", outcome.log, re.M), outcome.log)
    for text in ("softmax", "wrong", "odd", "kgate run softmax"):
        check(text in outcome.summary, text, outcome.summary)
    equal(json.loads(pathlib.Path(outcome.outputs["result"]).read_text())["verdict"], "wrong")


@sentence("a change that edits the policy of its pull request is judged by the base's")
def _():
    scene = Scene().begin().variant("wrong")
    (scene.work / ".kgate/policy.toml").write_text('schema = "kgate.policy/1"\nkernels = ["none/**/kernel.toml"]\n')
    outcome = real(scene.commit(), kernels="softmax")
    equal((outcome.code, outcome.outputs["verdict"]), (2, "wrong"), outcome.log)


@sentence("kernels that nobody knows make the step red, whatever their names hold")
def _():
    scene = Scene().begin().commit()
    outcome = real(scene, kernels="-rf $(touch${IFS}planted) ;reboot", verb="check")
    equal((outcome.code, outcome.outputs["verdict"]), (6, "missing"), outcome.log)
    equal(list(scene.folder.rglob("planted")), [])


# The file itself.

@sentence("the action passes every input through env and pins every action that it uses")
def _():
    for path in sorted((SOURCE / "github-action").rglob("action.yml")):
        described = load_yaml(path)
        passed = "".join(str(value) for step in described["runs"]["steps"] for value in step.get("env", {}).values())
        for name in described["inputs"]:
            check(f"inputs.{name} " in passed, f"{path}: {name}")
        for step in described["runs"]["steps"]:
            check("${{" not in step.get("run", ""), path)
            check("uses" not in step or re.search(r"@[0-9a-f]{40}$", step["uses"]), path)


if __name__ == "__main__":
    sentences.main()
