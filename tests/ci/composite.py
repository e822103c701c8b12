"""Runs a composite action from its YAML, step by step, as GitHub's runner does: the few expressions that an action of ours may use, inputs and
defaults, env, GITHUB_OUTPUT, GITHUB_ENV, GITHUB_PATH and GITHUB_STEP_SUMMARY. What the runner would refuse is an error here."""

import dataclasses
import os
import pathlib
import re
import signal
import subprocess
import tempfile

from sentences import Skip

EXPRESSION = re.compile(r"\$\{\{\s*(.*?)\s*\}\}")
SHELL = ["bash", "--noprofile", "--norc", "-eo", "pipefail"]


@dataclasses.dataclass
class Outcome:
    code: int
    log: str
    outputs: dict
    summary: str
    path: list
    environment: dict


def load_yaml(path):
    try:
        import yaml
    except ImportError as error:
        raise Skip("python3-yaml is not installed") from error
    return yaml.safe_load(pathlib.Path(path).read_text())


def evaluate(text, contexts):
    """A text with its expressions replaced. Contexts by name: inputs.x, steps.id.outputs.x, github.token."""
    def value(found):
        at = contexts
        for name in found.group(1).split("."):
            if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_-]*", name):
                raise AssertionError(f"an expression that this runner does not know: {found.group(0)}")
            at = at.get(name, "") if isinstance(at, dict) else ""
        return str(at)
    return EXPRESSION.sub(value, text)


def file_command(path):
    """name=value, and name<<END ... END; anything else fails the step, as on GitHub."""
    found, lines = {}, pathlib.Path(path).read_text().split("\n")
    if lines[-1] == "":
        lines.pop()
    while lines:
        line = lines.pop(0)
        name, equals, value = line.partition("=")
        if "<<" in line and (not equals or line.index("<<") < line.index("=")):
            name, _, end = line.partition("<<")
            at = lines.index(end)
            value, lines = "\n".join(lines[:at]), lines[at + 1:]
        elif not equals:
            raise AssertionError(f"a line that GitHub refuses: {line!r}")
        found[name] = value
    return found


def run_action(action, inputs, environment, workspace, token="none", interrupt_on=None):
    """`interrupt_on`: a text of the log at which the step gets the signal of a cancelled job."""
    action = pathlib.Path(action)
    described = load_yaml(action)
    known = described.get("inputs", {})
    for name in inputs:
        if name not in known:
            raise AssertionError(f"the action has no input {name}")
    contexts = {"github": {"token": token}, "steps": {}}
    contexts["inputs"] = {name: str(inputs.get(name, evaluate(str(one.get("default", "")), contexts))) for name, one in known.items()}
    outcome = Outcome(0, "", {}, "", [], {})
    with tempfile.TemporaryDirectory() as files:
        for step in described["runs"]["steps"]:
            if outcome.code == 0:
                _run_step(step, contexts, environment, action.parent, workspace, files, outcome, interrupt_on)
    outcome.outputs = {name: evaluate(one["value"], contexts) for name, one in described.get("outputs", {}).items()}
    return outcome


def _run_step(step, contexts, environment, folder, workspace, files, outcome, interrupt_on):
    if "${{" in step["run"]:
        raise AssertionError("an expression inside a script: whoever sets it writes the script")
    assert step["shell"] == "bash"
    names = {name: os.path.join(files, name.lower()) for name in ("GITHUB_OUTPUT", "GITHUB_ENV", "GITHUB_PATH", "GITHUB_STEP_SUMMARY")}
    for path in names.values():
        pathlib.Path(path).write_text("")
    script = os.path.join(files, "step.sh")
    pathlib.Path(script).write_text(step["run"])
    variables = {**environment, **outcome.environment, **names, "GITHUB_ACTION_PATH": str(folder)}
    variables["PATH"] = os.pathsep.join([*outcome.path, variables["PATH"]])
    variables.update({name: evaluate(str(value), contexts) for name, value in step.get("env", {}).items()})
    process = subprocess.Popen([*SHELL, script], cwd=workspace, env=variables, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                               start_new_session=True)
    for line in process.stdout:
        text = line.decode(errors="replace")
        outcome.log += text
        if interrupt_on and interrupt_on in text:
            process.send_signal(signal.SIGINT)  # to the step's own process alone, as GitHub does
            interrupt_on = None
    outcome.code = process.wait()
    contexts["steps"][step.get("id", "")] = {"outputs": file_command(names["GITHUB_OUTPUT"])}
    outcome.environment.update(file_command(names["GITHUB_ENV"]))
    outcome.path = [line for line in pathlib.Path(names["GITHUB_PATH"]).read_text().splitlines() if line] + outcome.path
    outcome.summary += pathlib.Path(names["GITHUB_STEP_SUMMARY"]).read_text()
