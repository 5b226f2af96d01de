"""Find the file that a path names: as written, in another spelling, or elsewhere if its old lines prove it. Pure."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from typing import TYPE_CHECKING, NamedTuple

from ..model import Edit, EditBody, File, Hunk, Note, Op, SymbolEdit, split_lines
from ..problems import Problem, Refused

if TYPE_CHECKING:
    from typing import Protocol

    class Tree(Protocol):
        """The source that files are read from: a directory, a dictionary, a commit. It is never written to."""

        def canonical(self, path: str) -> str:
            """Return the one name of the file at a path; raise `Refused` for a path that may not be touched."""

        def read(self, path: str) -> File | None:
            """Return the file with a canonical name; None if there is none."""

        def all_paths(self) -> Collection[str]:
            """Return the paths of all files."""

        def ending(self, path: str) -> tuple[str, ...]:
            """Return the files whose path ends in this one, by whole names."""

        def suggest(self, path: str) -> tuple[str, ...]:
            """Return existing files with a similar path."""

        def alike(self, path: str) -> tuple[str, ...]:
            """Return some files with the suffix of this one."""

        def has_folder(self, path: str) -> bool:
            """Return True if there is a folder with that name."""

        def link(self, path: str) -> tuple[str, str] | None:
            """Return the real path of a symbolic link and where it points; None for anything else."""


_SUGGESTED = 3
_DISTINCTIVE = 24  # letters and digits that old lines need, to tell which file they are in


class NamedFile(NamedTuple):
    """A file, the spelling of its path that leads to it, and a note if that isn't the path as written."""

    path: str
    spelling: str
    notes: tuple[Note, ...] = ()


def find_file(path: str, tree: Tree, exists: Callable[[str], bool]) -> NamedFile:
    """Find the file at a path, also without quotes, git's prefixes and backslashes; else return the path itself.

    If there is a folder `a`, then `a/x.py` is a file in it and nothing else.
    """
    plain = tree.canonical(path)
    if exists(plain):
        return NamedFile(plain, path)
    for other, canonical in _other_spellings(path, tree):
        if exists(canonical):
            return NamedFile(canonical, other, (Note(f"{path} was read as {canonical}", canonical),))
    return NamedFile(plain, path)


def find_elsewhere(op: Op, path: str, tree: Tree, read: Callable[[str], str | None]) -> NamedFile | None:
    """Find the only file whose path ends like one that doesn't exist, if it holds the old lines of every hunk.

    `config.py` is vendor/lib/config.py only for an edit whose old lines are there verbatim and once; likewise
    `shop/src/cart.py` is src/cart.py in a repository that is called shop.
    """
    if not isinstance(op, Edit) or not shows_old(op):
        return None
    candidates = paths_ending_in(path, tree)
    if len(candidates) > 1:
        detail = f"{path} doesn't exist, and several paths end in it: {', '.join(candidates[:8])}"
        raise Refused(Problem("ambiguous", detail, path, advice="Write the full path."))
    why = "the only file whose path ends like that; it contains the old lines"
    if not candidates and all(body.policy.names_decide for body in op.hunks):
        tails = (path.split("/", at)[-1] for at in range(1, path.count("/") + 1))
        candidates = tuple(tail for tail in tails if tree.read(tail) is not None)[:1]
        why = "which contains the old lines"
    if not candidates or not all(_holds(read(candidates[0]) or "", old) for old in old_lines(op)):
        return None
    return NamedFile(candidates[0], candidates[0], (Note(f"{path} was read as {candidates[0]}, {why}", candidates[0]),))


def files_containing(path: str, op: Edit, tree: Tree, read: Callable[[str], str | None]) -> tuple[str, ...]:
    """Return the other files with the suffix of a path that hold the old lines of an edit, each verbatim and once."""
    olds = old_lines(op)
    if min((sum(map(str.isalnum, "".join(old))) for old in olds), default=0) < _DISTINCTIVE:
        return ()
    others = [other for other in tree.alike(path) if other != path]
    return tuple(other for other in others if all(_holds(read(other) or "", old) for old in olds))


def shows_old(op: Op) -> bool:
    """Return True if every part of an operation shows a line of the file that has more than brackets."""
    if not isinstance(op, Edit) or not op.hunks:
        return False
    return all(any(char.isalnum() for line in old for char in line) for old in old_lines(op))


def old_lines(op: Edit) -> list[list[str]]:
    """Return the lines of the file that each part of an edit shows, in one piece."""
    return [_old_lines(body) for body in op.hunks]


def _old_lines(body: EditBody) -> list[str]:
    if isinstance(body, SymbolEdit):
        return [line for chunk in body.chunks[:1] for line in (*(chunk.before or ()), *chunk.old, *(chunk.after or ()))]
    return split_lines(body.old.strip("\n")) if isinstance(body, Hunk) and body.times == 1 else []


def paths_ending_in(path: str, tree: Tree) -> tuple[str, ...]:
    """Return the files in other folders whose path ends in this one, in any spelling."""
    spellings = [other for other in (path, *_spellings(path)) if "\\" not in other]
    return tuple(dict.fromkeys(longer for other in spellings for longer in tree.ending(other.removeprefix("./"))))


def nearly_right(path: str, tree: Tree) -> tuple[str, ...]:
    """Return the files that a path may mean that doesn't exist: those whose path ends in it, or else similar ones."""
    return paths_ending_in(path, tree)[:_SUGGESTED] or tree.suggest(path)


def missing(path: str, tree: Tree) -> Problem:
    """Return the problem of a path that doesn't exist."""
    others = nearly_right(path, tree)
    if not others:
        return Problem(
            "file_missing", f"{path} doesn't exist", command=f"--file {path}=OTHER reads it as another file."
        )
    advice, command = f"Did you mean {' or '.join(others)}?", f"--file {path}={others[0]} reads it as that."
    return Problem("file_missing", f"{path} doesn't exist", advice=advice, command=command)


def _holds(text: str, lines: list[str]) -> bool:
    """Return True if a text holds these lines verbatim, once."""
    text, wanted = "\n" + text.replace("\r\n", "\n") + "\n", "\n" + "\n".join(lines) + "\n"
    at = text.find(wanted)
    return at >= 0 and text.find(wanted, at + 1) < 0


def _other_spellings(path: str, tree: Tree) -> Iterator[tuple[str, str]]:
    """Yield other spellings of a path, each with its canonical name."""
    for other in _spellings(path):
        try:
            canonical = tree.canonical(other)
            if path.endswith(f"/{other}") and tree.has_folder(path.removesuffix(f"/{other}")):
                continue
        except Refused:
            continue
        yield other, canonical


def _spellings(path: str) -> list[str]:
    """Return the path without quotes, git's prefixes, backslashes."""
    bare = path.strip(" \t`'\"*")
    slashed = bare.replace("\\", "/")
    spellings = [bare, slashed, *(other[2:] for other in (bare, slashed) if other[:2] in ("a/", "b/"))]
    return [other for other in dict.fromkeys(spellings) if other and other != path]


def blocking(path: str, is_file: Callable[[str], bool]) -> str:
    """Return a file whose name the path needs for a folder; "" if there is none."""
    parts = path.split("/")
    return next((above for i in range(1, len(parts)) if is_file(above := "/".join(parts[:i]))), "")
