"""The folders that a call may work in: those the server was given, narrowed by those of the client. Writes nothing."""

from __future__ import annotations

import os
from urllib.parse import unquote, urlsplit

from ..errors import Problem, Refused
from ..record import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


class Root(NamedTuple):
    """A folder to work in: its real path, and the name it goes by."""

    name: str
    path: str


class Bounds(NamedTuple):
    """What the server may ever touch. Without `served`, the client's folders, or `here` where it names none."""

    served: tuple[str, ...] = ()
    here: str = ""


def available(bounds: Bounds, client: Sequence[tuple[str, str]] | None) -> list[Root]:
    """The roots of a call. `client`: the URIs and names that the client sent, None where it sends no roots."""
    told = [(path, name) for uri, name in client or () if (path := _path_of(uri))]
    if not bounds.served:
        found = told if client else [(bounds.here, "")]
    elif client:
        found = [(path, name) for path, name in _narrowed(bounds.served, told) if path]
    else:
        found = [(path, "") for path in bounds.served]
    if not found or not found[0][0]:
        served = " or ".join(bounds.served)
        nowhere = "none of the client's roots is a folder here" if client else "there is no root to work in"
        detail = f"none of the client's roots lies in {served}" if served else nowhere
        raise Refused(Problem("bad_root", detail))
    return _named(dict(found))


def chosen(roots: Sequence[Root], wanted: str, path: str) -> Root:
    """The root that a call means: the one it names, the only one, or the innermost that an absolute path lies in."""
    if wanted:
        place = os.path.realpath(_path_of(wanted) or wanted)
        meant = [root for root in roots if root.name == wanted] or [root for root in roots if root.path == place]
        if len(meant) == 1:
            return meant[0]
        raise Refused(Problem("bad_call", f"there is no root {wanted!r}; there are {_listed(roots)}"))
    if len(roots) == 1:
        return roots[0]
    if os.path.isabs(path):
        around = [root for root in roots if _is_in(os.path.realpath(os.path.dirname(path)), root.path)]
        if around:
            return max(around, key=lambda root: len(root.path))
    raise Refused(Problem("bad_call", f"there are several roots: {_listed(roots)}", advice="Say which one in `root`."))


def _narrowed(served: Iterable[str], told: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    """What both sides allow: the inner one of two folders of which one lies in the other."""
    found: list[tuple[str, str]] = []
    for path, name in told:
        for own in served:
            if _is_in(path, own):
                found.append((path, name))
            elif _is_in(own, path):
                found.append((own, ""))
    return found


def _path_of(uri: str) -> str:
    """The real path of a file URI that names a folder of this machine; "" for anything else."""
    parts = urlsplit(uri)
    if parts.scheme != "file" or parts.netloc not in ("", "localhost") or "\0" in uri or "%00" in uri:
        return ""
    path = os.path.realpath(unquote(parts.path))
    return path if os.path.isdir(path) else ""


def _is_in(path: str, folder: str) -> bool:
    """Whether a real path is a folder or lies in it; compared by whole names."""
    return path == folder or path.startswith(folder.rstrip("/") + "/")


def _named(found: dict[str, str]) -> list[Root]:
    """Each with a name of its own: the client's, the folder's, or the path where two would be the same."""
    names = [name or os.path.basename(path) or path for path, name in found.items()]
    return [Root(name if names.count(name) == 1 else path, path) for name, path in zip(names, found, strict=True)]


def _listed(roots: Sequence[Root]) -> str:
    return ", ".join(f"{root.name} ({root.path})" if root.name != root.path else root.path for root in roots)
