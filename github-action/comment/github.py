"""The little of GitHub's interface that the commenter needs. Answers are bounded; the token goes to GitHub's own address and nowhere else."""

import json
import urllib.error
import urllib.parse
import urllib.request

MAX_ANSWER = 16 << 20
TIMEOUT = 30


class GithubError(Exception):
    pass


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_):
        return None


class Github:
    def __init__(self, url, repository, token):
        self.base = f"{url.rstrip('/')}/repos/{repository}"
        self.token = token
        self.opener = urllib.request.build_opener(_NoRedirect)

    def get(self, path, **query):
        return json.loads(self._send("GET", self._url(path, query)))

    def pages(self, path, most=30, **query):
        """All entries of a list, at most 100 a page."""
        for page in range(1, most + 1):
            entries = self.get(path, per_page=100, page=page, **query)
            yield from entries
            if len(entries) < 100:
                return

    def send(self, method, path, body):
        return json.loads(self._send(method, self._url(path, {}), json.dumps(body).encode()))

    def download(self, path, limit):
        """A file that may lie elsewhere: GitHub answers with a signed address, which is asked without our token. None where it is larger than the limit."""
        try:
            with self._open("GET", self._url(path, {})) as answer:
                return self._bounded(answer, limit)
        except urllib.error.HTTPError as error:
            place = error.headers.get("Location", "")
            if error.code not in (301, 302, 303, 307, 308) or not place.startswith(("https://", "http://")):
                raise GithubError(f"GET {path}: answered {error.code}") from error
        with self.opener.open(urllib.request.Request(place), timeout=TIMEOUT) as answer:
            return self._bounded(answer, limit)

    @staticmethod
    def _bounded(answer, limit):
        content = answer.read(limit + 1)
        return content if len(content) <= limit else None

    def _url(self, path, query):
        return f"{self.base}/{path}" + ("?" + urllib.parse.urlencode(query) if query else "")

    def _open(self, method, url, body=None):
        request = urllib.request.Request(url, data=body, method=method)
        request.add_header("Authorization", f"Bearer {self.token}")
        request.add_header("Accept", "application/vnd.github+json")
        request.add_header("X-GitHub-Api-Version", "2022-11-28")
        if body is not None:
            request.add_header("Content-Type", "application/json")
        return self.opener.open(request, timeout=TIMEOUT)

    def _send(self, method, url, body=None):
        try:
            with self._open(method, url, body) as answer:
                content = self._bounded(answer, MAX_ANSWER)
        except urllib.error.HTTPError as error:
            raise GithubError(f"{method} {url.removeprefix(self.base)}: answered {error.code}") from error
        if content is None:
            raise GithubError(f"{method} {url.removeprefix(self.base)}: the answer is too long")
        return content
