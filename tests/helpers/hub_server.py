"""A Hugging Face Hub small enough to run in a test: repositories of data and models, commits, tags, tokens, in memory.

It speaks the part of the Hub's HTTP interface that `huggingface_hub` and `datasets` use to create a repository, commit
files to it, tag it, and load it again. Set HF_ENDPOINT to its `url`, and HF_HUB_DISABLE_XET=1, before those are imported.
"""

import base64
import hashlib
import json
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock, Thread
from typing import Any
from urllib.parse import parse_qs, unquote, urlencode, urlsplit

LFS_SUFFIX = (".parquet", ".png", ".safetensors")

PAGE = 3
"""Of a listing, so many entries are sent at once, with a link to the next (the Hub: 1,000)."""


class Refused(Exception):
    """An answer other than success. `code` is what the clients read to tell a missing file from a missing repository."""

    def __init__(self, status: int, message: str, code: str = "") -> None:
        super().__init__(message)
        self.status, self.message, self.code = status, message, code


class Dropped(Exception):
    """The connection breaks, without an answer."""


@dataclass
class Repo:
    """Commits by id, each a whole tree {path: content}, and the names that point at them."""

    private: bool
    commits: dict[str, dict[str, bytes]] = field(default_factory=dict)
    branches: dict[str, str] = field(default_factory=dict)
    tags: dict[str, str] = field(default_factory=dict)

    def commit(self, tree: Mapping[str, bytes]) -> str:
        """Make this tree the head of main."""
        oid = hashlib.sha1(f"{len(self.commits)} {sorted(tree)}".encode()).hexdigest()
        self.commits[oid] = dict(tree)
        self.branches["main"] = oid
        return oid

    def resolve(self, revision: str) -> str:
        """The commit that a branch, tag or commit id stands for."""
        oid = self.branches.get(revision) or self.tags.get(revision) or revision
        if oid not in self.commits:
            raise Refused(404, f"Invalid rev id: {revision}", "RevisionNotFound")
        return oid


@dataclass
class Hub:
    """The state of the server. `writers` are the owners that a token may write for; `log` is every request made.

    disturb:  is given each request, "METHOD path", before it is answered, and may raise `Refused` or `Dropped`
    """

    writers: Mapping[str, set[str]]
    url: str = ""
    disturb: Callable[[str], None] = lambda request: None
    repos: dict[str, Repo] = field(default_factory=dict)
    objects: dict[str, bytes] = field(default_factory=dict)
    log: list[str] = field(default_factory=list)
    lock: Lock = field(default_factory=Lock)


@contextmanager
def running_hub(writers: Mapping[str, set[str]]) -> Iterator[Hub]:
    """A hub on a free port of the loopback device. `writers`: for each token, the owners it may write for."""
    hub = Hub(writers)
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("BoundHandler", (Handler,), {"hub": hub}))
    hub.url = f"http://127.0.0.1:{server.server_port}"
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield hub
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


Route = Callable[..., None]
ROUTES: list[tuple[str, re.Pattern[str], Route]] = []


def route(method: str, pattern: str) -> Callable[[Route], Route]:
    """Answer requests of this method whose whole path matches; {repo}, {rev} and {path} are passed, unquoted, and {api} is the
    beginning of what both kinds of repositories have."""
    named = pattern.replace("{api}", "/api/(?:datasets|models)/").replace("{repo}", "(?P<repo>[^/]+/[^/]+?)")
    named = named.replace("{rev}", "(?P<rev>[^/]+)").replace("{path}", "(?P<path>.+)")

    def register(function: Route) -> Route:
        ROUTES.append((method, re.compile(named), function))
        return function

    return register


