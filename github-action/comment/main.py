"""Says under a pull request what its kgate job found: one comment, renewed.

Runs in a workflow_run job, with a token that may write. The measuring job had none, and its artifact is its author's: so which pull request it is comes
from GitHub's event and interface, never from the artifact, and of the artifact only what schema.py lets through is shown, as render.py shows it.
"""

import json
import os
import pathlib
import sys

# Isolated (python3 -I): nothing of the working directory or the environment is imported, only what lies beside this file.
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import artifact
import render
import schema
from github import Github, GithubError

CONCLUSIONS = ("success", "failure", "cancelled", "timed_out", "neutral", "stale", "startup_failure", "skipped", "action_required")


def main():
    environment = os.environ
    event = json.loads(pathlib.Path(environment["GITHUB_EVENT_PATH"]).read_text(encoding="utf-8"))
    run = event.get("workflow_run")
    if not isinstance(run, dict) or run.get("event") != "pull_request":
        return say("nothing to do: this is not about the run of a pull request")
    github = Github(environment["GITHUB_API_URL"], environment["GITHUB_REPOSITORY"], environment["KGATE_COMMENT_TOKEN"])
    pull = pull_request(github, run)
    if pull is None:
        return say("nothing to do: the pull request is closed, or has newer commits")
    ended = run.get("conclusion") if run.get("conclusion") in CONCLUSIONS else "no conclusion"
    if ended in ("skipped", "action_required"):
        return say(f"nothing to do: the run ended with {ended}")
    url = f"{environment['GITHUB_SERVER_URL']}/{environment['GITHUB_REPOSITORY']}/actions/runs/{int(run['id'])}"
    refused = ""
    try:
        content = result_of(github, int(run["id"]), environment["KGATE_COMMENT_ARTIFACT"])
        if content is None:
            body = render.render_without("The job left no result.", ended, url)
        else:
            body = render.render(schema.parse(content), ended, url)
    except artifact.Refused as error:
        refused = str(error)
        body = render.render_without(f"The job's result is not shown: {refused}.", ended, url)
    stick(github, pull, body, environment["KGATE_COMMENT_AUTHOR"])
    if refused:
        print(f"::error title=kgate::the artifact is refused: {refused}")
        return 1
    return 0


def say(text):
    print(text)
    return 0


def pull_request(github, run):
    """Its number. By head repository, branch and commit, as GitHub has them: the event's own list is empty for forks."""
    head = run.get("head_repository") or {}
    owner = (head.get("owner") or {}).get("login", "")
    for pull in github.pages("pulls", state="open", head=f"{owner}:{run['head_branch']}"):
        its = pull["head"]
        if its["sha"] == run["head_sha"] and (its.get("repo") or {}).get("full_name") == head.get("full_name"):
            return int(pull["number"])
    return None


def result_of(github, run, name):
    """The bytes of result.json, or None where the run left none."""
    found = [one for one in github.get(f"actions/runs/{run}/artifacts", name=name, per_page=100)["artifacts"] if one["name"] == name and not one["expired"]]
    if not found:
        return None
    newest = max(found, key=lambda one: int(one["id"]))
    archive = github.download(f"actions/artifacts/{int(newest['id'])}/zip", artifact.MAX_ARCHIVE)
    if archive is None:
        raise artifact.Refused(f"the artifact has more than {artifact.MAX_ARCHIVE >> 20} MiB")
    return artifact.result_bytes(archive)


def stick(github, pull, body, author):
    """Anybody can write our marker: only what we wrote ourselves is ours to renew."""
    for comment in github.pages(f"issues/{pull}/comments"):
        if comment["user"]["login"] == author and comment["body"].startswith(render.MARKER):
            github.send("PATCH", f"issues/comments/{int(comment['id'])}", {"body": body})
            return say(f"renewed comment {int(comment['id'])} of pull request {pull}")
    made = github.send("POST", f"issues/{pull}/comments", {"body": body})
    return say(f"wrote comment {int(made['id'])} under pull request {pull}")


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (GithubError, OSError, KeyError, TypeError, ValueError) as error:
        print(f"::error title=kgate::the comment cannot be written: {type(error).__name__}: {str(error)[:300]!r}")
        sys.exit(1)
