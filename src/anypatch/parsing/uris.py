"""URIs of files and the paths they stand for. Lexical only; looks at no disk."""

from __future__ import annotations

import re

from ..problems import Problem, Refused
from ..text import decode, encode

_PLAIN = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/")


def path_of(uri: str) -> str:
    """The path of a file's URI: absolute behind `file://`, relative where there is no scheme. Refused for others."""
    scheme = re.match(r"([A-Za-z][A-Za-z0-9+.-]*+):", uri)
    rest = uri
    if scheme:
        found = re.match(r"file:(?://(?:localhost)?)?(?=/)", uri, re.IGNORECASE)
        if found is None:
            raise Refused(Problem("unsafe_path", f"`{uri[:200]}` is not the URI of a file here"))
        rest = uri[found.end() :]
    if "?" in rest or "#" in rest:
        raise Refused(Problem("unsafe_path", f"`{uri[:200]}` names a part of a file, or a query"))
    try:
        raw = rest.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        raise Refused(Problem("unsafe_path", "the URI holds half a character")) from None
    return decode(re.sub(rb"%([0-9A-Fa-f]{2})", lambda found: bytes((int(found[1], 16),)), raw))


def uri_of(path: str) -> str:
    """A path as a URI: with `file://` where it is absolute, else a reference relative to the root."""
    said = "".join(chr(byte) if byte in _PLAIN else f"%{byte:02X}" for byte in encode(path))
    return f"file://{said}" if path.startswith("/") else said


def inside(path: str, roots: tuple[str, ...]) -> str:
    """An absolute path below one of the roots as one relative to it; any other path as it is."""
    for root in roots:
        if path.startswith(root.rstrip("/") + "/"):
            return path[len(root.rstrip("/")) + 1 :]
    return path