class Handler(BaseHTTPRequestHandler):
    """One request."""

    hub: Hub
    protocol_version = "HTTP/1.1"

    def log_message(self, *_: object) -> None:
        """Say nothing."""

    def do_GET(self) -> None:
        """Answer by the table of routes; HEAD is GET without the body."""
        self.body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        path = urlsplit(self.path).path
        method = "GET" if self.command == "HEAD" else self.command
        with self.hub.lock:
            self.hub.log.append(f"{self.command} {path}")
            try:
                self.hub.disturb(f"{self.command} {path}")
                for known, pattern, function in ROUTES:
                    if known == method and (match := pattern.fullmatch(path)):
                        return function(
                            self, **{k: unquote(v) for k, v in match.groupdict().items() if v is not None}
                        )
                raise Refused(404, f"No route for {self.command} {path}")
            except Dropped:
                self.close_connection = True
            except Refused as refused:
                headers = {"X-Error-Message": refused.message, "X-Error-Code": refused.code}
                self.answer(
                    {"error": refused.message}, refused.status, {k: v for k, v in headers.items() if v}
                )

    do_HEAD = do_POST = do_PUT = do_DELETE = do_GET

    def answer(self, content: Any, status: int = 200, headers: Mapping[str, str] | None = None) -> None:
        """Send bytes as they are, anything else as JSON."""
        body = content if isinstance(content, bytes) else json.dumps(content).encode()
        self.send_response(status)
        for name, value in {"Content-Length": str(len(body)), **(headers or {})}.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    @property
    def token(self) -> str | None:
        """The token of the request; a wrong one is refused wherever it is looked at."""
        scheme, _, token = (self.headers.get("Authorization") or "").partition(" ")
        if scheme != "Bearer":
            return None
        if token not in self.hub.writers:
            raise Refused(401, "Invalid credentials in Authorization header")
        return token

    def must_write(self, repo: str) -> None:
        """Refuse a request that may not change this repository."""
        if self.token is None:
            raise Refused(401, "Invalid username or password.")
        if repo.split("/")[0] not in self.hub.writers[self.token]:
            raise Refused(403, f"You don't have the rights to write to {repo}.")

    def find(self, repo: str) -> Repo:
        """The repository, if the request may see it."""
        found = self.hub.repos.get(repo)
        token = self.token
        if found is None or (
            found.private and (token is None or repo.split("/")[0] not in self.hub.writers[token])
        ):
            raise Refused(404 if token else 401, "Repository not found", "RepoNotFound")
        return found

    def json(self) -> Any:
        """The body of the request."""
        return json.loads(self.body)


@route("POST", "/api/repos/create")
def create(request: Handler) -> None:
    """A new repository with one commit."""
    asked = request.json()
    name = f"{asked['organization']}/{asked['name']}"
    request.must_write(name)
    if name in request.hub.repos:
        return request.answer({"url": f"{request.hub.url}/datasets/{name}", "name": name}, 409)
    request.hub.repos[name] = Repo(private=asked.get("visibility") == "private" or bool(asked.get("private")))
    request.hub.repos[name].commit({".gitattributes": b"*.parquet filter=lfs diff=lfs merge=lfs -text\n"})
    request.answer({"url": f"{request.hub.url}/datasets/{name}", "name": name})


@route("POST", "/api/validate-yaml")
def validate_card(request: Handler) -> None:
    """Every card with a YAML header will do."""
    good = request.json()["content"].startswith("---\n")
    errors = [] if good else [{"message": "no YAML header"}]
    request.answer({"errors": errors, "warnings": []}, 200 if good else 400)


@route("GET", "{api}{repo}/refs")
def refs(request: Handler, repo: str) -> None:
    """Branches and tags."""
    found = request.find(repo)
    named = {
        kind: [{"name": n, "ref": f"refs/{kind}/{n}", "targetCommit": oid} for n, oid in names.items()]
        for kind, names in (("heads", found.branches), ("tags", found.tags))
    }
    request.answer({"branches": named["heads"], "tags": named["tags"], "converts": []})


@route("POST", "{api}{repo}/tag/{rev}")
def tag(request: Handler, repo: str, rev: str) -> None:
    """A new tag; one that exists is refused."""
    request.must_write(repo)
    found, name = request.find(repo), request.json()["tag"]
    if name in found.tags:
        raise Refused(409, f"Tag {name} already exists")
    found.tags[name] = found.resolve(rev)
    request.answer({})


@route("POST", "{api}{repo}/preupload/{rev}")
def preupload(request: Handler, repo: str, rev: str) -> None:
    """For each file: whether it goes into the commit or is uploaded before it, and what is there now."""
    request.must_write(repo)
    found = request.find(repo)
    tree = found.commits[found.resolve(rev)]
    files = [
        {
            "path": file["path"],
            "uploadMode": "lfs" if file["path"].endswith(LFS_SUFFIX) else "regular",
            "shouldIgnore": False,
            "oid": object_id(file["path"], tree[file["path"]]) if file["path"] in tree else None,
        }
        for file in request.json()["files"]
    ]
    request.answer({"files": files})


@route("POST", "(?:/datasets)?/{repo}.git/info/lfs/objects/batch")
def lfs_batch(request: Handler, repo: str) -> None:
    """Where to put the objects that are not here yet."""
    request.must_write(repo)
    objects = request.json()["objects"]
    for entry in objects:
        if entry["oid"] not in request.hub.objects:
            entry["actions"] = {"upload": {"href": f"{request.hub.url}/lfs/{entry['oid']}"}}
    request.answer({"transfer": "basic", "objects": objects})


@route("PUT", "/lfs/{path}")
def lfs_upload(request: Handler, path: str) -> None:
    """An object, under its own sha256."""
    if hashlib.sha256(request.body).hexdigest() != path:
        raise Refused(400, "The content is not what its name says")
    request.hub.objects[path] = request.body
    request.answer({})


