"""Edit files that are not on this disk: in a container, in a bucket. Anything with `read` and `list` is a `Tree`.

    python examples/trees.py CONTAINER /app answer.md       # docker; its files are changed if all edits fit
"""

from __future__ import annotations

import posixpath
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anypatch


class Container:
    """A folder in a running container. Only files that the answer is about are read."""

    def __init__(self, name: str, folder: str) -> None:
        self.name, self.folder = name, folder

    def read(self, path: str) -> bytes | None:
        done = self._run("cat", "--", self._place(path))
        return done.stdout if done.returncode == 0 else None

    def list(self) -> Iterator[str]:
        found = self._run("find", self.folder, "-type", "f").stdout.decode("utf-8", "surrogateescape")
        return (posixpath.relpath(path, self.folder) for path in found.splitlines())

    def write(self, change: anypatch.Change) -> None:
        if change.moved_from:
            self._run("rm", "-f", "--", self._place(change.moved_from))
        if change.after is None:
            self._run("rm", "-f", "--", self._place(change.path))
            return
        place = self._place(change.path)
        self._run("mkdir", "-p", "--", posixpath.dirname(place))
        self._run("tee", "--", place, text=change.after.encode("utf-8", "surrogateescape"))

    def _place(self, path: str) -> str:
        return posixpath.join(self.folder, path)

    def _run(self, *command: str, text: bytes = b"") -> subprocess.CompletedProcess[bytes]:
        return subprocess.run(
            ["docker", "exec", "-i", self.name, *command], input=text, capture_output=True, check=False
        )


class Bucket:
    """The keys below a prefix of an object store; `client` is boto3.client("s3") or anything like it."""

    def __init__(self, client: Any, bucket: str, prefix: str = "") -> None:
        self.client, self.bucket, self.prefix = client, bucket, prefix

    def read(self, path: str) -> bytes | None:
        try:
            data: bytes = self.client.get_object(Bucket=self.bucket, Key=self.prefix + path)["Body"].read()
        except self.client.exceptions.NoSuchKey:
            return None
        return data

    def list(self) -> Iterator[str]:
        for page in self.client.get_paginator("list_objects_v2").paginate(Bucket=self.bucket, Prefix=self.prefix):
            for found in page.get("Contents", ()):
                yield found["Key"].removeprefix(self.prefix)


if __name__ == "__main__":
    name, folder, answer = sys.argv[1:]
    tree = Container(name, folder)
    result = anypatch.apply_to(Path(answer).read_text(), tree)
    print(result)
    for change in result.changes:
        tree.write(change)
    sys.exit(not result.ok)
