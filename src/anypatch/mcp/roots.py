"""The folders that a call may work in: those that the server serves, and those that the client names."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from ..paths import path_from_uri
from ..problems import Problem, Refused


class Bounds(NamedTuple):
    """The folders that the server may touch: those `served`, else the client's, else `here`."""

    served: tuple[str, ...] = ()
    here: str = ""


class Root(NamedTuple):
    """A folder to work in: its name for the model, and its real path."""

    name: str
    path: str


def available_roots(bounds: Bounds, client: Sequence[tuple[str, str]] | None) -> list[Root]:
    """Return the roots of a call. `client`: the URIs and names that the client sent, None if it sends no roots."""
    local = [(path, name) for uri, name in client or () if (path := _local_folder(uri))]
    if not bounds.served:
        folders = local if client else [(bounds.here, "")]
    elif client:
        folders = _allowed_by_both(bounds.served, local)
    else:
        folders = [(path, "") for path in bounds.served]
    if not folders or not folders[0][0]:
        raise Refused(Problem("bad_root", _why_none(bounds, bool(client))))
    paths = dict(folders)
    # The client's name, or that of the folder; the path if two would be called the same.
    names = [name or os.path.basename(path) or path for path, name in paths.items()]
    return [Root(name if names.count(name) == 1 else path, path) for name, path in zip(names, paths, strict=True)]


def _why_none(bounds: Bounds, client_has_roots: bool) -> str:
    if bounds.served:
        return f"none of the client's roots is in {' or '.join(bounds.served)}"
    return "none of the client's roots is a local folder" if client_has_roots else "there is no root to work in"


def choose_root(roots: Sequence[Root], wanted: str, path: str) -> Root:
    """Return the root that is wanted, the only one, or the innermost that contains an absolute path."""
    if wanted:
        real = os.path.realpath(_local_folder(wanted) or wanted)
        matches = [root for root in roots if root.name == wanted] or [root for root in roots if root.path == real]
        if len(matches) == 1:
            return matches[0]
        raise Refused(Problem("bad_call", f"there is no root {wanted!r}; the roots are {_listed(roots)}"))
    if len(roots) == 1:
        return roots[0]
    if os.path.isabs(path):
        folder = os.path.realpath(os.path.dirname(path))
        around = [root for root in roots if _contains(root.path, folder)]
        if around:
            return max(around, key=lambda root: len(root.path))
    raise Refused(Problem("bad_call", f"there are several roots: {_listed(roots)}", advice="Name one in `root`."))


def _allowed_by_both(served: Iterable[str], local: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    """Return, of each pair of a served folder and one of the client's of which one contains the other, the inner."""
    allowed: list[tuple[str, str]] = []
    for path, name in local:
        for own in served:
            if _contains(own, path):
                allowed.append((path, name))
            elif _contains(path, own):
                allowed.append((own, ""))
    return allowed


def _local_folder(uri: str) -> str:
    """Return the real path of a file URI that names a folder of this machine, or ""."""
    if not uri.lower().startswith("file:") or "\0" in uri or "%00" in uri:
        return ""
    try:
        path = os.path.realpath(path_from_uri(uri))
    except Refused:
        return ""
    return path if os.path.isdir(path) else ""


def _contains(folder: str, path: str) -> bool:
    return path == folder or path.startswith(folder.rstrip("/") + "/")


def _listed(roots: Sequence[Root]) -> str:
    return ", ".join(f"{root.name} ({root.path})" if root.name != root.path else root.path for root in roots)