@route("POST", "{api}{repo}/commit/{rev}")
def commit(request: Handler, repo: str, rev: str) -> None:
    """A commit on main from lines of JSON: header, files, objects, deletions."""
    request.must_write(repo)
    found = request.find(repo)
    tree = dict(found.commits[found.resolve(rev)])
    for line in request.body.splitlines():
        key, value = json.loads(line)["key"], json.loads(line)["value"]
        if key == "header" and value.get("parentCommit", found.branches[rev]) != found.branches[rev]:
            raise Refused(412, "A commit has happened since")
        if key == "file":
            tree[value["path"]] = base64.b64decode(value["content"])
        elif key == "lfsFile":
            tree[value["path"]] = request.hub.objects[value["oid"]]
        elif key == "deletedFile":
            del tree[value["path"]]
    oid = found.commit(tree)
    request.answer({"commitOid": oid, "commitUrl": f"{request.hub.url}/datasets/{repo}/commit/{oid}"})


@route("GET", "{api}{repo}(?:/revision/{rev})?")
def info(request: Handler, repo: str, rev: str = "main") -> None:
    """What is in a repository."""
    found = request.find(repo)
    oid = found.resolve(rev)
    request.answer(
        {
            "id": repo,
            "sha": oid,
            "private": found.private,
            "gated": False,
            "disabled": False,
            "tags": [],
            "downloads": 0,
            "likes": 0,
            "siblings": [{"rfilename": path} for path in sorted(found.commits[oid])],
        }
    )


@route("GET", "{api}{repo}/tree/{rev}(?:/{path})?")
def tree(request: Handler, repo: str, rev: str, path: str = "") -> None:
    """The files and folders below a folder, a page of them; all of them if `recursive`."""
    found = request.find(repo)
    asked = {name: values[0] for name, values in parse_qs(urlsplit(request.path).query).items()}
    recursive, first = asked.get("recursive", "false").lower() == "true", int(asked.get("cursor", 0))
    listed = list(entries(found.commits[found.resolve(rev)], path))
    if path and not listed:
        raise Refused(404, f"{path} does not exist", "EntryNotFound")
    depth = path.count("/") + 1 if path else 0
    chosen = [entry for entry in listed if recursive or entry["path"].count("/") == depth]
    more = urlencode({"recursive": recursive, "cursor": first + PAGE})
    link = f'<{request.hub.url}{urlsplit(request.path).path}?{more}>; rel="next"'
    headers = {"Link": link} if first + PAGE < len(chosen) else {}
    request.answer(chosen[first : first + PAGE], headers=headers)


@route("GET", "(?:/datasets)?/{repo}/resolve/{rev}/{path}")
def resolve(request: Handler, repo: str, rev: str, path: str) -> None:
    """A file, or the range of it that is asked for."""
    found = request.find(repo)
    oid = found.resolve(rev)
    if path not in found.commits[oid]:
        raise Refused(404, f"{path} does not exist", "EntryNotFound")
    content = found.commits[oid][path]
    etag = f'"{object_id(path, content)}"'
    headers = {"ETag": etag, "X-Repo-Commit": oid, "X-Linked-ETag": etag, "X-Linked-Size": str(len(content))}
    asked = re.fullmatch(r"bytes=(\d+)-(\d*)", request.headers.get("Range") or "")
    if asked is None:
        return request.answer(content, headers={**headers, "Accept-Ranges": "bytes"})
    first, last = int(asked[1]), min(int(asked[2] or len(content) - 1), len(content) - 1)
    headers["Content-Range"] = f"bytes {first}-{last}/{len(content)}"
    request.answer(content[first : last + 1], 206, headers)


def entries(tree: Mapping[str, bytes], folder: str = "") -> Iterator[dict[str, Any]]:
    """All files and folders below a folder, as the Hub describes them."""
    seen: set[str] = set()
    for path, content in sorted(tree.items()):
        if folder and not path.startswith(f"{folder}/"):
            continue
        parts = path.split("/")
        for parent in ("/".join(parts[:n]) for n in range(1, len(parts))):
            if parent not in seen and len(parent) > len(folder):
                seen.add(parent)
                yield {
                    "type": "directory",
                    "path": parent,
                    "oid": hashlib.sha1(parent.encode()).hexdigest(),
                    "size": 0,
                }
        entry = {"type": "file", "path": path, "size": len(content), "oid": object_id(path, content)}
        if path.endswith(LFS_SUFFIX):
            entry["lfs"] = {"oid": object_id(path, content), "size": len(content), "pointerSize": 130}
        yield entry


def object_id(path: str, content: bytes) -> str:
    """git's id of a small file, sha256 of a large one."""
    if path.endswith(LFS_SUFFIX):
        return hashlib.sha256(content).hexdigest()
    return hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest()
