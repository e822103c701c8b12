"""A GitHub of one pull request on this machine: what the commenter asks for, and what it writes."""

import http.server
import json
import threading
import urllib.parse

TOKEN = "the token"
BOT = "github-actions[bot]"


class FakeGithub:
    """`archive`: the bytes of the artifact, None: there is none. Comments are {id, user, body}; `writes` are the writing requests."""

    def __init__(self, archive=None, sha="a" * 40, pulls=None, comments=(), artifact="kgate-result", redirect=True):
        self.archive, self.artifact, self.redirect = archive, artifact, redirect
        self.pulls = [pull(7, sha)] if pulls is None else pulls
        self.comments = list(comments)
        self.writes, self.tokens_elsewhere = [], []
        fake = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def log_message(self, *_):
                pass

            def do_GET(self):
                fake.get(self)

            def do_POST(self):
                fake.write(self)

            do_PATCH = do_POST

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self.server.server_port}"

    def close(self):
        self.server.shutdown()

    def get(self, request):
        address = urllib.parse.urlsplit(request.path)
        query = dict(urllib.parse.parse_qsl(address.query))
        if address.path == "/elsewhere":
            self.tokens_elsewhere.append(request.headers.get("Authorization"))
            return self.answer(request, 200, self.archive, json_body=False)
        if request.headers.get("Authorization") != f"Bearer {TOKEN}":
            return self.answer(request, 401, {})
        page = int(query.get("page", 1))
        if address.path == "/repos/us/kernels/pulls":
            head = query["head"]
            return self.answer(request, 200, [one for one in self.pulls if f"{one['head']['repo']['full_name'].split('/')[0]}:{one['head']['ref']}" == head])
        if address.path == "/repos/us/kernels/actions/runs/11/artifacts":
            found = [] if self.archive is None else [{"id": 21, "name": self.artifact, "expired": False, "size_in_bytes": len(self.archive)}]
            return self.answer(request, 200, {"artifacts": found})
        if address.path == "/repos/us/kernels/actions/artifacts/21/zip":
            if self.redirect:
                return self.answer(request, 302, {}, {"Location": self.url + "/elsewhere"})
            return self.answer(request, 200, self.archive, json_body=False)
        if address.path == "/repos/us/kernels/issues/7/comments":
            return self.answer(request, 200, self.comments[100 * (page - 1):100 * page])
        return self.answer(request, 404, {})

    def write(self, request):
        body = json.loads(request.rfile.read(int(request.headers["Content-Length"])))
        self.writes.append((request.command, request.path, body["body"]))
        self.answer(request, 200 if request.headers.get("Authorization") == f"Bearer {TOKEN}" else 401, {"id": 31})

    @staticmethod
    def answer(request, code, body, headers=None, json_body=True):
        content = json.dumps(body).encode() if json_body else body
        request.send_response(code)
        for name, value in (headers or {}).items():
            request.send_header(name, value)
        request.send_header("Content-Length", str(len(content)))
        request.end_headers()
        try:
            request.wfile.write(content)
        except (BrokenPipeError, ConnectionResetError):
            pass  # the reader has read enough


def pull(number, sha, owner="them", branch="fix"):
    return {"number": number, "head": {"sha": sha, "ref": branch, "repo": {"full_name": f"{owner}/kernels"}}}


def comment(number, body, login=BOT):
    return {"id": number, "user": {"login": login}, "body": body}


def run_event(sha="a" * 40, owner="them", branch="fix", event="pull_request", conclusion="failure"):
    return {"workflow_run": {"id": 11, "event": event, "head_sha": sha, "head_branch": branch, "conclusion": conclusion,
                             "head_repository": {"full_name": f"{owner}/kernels", "owner": {"login": owner}}, "pull_requests": []}}
