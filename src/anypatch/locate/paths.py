"""Paths as patches write them: made plain, or refused. Lexical only; what stands on a disk is checked there."""

from __future__ import annotations

from ..errors import Problem, Refused

MAX_DEPTH = 64
MAX_NAME = 255

# What version control and anypatch itself live by; never written, at any depth.
_DENIED = frozenset((".git", ".hg", ".svn", ".jj", ".anypatch"))


def normalise(path: str) -> str:
    """The path without `.`, doubled slashes and inner `..`. Refused where it leaves the root or may not be touched."""
    if not path or path.isspace():
        raise _unsafe(path, "the path is empty")
    if "\0" in path:
        raise _unsafe(path, "the path holds a NUL character")
    if path.startswith(("/", "\\\\", "~/")) or (path[1:2] == ":" and path[0].isalpha() and path[2:3] in ("/", "\\")):
        raise _unsafe(path, "the path is absolute")
    parts: list[str] = []
    for part in path.split("/"):
        if part == "..":
            if not parts:
                raise _unsafe(path, "the path leads out of the root")
            parts.pop()
        elif part not in ("", "."):
            parts.append(part)
    if not parts:
        raise _unsafe(path, "the path names the root itself")
    _check_parts(path, parts)
    return "/".join(parts)


def check_new(path: str) -> None:
    """Refuse a name that should not come into being: control or bidirectional characters, a backslash."""
    for char in path:
        if char < " " or "\x7f" <= char <= "\x9f" or char in _INVISIBLE:
            raise _unsafe(path, f"a new name may not hold the character U+{ord(char):04X}")
    if "\\" in path:
        raise _unsafe(path, "a new name may not hold a backslash", "Write the path with forward slashes.")


_INVISIBLE = frozenset(
    "\u200b\u200c\u200d\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2060\u2066\u2067\u2068\u2069\ufeff"
)


def _check_parts(path: str, parts: list[str]) -> None:
    if len(parts) > MAX_DEPTH:
        raise _unsafe(path, f"the path is more than {MAX_DEPTH} folders deep")
    for part in parts:
        if len(part.encode("utf-8", "surrogatepass")) > MAX_NAME:
            raise _unsafe(path, f"a name in the path is longer than {MAX_NAME} bytes")
        if is_denied(part):
            raise _unsafe(path, f"{part!r} belongs to version control or to anypatch itself")


def is_denied(name: str) -> bool:
    """Whether a name, in any spelling some file system takes for the same, is one of those never touched."""
    if not name.isascii():
        import unicodedata

        name = "".join(c for c in unicodedata.normalize("NFKC", name) if unicodedata.category(c) != "Cf")
    plain = name.split(":")[0].casefold().strip(" .")
    return ("." + plain in _DENIED and name.lstrip(" ")[:1] == ".") or (plain[:4] == "git~" and plain[4:].isdigit())


def _unsafe(path: str, detail: str, advice: str = "") -> Refused:
    shown = path if len(path) <= 200 else path[:200] + "…"
    return Refused(Problem("unsafe_path", detail, shown, advice=advice))
